// RUN: takt-opt %s --split-input-file --takt-legalize --verify-diagnostics

func.func @main(%x: tensor<2x4xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "4"]>})
    -> (tensor<2xf32> {takt.name = "y"}) {
  // expected-error @below {{Einsum node (opset 12) has the equation 'ij->i', expected one term for each of 2 inputs; correct the model}}
  %y = "onnx.node"(%x, %x) <{op_type = "Einsum", domain = "", version = 12 : i64, attrs = {equation = "ij->i"}}> : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2x4xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "4"]>})
    -> (tensor<2xf32> {takt.name = "y"}) {
  // expected-error @below {{Einsum node (opset 12) has the equation 'ijk->i', whose term 0 does not name the dimensions of rank 2; correct the model}}
  %y = "onnx.node"(%x) <{op_type = "Einsum", domain = "", version = 12 : i64, attrs = {equation = "ijk->i"}}> : (tensor<2x4xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2x4xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "4"]>})
    -> (tensor<2x4xf32> {takt.name = "y"}) {
  // expected-error @below {{Einsum node (opset 12) has the equation 'ij->ik', whose result names what its terms do not, or twice; correct the model}}
  %y = "onnx.node"(%x) <{op_type = "Einsum", domain = "", version = 12 : i64, attrs = {equation = "ij->ik"}}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x4xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "4"]>}, %w: tensor<3x2xf32> {takt.name = "w", takt.shape = #takt.shape<["3", "2"]>})
    -> (tensor<2x2xf32> {takt.name = "y"}) {
  // expected-error @below {{Einsum node (opset 12) needs equal sizes under one letter, found 4 and 3; correct the model}}
  %y = "onnx.node"(%x, %w) <{op_type = "Einsum", domain = "", version = 12 : i64, attrs = {equation = "ij,jk->ik"}}> : (tensor<2x4xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
