// RUN: takt-opt %s --split-input-file --takt-legalize --verify-diagnostics

func.func @main(%x: tensor<3x4xf32> {takt.name = "x", takt.shape = #takt.shape<["3", "4"]>}, %i: tensor<2xi64> {takt.name = "i", takt.shape = #takt.shape<["2"]>})
    -> (tensor<2xf32> {takt.name = "y"}) {
  // expected-error @below {{GatherElements node (opset 13) has indices of rank 1 for data of rank 2, expected equal ranks; correct the model}}
  %y = "onnx.node"(%x, %i) <{op_type = "GatherElements", domain = "", version = 13 : i64, attrs = {}}> : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<1x6x2x3xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "6", "2", "3"]>})
    -> (tensor<1x1x4x6xf32> {takt.name = "a"}) {
  // expected-error @below {{DepthToSpace node (opset 13) has 6 channels, expected a multiple of the square of its blocksize; correct the model}}
  %a = "onnx.node"(%x) <{op_type = "DepthToSpace", domain = "", version = 13 : i64, attrs = {blocksize = 2 : i64}}> : (tensor<1x6x2x3xf32>) -> tensor<1x1x4x6xf32>
  return %a : tensor<1x1x4x6xf32>
}

// -----

func.func @main(%x: tensor<1x6x2x3xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "6", "2", "3"]>})
    -> (tensor<1x24x1x1xf32> {takt.name = "a"}) {
  // expected-error @below {{SpaceToDepth node (opset 13) needs a width of whole blocks, found 2 and 3; correct the model}}
  %a = "onnx.node"(%x) <{op_type = "SpaceToDepth", domain = "", version = 13 : i64, attrs = {blocksize = 2 : i64}}> : (tensor<1x6x2x3xf32>) -> tensor<1x24x1x1xf32>
  return %a : tensor<1x24x1x1xf32>
}
