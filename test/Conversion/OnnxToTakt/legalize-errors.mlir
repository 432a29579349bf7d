// RUN: takt-opt %s --split-input-file --takt-legalize --verify-diagnostics

// All unsupported nodes are reported at once, those of subgraphs too.

// expected-error @below {{3 of 4 nodes are not supported}}
module {
  func.func @main(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>}) -> (tensor<4xf32> {takt.name = "y"}) {
    %c = arith.constant dense<true> : tensor<i1>
    %a = "onnx.node"(%x) <{op_type = "Relu", domain = "", version = 17 : i64, attrs = {}}> : (tensor<4xf32>) -> tensor<4xf32>
    %b = "onnx.node"(%a) <{op_type = "FancyGate", domain = "com.acme", version = 1 : i64, attrs = {}}> : (tensor<4xf32>) -> tensor<4xf32>
    %y = "onnx.node"(%c) <{op_type = "If", domain = "", version = 17 : i64, attrs = {}, region_names = ["then_branch"]}> ({
      %i = "onnx.node"(%b) <{op_type = "RoiPool", domain = "", version = 17 : i64, attrs = {}}> : (tensor<4xf32>) -> tensor<4xf32>
      "onnx.yield"(%i) : (tensor<4xf32>) -> ()
    }) : (tensor<i1>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}

// -----

func.func @main(%x: tensor<4x3xf32> {takt.name = "x", takt.shape = #takt.shape<["4", "3"]>}, %w: tensor<4x5xf32> {takt.name = "w", takt.shape = #takt.shape<["4", "5"]>}) -> (tensor<4x5xf32> {takt.name = "y"}) {
  // expected-error @below {{MatMul node (opset 17) needs equal inner sizes, found 3 and 4; correct the model}}
  %y = "onnx.node"(%x, %w) <{op_type = "MatMul", domain = "", version = 17 : i64, attrs = {}}> : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}

// -----

func.func @main(%x: tensor<4x3xf32> {takt.name = "x", takt.shape = #takt.shape<["4", "3"]>}) -> (tensor<4x3xf32> {takt.name = "y"}) {
  // expected-error @below {{Softmax node (opset 17) has axis 2, expected one of a tensor of rank 2; correct the model}}
  %y = "onnx.node"(%x) <{op_type = "Softmax", domain = "", version = 17 : i64, attrs = {axis = 2 : i64}}> : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

takt.dim @n
func.func @main(%x: tensor<?xf32> {takt.name = "x", takt.shape = #takt.shape<["n"]>}, %s: tensor<1xi64> {takt.name = "s", takt.shape = #takt.shape<["1"]>}) -> (tensor<?xf32> {takt.name = "y"}) {
  // expected-error @below {{Reshape node (opset 17) computes its shape from data}}
  %y = "onnx.node"(%x, %s) <{op_type = "Reshape", domain = "", version = 17 : i64, attrs = {}}> : (tensor<?xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<4xui4> {takt.name = "x", takt.shape = #takt.shape<["4"]>}) -> (tensor<4xui4> {takt.name = "y"}) {
  // expected-error @below {{Add node (opset 17) computes with ui4, expected floats or integers of 8 to 64 bits; insert a Cast}}
  %y = "onnx.node"(%x, %x) <{op_type = "Add", domain = "", version = 17 : i64, attrs = {}}> : (tensor<4xui4>, tensor<4xui4>) -> tensor<4xui4>
  return %y : tensor<4xui4>
}

// -----

// expected-error @below {{output 'y' has size 4 in dimension 0, but is declared with 5; correct the model}}
func.func @main(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>}) -> (tensor<5xf32> {takt.name = "y", takt.shape = #takt.shape<["5"]>}) {
  %y = "onnx.node"(%x) <{op_type = "Relu", domain = "", version = 17 : i64, attrs = {}}> : (tensor<4xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

func.func @main(%x: tensor<4x3xf32> {takt.name = "x", takt.shape = #takt.shape<["4", "3"]>}) -> (tensor<4x3xf32> {takt.name = "y"}) {
  %none = "onnx.none"() : () -> none
  // expected-error @below {{Where node (opset 17) leaves input 0 empty, expected a tensor; correct the model}}
  %y = "onnx.node"(%none, %x, %x) <{op_type = "Where", domain = "", version = 17 : i64, attrs = {}}> : (none, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

// expected-error @below {{has no function @main with a body; import a model first}}
module {}
