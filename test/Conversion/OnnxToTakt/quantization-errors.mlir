// RUN: takt-opt %s --split-input-file --takt-legalize --verify-diagnostics

func.func @main(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>}, %s: tensor<f32> {takt.name = "s", takt.shape = #takt.shape<[]>}, %z: tensor<i32> {takt.name = "z", takt.shape = #takt.shape<[]>})
    -> (tensor<4xi32> {takt.name = "y"}) {
  // expected-error @below {{QuantizeLinear node (opset 13) quantises to another type than integers of 8 or 16 bits}}
  %y = "onnx.node"(%x, %s, %z) <{op_type = "QuantizeLinear", domain = "", version = 13 : i64, attrs = {}}> : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

func.func @main(%x: tensor<2x4xi8> {takt.name = "x", takt.shape = #takt.shape<["2", "4"]>}, %s: tensor<2x2xf32> {takt.name = "s", takt.shape = #takt.shape<["2", "2"]>})
    -> (tensor<2x4xf32> {takt.name = "y"}) {
  // expected-error @below {{DequantizeLinear node (opset 21) has parameters of shape [2, 2] with block_size 0, expected one number, a vector or blocks}}
  %y = "onnx.node"(%x, %s) <{op_type = "DequantizeLinear", domain = "", version = 21 : i64, attrs = {}}> : (tensor<2x4xi8>, tensor<2x2xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x4xi8> {takt.name = "x", takt.shape = #takt.shape<["2", "4"]>}, %s: tensor<3xf32> {takt.name = "s", takt.shape = #takt.shape<["3"]>})
    -> (tensor<2x4xf32> {takt.name = "y"}) {
  // expected-error @below {{DequantizeLinear node (opset 13) needs one parameter per position, found 3 and 4; correct the model}}
  %y = "onnx.node"(%x, %s) <{op_type = "DequantizeLinear", domain = "", version = 13 : i64, attrs = {}}> : (tensor<2x4xi8>, tensor<3xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
