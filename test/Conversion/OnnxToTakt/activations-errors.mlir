// RUN: takt-opt %s --split-input-file --takt-legalize --verify-diagnostics

func.func @main(%x: tensor<4xi32> {takt.name = "x", takt.shape = #takt.shape<["4"]>})
    -> (tensor<4xi32> {takt.name = "a"}) {
  // expected-error @below {{Elu node (opset 20) has an integer operand, expected floats; insert a Cast}}
  %a = "onnx.node"(%x) <{op_type = "Elu", domain = "", version = 20 : i64, attrs = {}}> : (tensor<4xi32>) -> tensor<4xi32>
  return %a : tensor<4xi32>
}

// -----

func.func @main(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>}, %s: tensor<2x4xf32> {takt.name = "s", takt.shape = #takt.shape<["2", "4"]>})
    -> (tensor<2x4xf32> {takt.name = "a"}) {
  // expected-error @below {{PRelu node (opset 16) has a slope of higher rank than its input; correct the model}}
  %a = "onnx.node"(%x, %s) <{op_type = "PRelu", domain = "", version = 16 : i64, attrs = {}}> : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %a : tensor<2x4xf32>
}
