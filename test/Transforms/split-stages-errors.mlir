// RUN: takt-opt %s -split-input-file -verify-diagnostics -takt-split-stages

// expected-error @+1 {{module has no function @main to split into stages}}
module {
}

// -----

// expected-error @+1 {{module has no 'takt.plan'; run takt-plan before this pass}}
module {
  func.func @main(%x: tensor<4xf32> {takt.name = "x"}) -> (tensor<4xf32> {takt.name = "y"}) {
    return %x : tensor<4xf32>
  }
}

// -----

// expected-error @+1 {{stage 1 has rank 0, expected 1: ranks are numbered in order of stage and shard}}
module attributes {takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0>, tensor_parallel = 1 : i64},
    {ranks = array<i64: 0>, tensor_parallel = 1 : i64}]}} {
  func.func @main(%x: tensor<4xf32> {takt.name = "x"}) -> (tensor<4xf32> {takt.name = "y"}) {
    return %x : tensor<4xf32>
  }
}

// -----

module attributes {takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0>, tensor_parallel = 1 : i64}]}} {
  func.func @main(%x: tensor<4xf32> {takt.name = "x"}) -> (tensor<4xf32> {takt.name = "y"}) {
    // expected-error @+1 {{has stage 3, expected one from 0 to 0; run takt-plan before this pass}}
    %y = math.exp %x {takt.stage = 3 : i64} : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}

// -----

module attributes {takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0>, tensor_parallel = 1 : i64},
    {ranks = array<i64: 1>, tensor_parallel = 1 : i64}]}} {
  func.func @main(%x: tensor<4xf32> {takt.name = "x"}) -> (tensor<4xf32> {takt.name = "z"}) {
    %y = math.exp %x {takt.stage = 1 : i64} : tensor<4xf32>
    // expected-error @+1 {{in stage 0 uses a value of stage 1; stages must not fall along a use}}
    %z = math.exp %y {takt.stage = 0 : i64} : tensor<4xf32>
    return %z : tensor<4xf32>
  }
}

// -----

module attributes {takt.plan = {data_parallel = 1 : i64, idle_ranks = 0 : i64, stages = [
    {ranks = array<i64: 0>, tensor_parallel = 1 : i64}]}} {
  // expected-error @+1 {{argument 0 has no 'takt.name', expected a port's name}}
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {takt.name = "z"}) {
    return %x : tensor<4xf32>
  }
}
