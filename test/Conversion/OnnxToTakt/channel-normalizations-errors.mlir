// RUN: takt-opt %s --split-input-file --takt-legalize --verify-diagnostics

func.func @main(%x: tensor<2x4x9xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "4", "9"]>}, %s: tensor<4xf32> {takt.name = "s", takt.shape = #takt.shape<["4"]>})
    -> (tensor<2x4x9xf32> {takt.name = "y"}) {
  // expected-error @below {{BatchNormalization node (opset 15) is in training mode, expected inference; export the model for inference}}
  %y = "onnx.node"(%x, %s, %s, %s, %s) <{op_type = "BatchNormalization", domain = "", version = 15 : i64, attrs = {training_mode = 1 : i64}}> : (tensor<2x4x9xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x9xf32>
  return %y : tensor<2x4x9xf32>
}

// -----

func.func @main(%x: tensor<2x3x9xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "3", "9"]>}, %s: tensor<4xf32> {takt.name = "s", takt.shape = #takt.shape<["4"]>})
    -> (tensor<2x3x9xf32> {takt.name = "y"}) {
  // expected-error @below {{BatchNormalization node (opset 15) needs parameters with one number per channel, found 4 and 3; correct the model}}
  %y = "onnx.node"(%x, %s, %s, %s, %s) <{op_type = "BatchNormalization", domain = "", version = 15 : i64, attrs = {}}> : (tensor<2x3x9xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x9xf32>
  return %y : tensor<2x3x9xf32>
}

// -----

func.func @main(%x: tensor<2x4x9xf16> {takt.name = "x", takt.shape = #takt.shape<["2", "4", "9"]>}, %s: tensor<4xf32> {takt.name = "s", takt.shape = #takt.shape<["4"]>})
    -> (tensor<2x4x9xf16> {takt.name = "y"}) {
  // expected-error @below {{BatchNormalization node (opset 15) has parameters that are no vectors of the input's type; correct the model}}
  %y = "onnx.node"(%x, %s, %s, %s, %s) <{op_type = "BatchNormalization", domain = "", version = 15 : i64, attrs = {}}> : (tensor<2x4x9xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x9xf16>
  return %y : tensor<2x4x9xf16>
}

// -----

func.func @main(%x: tensor<2x4xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "4"]>}, %s: tensor<4xf32> {takt.name = "s", takt.shape = #takt.shape<["4"]>})
    -> (tensor<2x4xf32> {takt.name = "y"}) {
  // expected-error @below {{InstanceNormalization node (opset 17) normalises [2, 4], expected floats [N, C, spatial..]}}
  %y = "onnx.node"(%x, %s, %s) <{op_type = "InstanceNormalization", domain = "", version = 17 : i64, attrs = {}}> : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x8x5xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "8", "5"]>}, %s: tensor<8xf32> {takt.name = "s", takt.shape = #takt.shape<["8"]>})
    -> (tensor<2x8x5xf32> {takt.name = "y"}) {
  // expected-error @below {{GroupNormalization node (opset 21) normalises [2, 8, 5] in 3 groups; expected floats [N, C, spatial..] with C a multiple of the groups}}
  %y = "onnx.node"(%x, %s, %s) <{op_type = "GroupNormalization", domain = "", version = 21 : i64, attrs = {num_groups = 3 : i64}}> : (tensor<2x8x5xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x5xf32>
  return %y : tensor<2x8x5xf32>
}

// -----

func.func @main(%x: tensor<2x4x9xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "4", "9"]>}, %s: tensor<f32> {takt.name = "s", takt.shape = #takt.shape<[]>})
    -> (tensor<2x4x9xf32> {takt.name = "y"}) {
  // expected-error @below {{GroupNormalization node (opset 21) has parameters that are no vectors of the input's type; correct the model}}
  %y = "onnx.node"(%x, %s, %s) <{op_type = "GroupNormalization", domain = "", version = 21 : i64, attrs = {num_groups = 2 : i64}}> : (tensor<2x4x9xf32>, tensor<f32>, tensor<f32>) -> tensor<2x4x9xf32>
  return %y : tensor<2x4x9xf32>
}
