// RUN: takt-opt %s --split-input-file --takt-verify-legalized --verify-diagnostics

// expected-error @below {{has no function @main of one block}}
module {
}

// -----

module {
  // expected-error @below {{stands in the module, expected dimensions, guards, weights and @main only}}
  module @stage0 {
  }
}

// -----

func.func @main(%x: tensor<8xf32> {takt.name = "x", takt.shape = #takt.shape<["8"]>}) -> (tensor<8xf32> {takt.name = "y", takt.shape = #takt.shape<["8"]>}) {
  // expected-error @below {{is left in @main, expected tensor ops, constants and weight reads only}}
  %y = "onnx.node"(%x) <{op_type = "Relu", domain = "", version = 17 : i64, attrs = {}}> : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// expected-error @below {{argument 0 has no attribute 'takt.name'}}
func.func @main(%x: tensor<8xf32> {takt.shape = #takt.shape<["8"]>}) -> (tensor<8xf32> {takt.name = "y", takt.shape = #takt.shape<["8"]>}) {
  return %x : tensor<8xf32>
}

// -----

// expected-error @below {{result 0 has no attribute 'takt.shape'}}
func.func @main(%x: tensor<8xf32> {takt.name = "x", takt.shape = #takt.shape<["8"]>}) -> (tensor<8xf32> {takt.name = "y"}) {
  return %x : tensor<8xf32>
}

// -----

func.func @main(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>}) -> (tensor<9xf32> {takt.name = "y", takt.shape = #takt.shape<["9"]>}) {
  // expected-error @below {{has type 'tensor<9xf32>', but its sizes are [8]}}
  %y = takt.concat %x, %x axis 0 : tensor<4xf32>, tensor<4xf32> -> tensor<9xf32>
  return %y : tensor<9xf32>
}
