// RUN: takt-opt %s --split-input-file --takt-legalize --verify-diagnostics

func.func @main(%x: tensor<4xui8> {takt.name = "x", takt.shape = #takt.shape<["4"]>})
    -> (tensor<1xui8> {takt.name = "y"}) {
  // expected-error @below {{ReduceMean node (opset 13) reduces unsigned integers, expected floats or signed integers; insert a Cast}}
  %y = "onnx.node"(%x) <{op_type = "ReduceMean", domain = "", version = 13 : i64, attrs = {}}> : (tensor<4xui8>) -> tensor<1xui8>
  return %y : tensor<1xui8>
}

// -----

func.func @main(%x: tensor<4xi8> {takt.name = "x", takt.shape = #takt.shape<["4"]>})
    -> (tensor<4xi8> {takt.name = "y"}) {
  // expected-error @below {{BitShift node (opset 11) has direction = 'RIGHT', expected LEFT, or RIGHT of unsigned integers}}
  %y = "onnx.node"(%x, %x) <{op_type = "BitShift", domain = "", version = 11 : i64, attrs = {direction = "RIGHT"}}> : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----

func.func @main(%x: tensor<4xui4> {takt.name = "x", takt.shape = #takt.shape<["4"]>})
    -> (tensor<4xf32> {takt.name = "y"}) {
  // expected-error @below {{Cast node (opset 13) casts from or to ui4, expected floats or integers of 8 to 64 bits or bool}}
  %y = "onnx.node"(%x) <{op_type = "Cast", domain = "", version = 13 : i64, attrs = {to = 1 : i64}}> : (tensor<4xui4>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4x4xui8> {takt.name = "x", takt.shape = #takt.shape<["4", "4"]>})
    -> (tensor<4x4xui8> {takt.name = "y"}) {
  // expected-error @below {{Einsum node (opset 12) multiplies unsigned integers; insert a Cast to signed ones}}
  %y = "onnx.node"(%x, %x) <{op_type = "Einsum", domain = "", version = 12 : i64, attrs = {equation = "ij,jk->ik"}}> : (tensor<4x4xui8>, tensor<4x4xui8>) -> tensor<4x4xui8>
  return %y : tensor<4x4xui8>
}

// -----

func.func @main(%x: tensor<4x4xui32> {takt.name = "x", takt.shape = #takt.shape<["4", "4"]>})
    -> (tensor<4x4xui32> {takt.name = "y"}) {
  // expected-error @below {{MatMul node (opset 13)}}
  %y = "onnx.node"(%x, %x) <{op_type = "MatMul", domain = "", version = 13 : i64, attrs = {}}> : (tensor<4x4xui32>, tensor<4x4xui32>) -> tensor<4x4xui32>
  return %y : tensor<4x4xui32>
}
