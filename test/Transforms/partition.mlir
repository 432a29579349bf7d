// RUN: takt-opt %s -split-input-file -takt-split-stages -takt-partition -takt-verify-partition | FileCheck %s

// Column, then row: the weights become shards, one sum is left, and the bias is
// added to the sum once.
module attributes {takt.plan = {data_parallel = 1 : i64, idle_ranks = 1 : i64, stages = [
    {ranks = array<i64: 0, 1>, tensor_parallel = 2 : i64}]}} {
  takt.dim @batch
  takt.weight @up : tensor<4x16xf32> #takt.source<"w.bin", 0, 256>
  takt.weight @down : tensor<16x4xf32> #takt.source<"w.bin", 256, 256>
  takt.weight @bias : tensor<4xf32> #takt.source<"w.bin", 512, 16>
  func.func @main(%x: tensor<?x4xf32> {takt.name = "x", takt.shape = #takt.shape<["batch", "4"]>})
      -> (tensor<?x4xf32> {takt.name = "y"}) {
    %up = takt.weight_read @up : tensor<4x16xf32>
    %down = takt.weight_read @down : tensor<16x4xf32>
    %bias = takt.weight_read @bias : tensor<4xf32>
    %h = takt.matmul %x, %up : tensor<?x4xf32>, tensor<4x16xf32> -> tensor<?x16xf32> {takt.stage = 0 : i64,
      takt.operand_states = [#takt.sharding<replicated>, #takt.sharding<split 1>],
      takt.result_states = [#takt.sharding<split 1>]}
    %g = takt.gelu %h : tensor<?x16xf32> -> tensor<?x16xf32> {takt.stage = 0 : i64, takt.operand_states = [#takt.sharding<split 1>],
      takt.result_states = [#takt.sharding<split 1>]}
    %p = takt.matmul %g, %down : tensor<?x16xf32>, tensor<16x4xf32> -> tensor<?x4xf32> {takt.stage = 0 : i64,
      takt.operand_states = [#takt.sharding<split 1>, #takt.sharding<split 0>],
      takt.result_states = [#takt.sharding<partial>]}
    %b = takt.broadcast %bias dims [1] to <["batch", "4"]> : tensor<4xf32> -> tensor<?x4xf32> {takt.stage = 0 : i64}
    %y = arith.addf %p, %b {takt.stage = 0 : i64} : tensor<?x4xf32>
    return %y : tensor<?x4xf32>
  }
}

// CHECK:       module @stage0
// CHECK:         takt.weight @up : tensor<4x16xf32>
// CHECK:         takt.weight @up.split1 : tensor<4x8xf32> {
// CHECK-NEXT:      %[[UP:.*]] = takt.weight_read @up
// CHECK-NEXT:      %[[PART:.*]] = takt.slice %[[UP]] from <["0", "8*shard"]> sizes <["4", "8"]> strides [1, 1]
// CHECK-NEXT:      takt.yield %[[PART]]
// CHECK:         takt.weight @down.split0 : tensor<8x4xf32> {
// CHECK:           takt.slice %{{.*}} from <["8*shard", "0"]> sizes <["8", "4"]>
// CHECK-NOT:     takt.weight @bias.split
// CHECK:         func.func @forward(%[[X:.*]]: tensor<?x4xf32> {takt.name = "x", takt.shape = #takt.shape<["batch", "4"]>, takt.sharding = #takt.sharding<replicated>})
// CHECK-SAME:      -> (tensor<?x4xf32> {takt.name = "y", takt.sharding = #takt.sharding<replicated>})
// CHECK:           %[[W:.*]] = takt.weight_read @up.split1 : tensor<4x8xf32>
// CHECK:           %[[H:.*]] = takt.matmul %[[X]], %[[W]] : tensor<?x4xf32>, tensor<4x8xf32> -> tensor<?x8xf32>
// CHECK:           %[[G:.*]] = takt.gelu %[[H]] : tensor<?x8xf32>
// CHECK:           %[[P:.*]] = takt.matmul %[[G]], %{{.*}} : tensor<?x8xf32>, tensor<8x4xf32> -> tensor<?x4xf32>
// CHECK-NOT:       arith.addf %[[P]]
// CHECK:           %[[S:.*]] = takt.all_reduce %[[P]] ways 2
// CHECK-NEXT:      arith.addf %[[S]]
// CHECK-NOT:       takt.all_reduce
// CHECK:       takt.rank 0 replica 0 stage 0 shard 0 ["forward"]
// CHECK:       takt.rank 1 replica 0 stage 0 shard 1 ["forward"]
// CHECK:       takt.rank 2 replica 0 stage -1 shard 0 []

// -----

// Each conversion is made once: two users of the gathered value share it, and
// what is split again is cut from it.
module attributes {takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0, 1>, tensor_parallel = 2 : i64}]}} {
  func.func @main(%x: tensor<4x8xf32> {takt.name = "x", takt.shape = #takt.shape<["4", "8"]>})
      -> (tensor<4x8xf32> {takt.name = "y"}) {
    %a = math.exp %x {takt.stage = 0 : i64, takt.operand_states = [#takt.sharding<split 1>],
      takt.result_states = [#takt.sharding<split 1>]} : tensor<4x8xf32>
    %b = math.tanh %a {takt.stage = 0 : i64} : tensor<4x8xf32>
    %c = math.absf %a {takt.stage = 0 : i64} : tensor<4x8xf32>
    %d = math.sqrt %a {takt.stage = 0 : i64, takt.operand_states = [#takt.sharding<split 0>],
      takt.result_states = [#takt.sharding<split 0>]} : tensor<4x8xf32>
    %e = arith.addf %b, %c {takt.stage = 0 : i64} : tensor<4x8xf32>
    %f = arith.addf %d, %e {takt.stage = 0 : i64} : tensor<4x8xf32>
    return %f : tensor<4x8xf32>
  }
}

// CHECK:       {{^// -+$}}
// CHECK:       module @stage0
// CHECK:         %[[X:.*]] = takt.slice %{{.*}} from <["0", "4*shard"]> sizes <["4", "4"]> strides [1, 1] : tensor<4x8xf32> -> tensor<4x4xf32>
// CHECK-NEXT:    %[[A:.*]] = math.exp %[[X]] : tensor<4x4xf32>
// CHECK-NEXT:    %[[G:.*]] = takt.all_gather %[[A]] axis 1 ways 2 : tensor<4x4xf32> -> tensor<4x8xf32>
// CHECK-NEXT:    math.tanh %[[G]]
// CHECK-NEXT:    math.absf %[[G]]
// CHECK-NEXT:    %[[R:.*]] = takt.slice %[[G]] from <["2*shard", "0"]> sizes <["2", "8"]>
// CHECK-NEXT:    %[[D:.*]] = math.sqrt %[[R]] : tensor<2x8xf32>
// CHECK-NEXT:    arith.addf
// CHECK-NEXT:    %[[D2:.*]] = takt.all_gather %[[D]] axis 0 ways 2
// CHECK-NEXT:    arith.addf %[[D2]]

// -----

// A sum of which only one part is wanted is scattered. It crosses split, since
// both stages have two ranks; rank r sends to rank r.
module attributes {takt.plan = {data_parallel = 2 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0, 1>, tensor_parallel = 2 : i64},
    {ranks = array<i64: 2, 3>, tensor_parallel = 2 : i64}]}} {
  takt.weight @w : tensor<8x4xf32> #takt.source<"w.bin", 0, 128>
  func.func @main(%x: tensor<4x8xf32> {takt.name = "x", takt.shape = #takt.shape<["4", "8"]>})
      -> (tensor<4x4xf32> {takt.name = "y"}) {
    %w = takt.weight_read @w : tensor<8x4xf32>
    %p = takt.matmul %x, %w : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x4xf32> {takt.stage = 0 : i64,
      takt.operand_states = [#takt.sharding<split 1>, #takt.sharding<split 0>],
      takt.result_states = [#takt.sharding<partial>]}
    %y = math.exp %p {takt.stage = 1 : i64, takt.operand_states = [#takt.sharding<split 0>],
      takt.result_states = [#takt.sharding<split 0>]} : tensor<4x4xf32>
    return %y : tensor<4x4xf32>
  }
}

// CHECK:       {{^// -+$}}
// CHECK:       module @stage0
// CHECK:         func.func @forward{{.*}} -> (tensor<2x4xf32> {takt.channel = 0 : i64, takt.sharding = #takt.sharding<split 0>})
// CHECK:         takt.reduce_scatter %{{.*}} axis 0 ways 2 : tensor<4x4xf32> -> tensor<2x4xf32>
// CHECK-NOT:     takt.all_reduce
// CHECK:       module @stage1
// CHECK:         func.func @forward(%{{.*}}: tensor<2x4xf32> {takt.channel = 0 : i64, takt.shape = #takt.shape<["2", "4"]>, takt.sharding = #takt.sharding<split 0>})
// CHECK:         takt.all_gather %{{.*}} axis 0 ways 2
// CHECK:       takt.channel 0 value 0 from 0 to 2 depth
// CHECK:       takt.channel 1 value 0 from 1 to 3 depth
// CHECK:       takt.channel 2 value 0 from 4 to 6 depth
// CHECK:       takt.channel 3 value 0 from 5 to 7 depth
// CHECK:       takt.rank 0 replica 0 stage 0 shard 0 ["forward", "send 0"]
// CHECK:       takt.rank 3 replica 0 stage 1 shard 1 ["receive 1", "forward", "free 1"]
// CHECK:       takt.rank 6 replica 1 stage 1 shard 0 ["receive 2", "forward", "free 2"]

// -----

// Stages with one and three ranks: the value crosses whole, and no collective
// stands where there is one rank.
module attributes {takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0>, tensor_parallel = 1 : i64},
    {ranks = array<i64: 1, 2, 3>, tensor_parallel = 3 : i64},
    {ranks = array<i64: 4, 5>, tensor_parallel = 2 : i64}]}} {
  func.func @main(%x: tensor<6x8xf32> {takt.name = "x", takt.shape = #takt.shape<["6", "8"]>})
      -> (tensor<6x8xf32> {takt.name = "y"}) {
    %a = math.exp %x {takt.stage = 0 : i64} : tensor<6x8xf32>
    %b = math.tanh %a {takt.stage = 1 : i64, takt.operand_states = [#takt.sharding<split 0>],
      takt.result_states = [#takt.sharding<split 0>]} : tensor<6x8xf32>
    %c = math.tanh %b {takt.stage = 2 : i64, takt.operand_states = [#takt.sharding<split 0>],
      takt.result_states = [#takt.sharding<split 0>]} : tensor<6x8xf32>
    return %c : tensor<6x8xf32>
  }
}

// CHECK:       {{^// -+$}}
// CHECK:       module @stage0
// CHECK:         func.func @forward
// CHECK-NEXT:      math.exp
// CHECK-NEXT:      return
// CHECK:       module @stage1
// CHECK:         func.func @forward(%[[A:.*]]: tensor<6x8xf32> {takt.channel = 0 : i64
// CHECK-NEXT:      takt.slice %[[A]] from <["2*shard", "0"]> sizes <["2", "8"]>
// CHECK-NEXT:      math.tanh
// CHECK-NEXT:      takt.all_gather %{{.*}} axis 0 ways 3
// CHECK:       takt.channel 0 value 0 from 0 to 1
// CHECK:       takt.channel 1 value 0 from 0 to 2
// CHECK:       takt.channel 2 value 0 from 0 to 3
// CHECK:       takt.channel 3 value 1 from 1 to 4
// CHECK:       takt.channel 4 value 1 from 2 to 5
