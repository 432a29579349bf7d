// RUN: takt-opt %s -split-input-file -takt-split-stages -takt-verify-stages | FileCheck %s

// A value of stage 0 goes straight to stages 1 and 2, with one number for each.
module attributes {takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0>, tensor_parallel = 1 : i64},
    {ranks = array<i64: 1>, tensor_parallel = 1 : i64},
    {ranks = array<i64: 2>, tensor_parallel = 1 : i64}]}} {
  takt.dim @batch
  func.func @main(%x: tensor<?x8xf32> {takt.name = "x", takt.shape = #takt.shape<["batch", "8"]>})
      -> (tensor<?x8xf32> {takt.name = "y"}) {
    %a = math.exp %x {takt.stage = 0 : i64} : tensor<?x8xf32>
    %b = math.tanh %a {takt.stage = 1 : i64} : tensor<?x8xf32>
    %c = arith.addf %a, %b {takt.stage = 2 : i64} : tensor<?x8xf32>
    return %c : tensor<?x8xf32>
  }
}

// CHECK:       module attributes
// CHECK-SAME:    takt.inputs = ["x"], takt.outputs = ["y"]
// CHECK-NOT:     func.func @main
// CHECK:         module @stage0 attributes {takt.stage = 0 : i64, takt.tensor_parallel = 1 : i64}
// CHECK:           func.func @forward(%{{.*}}: tensor<?x8xf32> {takt.name = "x", takt.shape = #takt.shape<["batch", "8"]>})
// CHECK-SAME:        -> (tensor<?x8xf32> {takt.channel = 0 : i64}, tensor<?x8xf32> {takt.channel = 1 : i64})
// CHECK-NEXT:        %[[A:.*]] = math.exp
// CHECK-NEXT:        return %[[A]], %[[A]]
// CHECK:         module @stage1
// CHECK:           func.func @forward(%[[B:.*]]: tensor<?x8xf32> {takt.channel = 0 : i64, takt.shape = #takt.shape<["batch", "8"]>})
// CHECK-SAME:        -> (tensor<?x8xf32> {takt.channel = 2 : i64})
// CHECK-NEXT:        math.tanh %[[B]] : tensor<?x8xf32>
// CHECK:         module @stage2
// CHECK:           func.func @forward(%[[A2:.*]]: tensor<?x8xf32> {takt.channel = 1 : i64, {{.*}}}, %[[B2:.*]]: tensor<?x8xf32> {takt.channel = 2 : i64, {{.*}}}) -> (tensor<?x8xf32> {takt.name = "y"})
// CHECK-NEXT:        arith.addf %[[A2]], %[[B2]]

// -----

// A weight that two stages read is in both, with the weight that its
// initializer reads; constants are copied; an unread weight is gone.
module attributes {takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0>, tensor_parallel = 1 : i64},
    {ranks = array<i64: 1>, tensor_parallel = 1 : i64}]}} {
  takt.weight @unread : tensor<8xf32> #takt.source<"w.bin", 0, 32>
  takt.weight @raw : tensor<8x8xf32> #takt.source<"w.bin", 0, 256>
  takt.weight @tied : tensor<8x8xf32> {
    %0 = takt.weight_read @raw : tensor<8x8xf32>
    %1 = takt.transpose %0 [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
    takt.yield %1 : tensor<8x8xf32>
  }
  func.func @main(%x: tensor<4x8xf32> {takt.name = "x", takt.shape = #takt.shape<["4", "8"]>})
      -> (tensor<4x8xf32> {takt.name = "y"}) {
    %w = takt.weight_read @tied : tensor<8x8xf32>
    %one = arith.constant dense<1.0> : tensor<4x8xf32>
    %a = takt.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32> {takt.stage = 0 : i64}
    %b = arith.addf %a, %one {takt.stage = 0 : i64} : tensor<4x8xf32>
    %c = takt.matmul %b, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32> {takt.stage = 1 : i64}
    %d = arith.addf %c, %one {takt.stage = 1 : i64} : tensor<4x8xf32>
    return %d : tensor<4x8xf32>
  }
}

// CHECK:       {{^// -+$}}
// CHECK:       module @stage0
// CHECK-NEXT:    takt.weight @raw
// CHECK-NEXT:    takt.weight @tied
// CHECK:         func.func @forward
// CHECK-DAG:       takt.weight_read @tied
// CHECK-DAG:       arith.constant
// CHECK:       module @stage1
// CHECK-NEXT:    takt.weight @raw
// CHECK-NEXT:    takt.weight @tied
// CHECK:         func.func @forward(%{{[a-z0-9]*}}: tensor<4x8xf32> {takt.channel = 0 : i64, takt.shape = #takt.shape<["4", "8"]>}) -> (tensor<4x8xf32> {takt.name = "y"})
// CHECK-DAG:       takt.weight_read @tied
// CHECK-DAG:       arith.constant

// -----

// Outputs that are an input, a weight, a constant, and a value that is used
// further; an input that nothing reads is not lost.
module attributes {takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0>, tensor_parallel = 1 : i64},
    {ranks = array<i64: 1>, tensor_parallel = 1 : i64}]}} {
  takt.weight @w : tensor<2xf32> #takt.source<"w.bin", 0, 8>
  func.func @main(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>},
                  %unread: tensor<1xf32> {takt.name = "unread", takt.shape = #takt.shape<["1"]>})
      -> (tensor<4xf32> {takt.name = "same"}, tensor<2xf32> {takt.name = "weight"},
          tensor<4xf32> {takt.name = "middle"}, tensor<4xf32> {takt.name = "last"}) {
    %w = takt.weight_read @w : tensor<2xf32>
    %a = math.exp %x {takt.stage = 0 : i64} : tensor<4xf32>
    %b = arith.addf %a, %x {takt.stage = 1 : i64} : tensor<4xf32>
    return %x, %w, %a, %b : tensor<4xf32>, tensor<2xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// CHECK:       {{^// -+$}}
// CHECK:       module @stage0
// CHECK:         func.func @forward(%[[X:.*]]: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>}, %{{[a-z0-9]+}}: tensor<1xf32> {takt.name = "unread", takt.shape = #takt.shape<["1"]>})
// CHECK-SAME:      -> (tensor<4xf32> {takt.channel = 0 : i64}, tensor<4xf32> {takt.name = "same"}, tensor<2xf32> {takt.name = "weight"}, tensor<4xf32> {takt.name = "middle"})
// CHECK:           %[[W:.*]] = takt.weight_read @w
// CHECK:           %[[A:.*]] = math.exp %[[X]]
// CHECK:           return %[[A]], %[[X]], %[[W]], %[[A]]
// CHECK:       module @stage1
// CHECK:         func.func @forward(%[[X1:.*]]: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>}, %[[A1:.*]]: tensor<4xf32> {takt.channel = 0 : i64, takt.shape = #takt.shape<["4"]>}) -> (tensor<4xf32> {takt.name = "last"})
// CHECK-NEXT:      arith.addf %[[A1]], %[[X1]]
