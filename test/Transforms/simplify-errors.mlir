// RUN: takt-opt %s --split-input-file --takt-verify-simplified --verify-diagnostics

takt.weight @a : tensor<4x8xf32> #takt.source<"w.bin", 0, 128>
func.func @main(%x: tensor<8xf32> {takt.name = "x", takt.shape = #takt.shape<["8"]>}) -> (tensor<8x4xf32> {takt.name = "y", takt.shape = #takt.shape<["8", "4"]>}) {
  %a = takt.weight_read @a : tensor<4x8xf32>
  // expected-error @below {{depends on weights and constants alone, expected it in a weight's initializer; run takt-hoist-weights}}
  %at = takt.transpose %a [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return %at : tensor<8x4xf32>
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

func.func @main(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>}) -> (tensor<9xf32> {takt.name = "y", takt.shape = #takt.shape<["9"]>}) {
  // expected-error @below {{has type 'tensor<9xf32>', but its sizes are [8]}}
  %y = takt.concat %x, %x axis 0 : tensor<4xf32>, tensor<4xf32> -> tensor<9xf32>
  return %y : tensor<9xf32>
}
