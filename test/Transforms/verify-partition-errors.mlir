// RUN: takt-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(takt-verify-partition)'

module attributes {takt.inputs = ["x"], takt.outputs = ["y"], takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0, 1>, tensor_parallel = 2 : i64}]}} {
  module @stage0 attributes {takt.stage = 0 : i64, takt.tensor_parallel = 2 : i64} {
    func.func @forward(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>, takt.sharding = #takt.sharding<replicated>})
        -> (tensor<4xf32> {takt.name = "y", takt.sharding = #takt.sharding<replicated>}) {
      // expected-error @+1 {{joins 3 ranks in a stage of 2, expected all of them}}
      %y = takt.all_reduce %x ways 3 : tensor<4xf32> -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
  }
  takt.rank 0 replica 0 stage 0 shard 0 ["forward"]
  takt.rank 1 replica 0 stage 0 shard 1 ["forward"]
}

// -----

module attributes {takt.inputs = ["x"], takt.outputs = ["y"], takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0, 1>, tensor_parallel = 2 : i64}]}} {
  module @stage0 attributes {takt.stage = 0 : i64, takt.tensor_parallel = 2 : i64} {
    func.func @forward(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>, takt.sharding = #takt.sharding<replicated>})
        -> (tensor<4xf32> {takt.name = "y", takt.sharding = #takt.sharding<replicated>}) {
      // expected-error @+1 {{still has 'takt.operand_states'}}
      %y = math.exp %x {takt.operand_states = [#takt.sharding<replicated>]} : tensor<4xf32>
      return %y : tensor<4xf32>
    }
  }
  takt.rank 0 replica 0 stage 0 shard 0 ["forward"]
  takt.rank 1 replica 0 stage 0 shard 1 ["forward"]
}

// -----

module attributes {takt.inputs = ["x"], takt.outputs = ["y"], takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0, 1>, tensor_parallel = 2 : i64}]}} {
  module @stage0 attributes {takt.stage = 0 : i64, takt.tensor_parallel = 2 : i64} {
    func.func @forward(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>, takt.sharding = #takt.sharding<replicated>})
        -> (tensor<4xf32> {takt.name = "y", takt.sharding = #takt.sharding<replicated>}) {
      // expected-error @+1 {{has a size over 'unknown', expected a takt.dim or 'shard'}}
      %y = takt.slice %x from <["unknown"]> sizes <["4"]> strides [1] : tensor<4xf32> -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
  }
  takt.rank 0 replica 0 stage 0 shard 0 ["forward"]
  takt.rank 1 replica 0 stage 0 shard 1 ["forward"]
}

// -----

module attributes {takt.inputs = ["x"], takt.outputs = ["y"], takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0, 1>, tensor_parallel = 2 : i64}]}} {
  module @stage0 attributes {takt.stage = 0 : i64, takt.tensor_parallel = 2 : i64} {
    func.func @forward(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>, takt.sharding = #takt.sharding<replicated>})
        -> (tensor<4xf32> {takt.name = "y", takt.sharding = #takt.sharding<replicated>}) {
      // expected-error @+1 {{has type 'tensor<4xf32>', but its operands give [8]}}
      %y = takt.all_gather %x axis 0 ways 2 : tensor<4xf32> -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
  }
  takt.rank 0 replica 0 stage 0 shard 0 ["forward"]
  takt.rank 1 replica 0 stage 0 shard 1 ["forward"]
}

// -----

// A rank whose part is negative would skip the sum that the other one waits in.
module attributes {takt.inputs = ["x"], takt.outputs = ["y"], takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0, 1>, tensor_parallel = 2 : i64}]}} {
  module @stage0 attributes {takt.stage = 0 : i64, takt.tensor_parallel = 2 : i64} {
    func.func @forward(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>, takt.sharding = #takt.sharding<replicated>})
        -> (tensor<4xf32> {takt.name = "y", takt.sharding = #takt.sharding<replicated>}) {
      %zero = arith.constant dense<0.0> : tensor<f32>
      %part = takt.slice %x from <["2*shard"]> sizes <["2"]> strides [1] : tensor<4xf32> -> tensor<2xf32>
      %largest = takt.reduce "max" %part axes [0] : tensor<2xf32> -> tensor<f32>
      %test = arith.cmpf ogt, %largest, %zero : tensor<f32>
      %condition = tensor.extract %test[] : tensor<i1>
      %y = scf.if %condition -> tensor<4xf32> {
        // expected-error @+1 {{stands in a region of 'scf.if' whose operand may differ between the stage's ranks}}
        %sum = takt.all_reduce %x ways 2 : tensor<4xf32> -> tensor<4xf32>
        scf.yield %sum : tensor<4xf32>
      } else {
        scf.yield %x : tensor<4xf32>
      }
      return %y : tensor<4xf32>
    }
  }
  takt.rank 0 replica 0 stage 0 shard 0 ["forward"]
  takt.rank 1 replica 0 stage 0 shard 1 ["forward"]
}

// -----

module attributes {takt.inputs = ["x"], takt.outputs = ["y"], takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0>, tensor_parallel = 1 : i64},
    {ranks = array<i64: 1>, tensor_parallel = 1 : i64}]}} {
  module @stage0 attributes {takt.stage = 0 : i64, takt.tensor_parallel = 1 : i64} {
    func.func @forward(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>, takt.sharding = #takt.sharding<replicated>})
        -> (tensor<4xf32> {takt.channel = 0 : i64, takt.sharding = #takt.sharding<replicated>}) {
      return %x : tensor<4xf32>
    }
  }
  module @stage1 attributes {takt.stage = 1 : i64, takt.tensor_parallel = 1 : i64} {
    func.func @forward(%x: tensor<4xf32> {takt.channel = 0 : i64, takt.shape = #takt.shape<["4"]>, takt.sharding = #takt.sharding<replicated>})
        -> (tensor<4xf32> {takt.name = "y", takt.sharding = #takt.sharding<replicated>}) {
      return %x : tensor<4xf32>
    }
  }
  takt.channel 0 value 0 from 0 to 1 depth 2
  takt.rank 0 replica 0 stage 0 shard 0 ["forward", "send 0"]
  // expected-error @+1 {{has instruction 'receive 0' on the wrong side of forward}}
  takt.rank 1 replica 0 stage 1 shard 0 ["forward", "receive 0", "free 0"]
}

// -----

module attributes {takt.inputs = ["x"], takt.outputs = ["y"], takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0>, tensor_parallel = 1 : i64},
    {ranks = array<i64: 1>, tensor_parallel = 1 : i64}]}} {
  module @stage0 attributes {takt.stage = 0 : i64, takt.tensor_parallel = 1 : i64} {
    func.func @forward(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>, takt.sharding = #takt.sharding<replicated>})
        -> (tensor<4xf32> {takt.channel = 0 : i64, takt.sharding = #takt.sharding<replicated>}) {
      return %x : tensor<4xf32>
    }
  }
  module @stage1 attributes {takt.stage = 1 : i64, takt.tensor_parallel = 1 : i64} {
    func.func @forward(%x: tensor<4xf32> {takt.channel = 0 : i64, takt.shape = #takt.shape<["4"]>, takt.sharding = #takt.sharding<replicated>})
        -> (tensor<4xf32> {takt.name = "y", takt.sharding = #takt.sharding<replicated>}) {
      return %x : tensor<4xf32>
    }
  }
  takt.channel 0 value 0 from 0 to 1 depth 2
  // expected-error @+1 {{lacks instruction 'send 0'}}
  takt.rank 0 replica 0 stage 0 shard 0 ["forward"]
  takt.rank 1 replica 0 stage 1 shard 0 ["receive 0", "forward", "free 0"]
}

// -----

module attributes {takt.inputs = ["x"], takt.outputs = ["y"], takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0>, tensor_parallel = 1 : i64},
    {ranks = array<i64: 1>, tensor_parallel = 1 : i64}]}} {
  module @stage0 attributes {takt.stage = 0 : i64, takt.tensor_parallel = 1 : i64} {
    func.func @forward(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>, takt.sharding = #takt.sharding<replicated>})
        -> (tensor<4xf32> {takt.channel = 0 : i64, takt.sharding = #takt.sharding<replicated>}) {
      return %x : tensor<4xf32>
    }
  }
  module @stage1 attributes {takt.stage = 1 : i64, takt.tensor_parallel = 1 : i64} {
    func.func @forward(%x: tensor<4xf32> {takt.channel = 0 : i64, takt.shape = #takt.shape<["4"]>, takt.sharding = #takt.sharding<replicated>})
        -> (tensor<4xf32> {takt.name = "y", takt.sharding = #takt.sharding<replicated>}) {
      return %x : tensor<4xf32>
    }
  }
  // expected-error @+1 {{leads from stage 1 shard 0 to stage 0, expected from stage 0 shard 0 of the same replica to stage 1}}
  takt.channel 0 value 0 from 1 to 0 depth 2
  takt.rank 0 replica 0 stage 0 shard 0 ["forward", "send 0"]
  takt.rank 1 replica 0 stage 1 shard 0 ["receive 0", "forward", "free 0"]
}

// -----

module attributes {takt.inputs = ["x"], takt.outputs = ["y"], takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0>, tensor_parallel = 1 : i64},
    {ranks = array<i64: 1>, tensor_parallel = 1 : i64}]}} {
  module @stage0 attributes {takt.stage = 0 : i64, takt.tensor_parallel = 1 : i64} {
    func.func @forward(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>, takt.sharding = #takt.sharding<replicated>})
        -> (tensor<4xf32> {takt.channel = 0 : i64, takt.sharding = #takt.sharding<replicated>}) {
      return %x : tensor<4xf32>
    }
  }
  module @stage1 attributes {takt.stage = 1 : i64, takt.tensor_parallel = 1 : i64} {
    func.func @forward(%x: tensor<4xf32> {takt.channel = 0 : i64, takt.shape = #takt.shape<["4"]>, takt.sharding = #takt.sharding<replicated>})
        -> (tensor<4xf32> {takt.name = "y", takt.sharding = #takt.sharding<replicated>}) {
      return %x : tensor<4xf32>
    }
  }
  takt.rank 0 replica 0 stage 0 shard 0 ["forward"]
  // expected-error @+1 {{has no channel for value 0, which its stage receives}}
  takt.rank 1 replica 0 stage 1 shard 0 ["forward"]
}

// -----

module attributes {takt.inputs = ["x"], takt.outputs = ["y"], takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0>, tensor_parallel = 1 : i64},
    {ranks = array<i64: 1>, tensor_parallel = 1 : i64}]}} {
  module @stage0 attributes {takt.stage = 0 : i64, takt.tensor_parallel = 1 : i64} {
    func.func @forward(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>, takt.sharding = #takt.sharding<replicated>})
        -> (tensor<4xf32> {takt.channel = 0 : i64, takt.sharding = #takt.sharding<replicated>}) {
      return %x : tensor<4xf32>
    }
  }
  module @stage1 attributes {takt.stage = 1 : i64, takt.tensor_parallel = 1 : i64} {
    func.func @forward(%x: tensor<4xf32> {takt.channel = 0 : i64, takt.shape = #takt.shape<["4"]>, takt.sharding = #takt.sharding<replicated>})
        -> (tensor<4xf32> {takt.name = "y", takt.sharding = #takt.sharding<replicated>}) {
      return %x : tensor<4xf32>
    }
  }
  takt.channel 0 value 0 from 0 to 1 depth 2
  takt.rank 0 replica 0 stage 0 shard 0 ["forward", "send 0"]
  // expected-error @+1 {{is not the next of the plan's ranks: expected 1 replica 0 stage 1 shard 0}}
  takt.rank 1 replica 0 stage 0 shard 0 ["receive 0", "forward", "free 0"]
}
