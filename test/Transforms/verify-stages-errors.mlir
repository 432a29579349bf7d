// RUN: takt-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(takt-verify-stages)'

module attributes {takt.inputs = ["x"], takt.outputs = ["y"], takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0>, tensor_parallel = 1 : i64}]}} {
  // expected-error @+1 {{is left at module level, expected only stage modules, dimensions and guards}}
  takt.weight @w : tensor<4xf32> #takt.source<"w.bin", 0, 16>
}

// -----

// expected-error @+1 {{channel 0 has no argument in any stage, expected one of each}}
module attributes {takt.inputs = ["x"], takt.outputs = ["y"], takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0>, tensor_parallel = 1 : i64}]}} {
  module @stage0 attributes {takt.stage = 0 : i64, takt.tensor_parallel = 1 : i64} {
    func.func @forward(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>})
        -> (tensor<4xf32> {takt.channel = 0 : i64}) {
      return %x : tensor<4xf32>
    }
  }
}

// -----

// expected-error @+1 {{channel 0 leads from stage 1 to stage 0, expected a later stage}}
module attributes {takt.inputs = ["x"], takt.outputs = ["y"], takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0>, tensor_parallel = 1 : i64},
    {ranks = array<i64: 1>, tensor_parallel = 1 : i64}]}} {
  module @stage0 attributes {takt.stage = 0 : i64, takt.tensor_parallel = 1 : i64} {
    func.func @forward(%x: tensor<4xf32> {takt.channel = 0 : i64, takt.shape = #takt.shape<["4"]>})
        -> (tensor<4xf32> {takt.name = "y"}) {
      return %x : tensor<4xf32>
    }
  }
  module @stage1 attributes {takt.stage = 1 : i64, takt.tensor_parallel = 1 : i64} {
    func.func @forward(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>})
        -> (tensor<4xf32> {takt.channel = 0 : i64}) {
      return %x : tensor<4xf32>
    }
  }
}

// -----

// expected-error @+1 {{model output 'y' is returned 2 times, expected once}}
module attributes {takt.inputs = ["x"], takt.outputs = ["y"], takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0>, tensor_parallel = 1 : i64}]}} {
  module @stage0 attributes {takt.stage = 0 : i64, takt.tensor_parallel = 1 : i64} {
    func.func @forward(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>})
        -> (tensor<4xf32> {takt.name = "y"}, tensor<4xf32> {takt.name = "y"}) {
      return %x, %x : tensor<4xf32>, tensor<4xf32>
    }
  }
}

// -----

// expected-error @+1 {{module has 1 stage modules, expected 2 as in the plan}}
module attributes {takt.inputs = ["x"], takt.outputs = ["y"], takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0>, tensor_parallel = 1 : i64},
    {ranks = array<i64: 1>, tensor_parallel = 1 : i64}]}} {
  module @stage0 attributes {takt.stage = 0 : i64, takt.tensor_parallel = 1 : i64} {
    func.func @forward(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>})
        -> (tensor<4xf32> {takt.name = "y"}) {
      return %x : tensor<4xf32>
    }
  }
}
