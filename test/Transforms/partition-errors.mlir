// RUN: takt-opt %s -split-input-file -verify-diagnostics -takt-split-stages -takt-partition

// A whole value cannot stand for one term of a sum: each rank would add it.
module attributes {takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0, 1>, tensor_parallel = 2 : i64}]}} {
  // expected-error @+1 {{a value that is replicated is wanted as a partial sum, which no conversion makes}}
  func.func @main(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>})
      -> (tensor<4xf32> {takt.name = "y"}) {
    %y = arith.addf %x, %x {takt.stage = 0 : i64,
      takt.operand_states = [#takt.sharding<partial>, #takt.sharding<partial>],
      takt.result_states = [#takt.sharding<partial>]} : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}

// -----

module attributes {takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0, 1, 2, 3>, tensor_parallel = 4 : i64}]}} {
  func.func @main(%x: tensor<6xf32> {takt.name = "x", takt.shape = #takt.shape<["6"]>})
      -> (tensor<6xf32> {takt.name = "y"}) {
    // expected-error @+1 {{has states (split 0) -> (split 0), which its sharding rule does not allow on 4 ranks; run takt-plan anew}}
    %y = math.exp %x {takt.stage = 0 : i64, takt.operand_states = [#takt.sharding<split 0>],
      takt.result_states = [#takt.sharding<split 0>]} : tensor<6xf32>
    return %y : tensor<6xf32>
  }
}

// -----

// The sum of a partial sum and a whole value counts the whole one twice.
module attributes {takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0, 1>, tensor_parallel = 2 : i64}]}} {
  func.func @main(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>})
      -> (tensor<4xf32> {takt.name = "y"}) {
    // expected-error @+1 {{has states (partial, replicated) -> (partial), which its sharding rule does not allow}}
    %y = arith.addf %x, %x {takt.stage = 0 : i64,
      takt.operand_states = [#takt.sharding<partial>, #takt.sharding<replicated>],
      takt.result_states = [#takt.sharding<partial>]} : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}

// -----

module attributes {takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0, 1>, tensor_parallel = 2 : i64}]}} {
  func.func @main(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>})
      -> (tensor<4xf32> {takt.name = "y"}) {
    // expected-error @+1 {{has 2 states in 'takt.operand_states', expected 1}}
    %y = math.exp %x {takt.stage = 0 : i64,
      takt.operand_states = [#takt.sharding<split 0>, #takt.sharding<split 0>],
      takt.result_states = [#takt.sharding<split 0>]} : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
