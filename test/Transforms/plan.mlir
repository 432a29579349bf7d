// RUN: takt-opt %s -split-input-file -takt-plan="tensor=2 cluster=%S/Inputs/fast-links.json" -takt-verify-plan | FileCheck %s --check-prefix=FAST
// RUN: takt-opt %s -split-input-file -takt-plan="tensor=2 cluster=%S/Inputs/fast-links.json" -takt-split-stages -takt-partition -takt-verify-partition | FileCheck %s --check-prefix=LOCAL
// RUN: takt-opt %s -split-input-file -takt-plan="tensor=2 cluster=%S/Inputs/slow-links.json" -takt-split-stages -takt-partition -takt-verify-partition | FileCheck %s --check-prefix=SLOW

// Two layers: the first is cut by columns, the second by rows, and one sum is
// all that the ranks exchange. Where links are slow, both do all the work.
module {
  takt.dim @batch {typical = 64 : i64}
  takt.weight @up : tensor<256x1024xf32> #takt.source<"w.bin", 0, 1048576>
  takt.weight @down : tensor<1024x256xf32> #takt.source<"w.bin", 1048576, 1048576>
  takt.weight @bias : tensor<1024xf32> #takt.source<"w.bin", 2097152, 4096>
  func.func @main(%x: tensor<?x256xf32> {takt.name = "x", takt.shape = #takt.shape<["batch", "256"]>})
      -> (tensor<?x256xf32> {takt.name = "y"}) {
    %up = takt.weight_read @up : tensor<256x1024xf32>
    %down = takt.weight_read @down : tensor<1024x256xf32>
    %bias = takt.weight_read @bias : tensor<1024xf32>
    %h = takt.matmul %x, %up : tensor<?x256xf32>, tensor<256x1024xf32> -> tensor<?x1024xf32>
    %b = takt.broadcast %bias dims [1] to <["batch", "1024"]> : tensor<1024xf32> -> tensor<?x1024xf32>
    %i = arith.addf %h, %b : tensor<?x1024xf32>
    %g = takt.gelu %i : tensor<?x1024xf32> -> tensor<?x1024xf32>
    %y = takt.matmul %g, %down : tensor<?x1024xf32>, tensor<1024x256xf32> -> tensor<?x256xf32>
    return %y : tensor<?x256xf32>
  }
}

// FAST:       module attributes {takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [{
// FAST-SAME:    ranks = array<i64: 0, 1>, tensor_parallel = 2 : i64, weight_bytes = 1050624 : i64
// FAST:       takt.matmul {{.*}}takt.operand_states = [#takt.sharding<replicated>, #takt.sharding<split 1>], takt.result_states = [#takt.sharding<split 1>], takt.stage = 0 : i64
// FAST:       takt.gelu {{.*}}takt.result_states = [#takt.sharding<split 1>]
// FAST:       takt.matmul {{.*}}takt.operand_states = [#takt.sharding<split 1>, #takt.sharding<split 0>], takt.result_states = [#takt.sharding<partial>]

// LOCAL:      func.func @forward
// LOCAL-NOT:  takt.all_gather
// LOCAL-NOT:  takt.reduce_scatter
// LOCAL:      takt.all_reduce {{.*}} ways 2
// LOCAL-NEXT: return

// SLOW-NOT:   takt.all_reduce
// SLOW-NOT:   takt.all_gather
// SLOW-NOT:   takt.reduce_scatter
// SLOW:       {{^// -+$}}

// -----

// A transformer block: two sums, after attention and after the last matrix.
module {
  takt.dim @batch {typical = 8 : i64}
  takt.dim @seq {typical = 128 : i64}
  takt.weight @wq : tensor<256x256xf32> #takt.source<"w.bin", 0, 262144>
  takt.weight @wk : tensor<256x256xf32> #takt.source<"w.bin", 262144, 262144>
  takt.weight @wv : tensor<256x256xf32> #takt.source<"w.bin", 524288, 262144>
  takt.weight @wo : tensor<256x256xf32> #takt.source<"w.bin", 786432, 262144>
  takt.weight @up : tensor<256x1024xf32> #takt.source<"w.bin", 1048576, 1048576>
  takt.weight @down : tensor<1024x256xf32> #takt.source<"w.bin", 2097152, 1048576>
  takt.weight @scale : tensor<256xf32> #takt.source<"w.bin", 3145728, 1024>
  func.func @main(%x: tensor<?x?x256xf32> {takt.name = "x", takt.shape = #takt.shape<["batch", "seq", "256"]>})
      -> (tensor<?x?x256xf32> {takt.name = "y"}) {
    %wq = takt.weight_read @wq : tensor<256x256xf32>
    %wk = takt.weight_read @wk : tensor<256x256xf32>
    %wv = takt.weight_read @wv : tensor<256x256xf32>
    %wo = takt.weight_read @wo : tensor<256x256xf32>
    %up = takt.weight_read @up : tensor<256x1024xf32>
    %down = takt.weight_read @down : tensor<1024x256xf32>
    %scale = takt.weight_read @scale : tensor<256xf32>
    %q0 = takt.matmul %x, %wq : tensor<?x?x256xf32>, tensor<256x256xf32> -> tensor<?x?x256xf32>
    %k0 = takt.matmul %x, %wk : tensor<?x?x256xf32>, tensor<256x256xf32> -> tensor<?x?x256xf32>
    %v0 = takt.matmul %x, %wv : tensor<?x?x256xf32>, tensor<256x256xf32> -> tensor<?x?x256xf32>
    %q1 = takt.reshape %q0 to <["batch", "seq", "4", "64"]> : tensor<?x?x256xf32> -> tensor<?x?x4x64xf32>
    %k1 = takt.reshape %k0 to <["batch", "seq", "4", "64"]> : tensor<?x?x256xf32> -> tensor<?x?x4x64xf32>
    %v1 = takt.reshape %v0 to <["batch", "seq", "4", "64"]> : tensor<?x?x256xf32> -> tensor<?x?x4x64xf32>
    %q = takt.transpose %q1 [0, 2, 1, 3] : tensor<?x?x4x64xf32> -> tensor<?x4x?x64xf32>
    %k = takt.transpose %k1 [0, 2, 1, 3] : tensor<?x?x4x64xf32> -> tensor<?x4x?x64xf32>
    %v = takt.transpose %v1 [0, 2, 1, 3] : tensor<?x?x4x64xf32> -> tensor<?x4x?x64xf32>
    %a = takt.attention %q, %k, %v scale 0.125 : tensor<?x4x?x64xf32>, tensor<?x4x?x64xf32>, tensor<?x4x?x64xf32> -> tensor<?x4x?x64xf32>
    %a1 = takt.transpose %a [0, 2, 1, 3] : tensor<?x4x?x64xf32> -> tensor<?x?x4x64xf32>
    %a2 = takt.reshape %a1 to <["batch", "seq", "256"]> : tensor<?x?x4x64xf32> -> tensor<?x?x256xf32>
    %o = takt.matmul %a2, %wo : tensor<?x?x256xf32>, tensor<256x256xf32> -> tensor<?x?x256xf32>
    %r = arith.addf %o, %x : tensor<?x?x256xf32>
    %n = takt.layer_norm %r scale %scale epsilon 1.0e-5 : tensor<?x?x256xf32>, tensor<256xf32> -> tensor<?x?x256xf32>
    %h = takt.matmul %n, %up : tensor<?x?x256xf32>, tensor<256x1024xf32> -> tensor<?x?x1024xf32>
    %g = takt.gelu %h : tensor<?x?x1024xf32> -> tensor<?x?x1024xf32>
    %d = takt.matmul %g, %down : tensor<?x?x1024xf32>, tensor<1024x256xf32> -> tensor<?x?x256xf32>
    %s = arith.addf %d, %n : tensor<?x?x256xf32>
    %y = takt.layer_norm %s scale %scale epsilon 1.0e-5 : tensor<?x?x256xf32>, tensor<256xf32> -> tensor<?x?x256xf32>
    return %y : tensor<?x?x256xf32>
  }
}

// LOCAL:         {{^// -+$}}
// LOCAL:         func.func @forward
// LOCAL:         takt.attention {{.*}} : tensor<?x2x?x64xf32>
// LOCAL-NOT:     takt.all_gather
// LOCAL:         takt.all_reduce
// LOCAL-NOT:     takt.{{all_|reduce_scatter}}
// LOCAL:         takt.gelu {{.*}} : tensor<?x?x512xf32>
// LOCAL-NOT:     takt.{{all_|reduce_scatter}}
// LOCAL:         takt.all_reduce
// LOCAL-NOT:     takt.{{all_|reduce_scatter}}
// LOCAL:         return

// SLOW-NOT:      takt.all_reduce
// SLOW-NOT:      takt.all_gather
// SLOW-NOT:      takt.reduce_scatter
// SLOW:          return
