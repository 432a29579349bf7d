// RUN: takt-opt %s -split-input-file -verify-diagnostics -takt-plan="pipeline=4 tensor=4" -takt-verify-plan | FileCheck %s

// Six heads on four ranks: attention stays whole; the reason is given once.
module {
  takt.dim @seq {typical = 64 : i64}
  func.func @main(%q: tensor<1x6x?x7xf32> {takt.name = "q", takt.shape = #takt.shape<["1", "6", "seq", "7"]>})
      -> (tensor<1x6x?x7xf32> {takt.name = "y"}) { // expected-remark @-1 {{2 of 4 stages have work; ranks that stay idle, per replica: 8}}
    // expected-remark @+1 {{size 6 is not divisible by 4 ranks of a stage: takt.attention and 1 more ops stay replicated}}
    %a = takt.attention %q, %q, %q scale 0.125 : tensor<1x6x?x7xf32>, tensor<1x6x?x7xf32>, tensor<1x6x?x7xf32> -> tensor<1x6x?x7xf32>
    %b = takt.softmax %a axis 3 : tensor<1x6x?x7xf32> -> tensor<1x6x?x7xf32>
    return %b : tensor<1x6x?x7xf32>
  }
}

// CHECK: idle_ranks = 8 : i64
// CHECK: takt.attention {{.*}}takt.operand_states = [#takt.sharding<replicated>, #takt.sharding<replicated>, #takt.sharding<replicated>], takt.result_states = [#takt.sharding<replicated>], takt.stage = 0 : i64
// CHECK: takt.softmax {{.*}}takt.stage = 1 : i64

// -----

// No op at all: one stage returns what it gets.
module {
  takt.weight @w : tensor<2xf32> #takt.source<"w.bin", 0, 8>
  func.func @main(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>}) // expected-remark {{1 of 4 stages have work; ranks that stay idle, per replica: 12}}
      -> (tensor<4xf32> {takt.name = "y"}, tensor<2xf32> {takt.name = "z"}) {
    %w = takt.weight_read @w : tensor<2xf32>
    return %x, %w : tensor<4xf32>, tensor<2xf32>
  }
}

// CHECK: idle_ranks = 12 : i64, stages = [{
// CHECK: takt.weight_read @w {{.*}}takt.stage = 0 : i64
