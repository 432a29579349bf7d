// RUN: takt-opt %s --split-input-file --takt-verify-simplified --verify-diagnostics

takt.weight @a : tensor<4x8xf32> #takt.source<"w.bin", 0, 128>
func.func @main(%x: tensor<8xf32> {takt.name = "x", takt.shape = #takt.shape<["8"]>}) -> (tensor<8x4xf32> {takt.name = "y", takt.shape = #takt.shape<["8", "4"]>}) {
  %a = takt.weight_read @a : tensor<4x8xf32>
  // expected-error @below {{depends on weights and constants alone, expected it in a weight's initializer; run takt-hoist-weights}}
  %at = takt.transpose %a [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return %at : tensor<8x4xf32>
}

// -----

// What holds after legalize still holds (verify-legalized-errors.mlir).

func.func @main(%x: tensor<8xf32> {takt.name = "x", takt.shape = #takt.shape<["8"]>}) -> (tensor<8xf32> {takt.name = "y", takt.shape = #takt.shape<["8"]>}) {
  // expected-error @below {{is left in @main, expected tensor ops, constants and weight reads only}}
  %y = "onnx.node"(%x) <{op_type = "Relu", domain = "", version = 17 : i64, attrs = {}}> : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
