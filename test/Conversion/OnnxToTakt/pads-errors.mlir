// RUN: takt-opt %s --split-input-file --takt-legalize --verify-diagnostics

func.func @main(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>})
    -> (tensor<6xf32> {takt.name = "y"}) {
  %p = arith.constant dense<[1, 1]> : tensor<2xi64>
  // expected-error @below {{Pad node (opset 19) has mode = mirror, expected constant, edge, reflect or wrap}}
  %y = "onnx.node"(%x, %p) <{op_type = "Pad", domain = "", version = 19 : i64, attrs = {mode = "mirror"}}> : (tensor<4xf32>, tensor<2xi64>) -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

func.func @main(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>})
    -> (tensor<5xf32> {takt.name = "y"}) {
  %p = arith.constant dense<[1]> : tensor<1xi64>
  // expected-error @below {{Pad node (opset 19) has 1 pads for 1 dimensions, expected two for each}}
  %y = "onnx.node"(%x, %p) <{op_type = "Pad", domain = "", version = 19 : i64, attrs = {}}> : (tensor<4xf32>, tensor<1xi64>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

func.func @main(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>}, %p: tensor<2xi64> {takt.name = "p", takt.shape = #takt.shape<["2"]>})
    -> (tensor<?xf32> {takt.name = "y"}) {
  // expected-error @below {{Pad node (opset 19) computes its pads from data, expected sizes of tensors and constants}}
  %y = "onnx.node"(%x, %p) <{op_type = "Pad", domain = "", version = 19 : i64, attrs = {}}> : (tensor<4xf32>, tensor<2xi64>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<3xf32> {takt.name = "x", takt.shape = #takt.shape<["3"]>})
    -> (tensor<6xf32> {takt.name = "y"}) {
  %p = arith.constant dense<[3, 0]> : tensor<2xi64>
  // expected-error @below {{Pad node (opset 19) has mode = reflect over a size of 3, expected at least 4}}
  %y = "onnx.node"(%x, %p) <{op_type = "Pad", domain = "", version = 19 : i64, attrs = {mode = "reflect"}}> : (tensor<3xf32>, tensor<2xi64>) -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

func.func @main(%x: tensor<3xf32> {takt.name = "x", takt.shape = #takt.shape<["3"]>})
    -> (tensor<0xf32> {takt.name = "y"}) {
  %p = arith.constant dense<[-5, 0]> : tensor<2xi64>
  // expected-error @below {{Pad node (opset 19) cuts off 5 of 3 elements; correct the model}}
  %y = "onnx.node"(%x, %p) <{op_type = "Pad", domain = "", version = 19 : i64, attrs = {}}> : (tensor<3xf32>, tensor<2xi64>) -> tensor<0xf32>
  return %y : tensor<0xf32>
}
