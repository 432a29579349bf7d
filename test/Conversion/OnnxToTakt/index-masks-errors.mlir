// RUN: takt-opt %s --split-input-file --takt-legalize --verify-diagnostics

func.func @main(%x: tensor<3xf32> {takt.name = "x", takt.shape = #takt.shape<["3"]>})
    -> (tensor<3xf32> {takt.name = "y"}) {
  // expected-error @below {{Trilu node (opset 14) has an input of rank 1, expected matrices; correct the model}}
  %y = "onnx.node"(%x) <{op_type = "Trilu", domain = "", version = 14 : i64, attrs = {}}> : (tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @main(%i: tensor<3xi32> {takt.name = "i", takt.shape = #takt.shape<["3"]>}, %d: tensor<i64> {takt.name = "d", takt.shape = #takt.shape<[]>}, %v: tensor<2xf32> {takt.name = "v", takt.shape = #takt.shape<["2"]>})
    -> (tensor<3x?xf32> {takt.name = "y"}) {
  // expected-error @below {{OneHot node (opset 11) computes its depth from data, expected a size or a constant}}
  %y = "onnx.node"(%i, %d, %v) <{op_type = "OneHot", domain = "", version = 11 : i64, attrs = {}}> : (tensor<3xi32>, tensor<i64>, tensor<2xf32>) -> tensor<3x?xf32>
  return %y : tensor<3x?xf32>
}

// -----

func.func @main(%i: tensor<3xi32> {takt.name = "i", takt.shape = #takt.shape<["3"]>}, %v: tensor<3xf32> {takt.name = "v", takt.shape = #takt.shape<["3"]>})
    -> (tensor<3x5xf32> {takt.name = "y"}) {
  %d = arith.constant dense<5> : tensor<i64>
  // expected-error @below {{OneHot node (opset 11) has values of shape [3], expected [2], off and on; correct the model}}
  %y = "onnx.node"(%i, %d, %v) <{op_type = "OneHot", domain = "", version = 11 : i64, attrs = {}}> : (tensor<3xi32>, tensor<i64>, tensor<3xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// -----

func.func @main(%x: tensor<3xf32> {takt.name = "x", takt.shape = #takt.shape<["3"]>}, %a: tensor<i64> {takt.name = "a", takt.shape = #takt.shape<[]>})
    -> (tensor<3xf32> {takt.name = "y"}) {
  // expected-error @below {{CumSum node (opset 14) computes its axis from data, expected a constant}}
  %y = "onnx.node"(%x, %a) <{op_type = "CumSum", domain = "", version = 14 : i64, attrs = {}}> : (tensor<3xf32>, tensor<i64>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
