// RUN: takt-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(takt-verify-plan)'

module attributes {takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0, 1>, tensor_parallel = 2 : i64}]}} {
  func.func @main(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>})
      -> (tensor<4xf32> {takt.name = "y"}) {
    // expected-error @+1 {{has no stage, expected one from 0 to 0}}
    %y = math.exp %x : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}

// -----

module attributes {takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0>, tensor_parallel = 1 : i64},
    {ranks = array<i64: 1>, tensor_parallel = 1 : i64}]}} {
  func.func @main(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>})
      -> (tensor<4xf32> {takt.name = "z"}) {
    %y = math.exp %x {takt.stage = 1 : i64} : tensor<4xf32>
    // expected-error @+1 {{in stage 0 uses a value of stage 1, expected no later stage than its own}}
    %z = math.exp %y {takt.stage = 0 : i64} : tensor<4xf32>
    return %z : tensor<4xf32>
  }
}

// -----

// exp of a partial sum is not a partial sum of exps.
module attributes {takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0, 1>, tensor_parallel = 2 : i64}]}} {
  func.func @main(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>})
      -> (tensor<4xf32> {takt.name = "y"}) {
    // expected-error @+1 {{has states (partial) -> (partial), which its sharding rule does not allow on 2 ranks}}
    %y = math.exp %x {takt.stage = 0 : i64, takt.operand_states = [#takt.sharding<partial>],
      takt.result_states = [#takt.sharding<partial>]} : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}

// -----

// Four heads of 2 cannot be cut into three parts, though 8 and 3 may look fine.
module attributes {takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0, 1, 2>, tensor_parallel = 3 : i64}]}} {
  func.func @main(%x: tensor<4x3xf32> {takt.name = "x", takt.shape = #takt.shape<["4", "3"]>})
      -> (tensor<12xf32> {takt.name = "y"}) {
    // expected-error @+1 {{has states (split 1) -> (split 0), which its sharding rule does not allow on 3 ranks}}
    %y = takt.reshape %x to <["12"]> : tensor<4x3xf32> -> tensor<12xf32> {takt.stage = 0 : i64,
      takt.operand_states = [#takt.sharding<split 1>], takt.result_states = [#takt.sharding<split 0>]}
    return %y : tensor<12xf32>
  }
}
