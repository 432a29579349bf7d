// RUN: takt-opt %s --split-input-file --takt-legalize --verify-diagnostics

func.func @main(%x: tensor<1x3x8xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "3", "8"]>})
    -> (tensor<1x3x7xf32> {takt.name = "a"}) {
  // expected-error @below {{LpPool node (opset 18) has p = 0, expected 1 or more}}
  %a = "onnx.node"(%x) <{op_type = "LpPool", domain = "", version = 18 : i64, attrs = {kernel_shape = array<i64: 2>, p = 0 : i64}}> : (tensor<1x3x8xf32>) -> tensor<1x3x7xf32>
  return %a : tensor<1x3x7xf32>
}

// -----

func.func @main(%x: tensor<1x3x8xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "3", "8"]>})
    -> (tensor<1x3x7xf32> {takt.name = "a"}, tensor<1x3x7xi64> {takt.name = "i"}) {
  // expected-error @below {{MaxPool node (opset 17) has its indices used, expected the first output only}}
  %a, %i = "onnx.node"(%x) <{op_type = "MaxPool", domain = "", version = 17 : i64, attrs = {kernel_shape = array<i64: 2>}}> : (tensor<1x3x8xf32>) -> (tensor<1x3x7xf32>, tensor<1x3x7xi64>)
  return %a, %i : tensor<1x3x7xf32>, tensor<1x3x7xi64>
}

// -----

func.func @main(%x: tensor<1x3x8xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "3", "8"]>})
    -> (tensor<1x3x6xf32> {takt.name = "a"}) {
  // expected-error @below {{MaxPool node (opset 17) has dilations, expected none}}
  %a = "onnx.node"(%x) <{op_type = "MaxPool", domain = "", version = 17 : i64, attrs = {kernel_shape = array<i64: 2>, dilations = array<i64: 2>}}> : (tensor<1x3x8xf32>) -> tensor<1x3x6xf32>
  return %a : tensor<1x3x6xf32>
}

// -----

func.func @main(%x: tensor<1x3x8xi8> {takt.name = "x", takt.shape = #takt.shape<["1", "3", "8"]>})
    -> (tensor<1x3x7xi8> {takt.name = "a"}) {
  // expected-error @below {{MaxPool node (opset 17) computes in another type than float32; insert a Cast}}
  %a = "onnx.node"(%x) <{op_type = "MaxPool", domain = "", version = 17 : i64, attrs = {kernel_shape = array<i64: 2>}}> : (tensor<1x3x8xi8>) -> tensor<1x3x7xi8>
  return %a : tensor<1x3x7xi8>
}

// -----

func.func @main(%x: tensor<1x3x8xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "3", "8"]>})
    -> (tensor<1x3x7xf32> {takt.name = "a"}) {
  // expected-error @below {{AveragePool node (opset 17) has a kernel_shape, strides, dilations or pads of another length than its 1 spatial dimensions ask}}
  %a = "onnx.node"(%x) <{op_type = "AveragePool", domain = "", version = 17 : i64, attrs = {}}> : (tensor<1x3x8xf32>) -> tensor<1x3x7xf32>
  return %a : tensor<1x3x7xf32>
}

// -----

func.func @main(%x: tensor<1x3x8xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "3", "8"]>})
    -> (tensor<1x3x9xf32> {takt.name = "a"}) {
  // expected-error @below {{AveragePool node (opset 17) has pads that are not below its kernel's sizes; correct the model}}
  %a = "onnx.node"(%x) <{op_type = "AveragePool", domain = "", version = 17 : i64, attrs = {kernel_shape = array<i64: 2>, pads = array<i64: 2, 0>}}> : (tensor<1x3x8xf32>) -> tensor<1x3x9xf32>
  return %a : tensor<1x3x9xf32>
}

// -----

takt.dim @n
func.func @main(%x: tensor<1x3x?xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "3", "n"]>})
    -> (tensor<1x3x?xf32> {takt.name = "a"}) {
  // expected-error @below {{AveragePool node (opset 17) has ceil_mode = 1 over a size that depends on the request; bind the dimension with --dim}}
  %a = "onnx.node"(%x) <{op_type = "AveragePool", domain = "", version = 17 : i64, attrs = {kernel_shape = array<i64: 2>, strides = array<i64: 2>, ceil_mode = 1 : i64}}> : (tensor<1x3x?xf32>) -> tensor<1x3x?xf32>
  return %a : tensor<1x3x?xf32>
}

// -----

func.func @main(%x: tensor<1x3x8xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "3", "8"]>})
    -> (tensor<1x3x4xf32> {takt.name = "a"}) {
  // expected-error @below {{AveragePool node (opset 17) has ceil_mode = 1 with count_include_pad = 1, whose last windows count less; pad the input in the export}}
  %a = "onnx.node"(%x) <{op_type = "AveragePool", domain = "", version = 17 : i64, attrs = {kernel_shape = array<i64: 3>, strides = array<i64: 2>, ceil_mode = 1 : i64, count_include_pad = 1 : i64}}> : (tensor<1x3x8xf32>) -> tensor<1x3x4xf32>
  return %a : tensor<1x3x4xf32>
}

// -----

func.func @main(%x: tensor<1x3xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "3"]>})
    -> (tensor<1x3xf32> {takt.name = "a"}) {
  // expected-error @below {{GlobalMaxPool node (opset 17) has an input of rank 2, expected [N, C, spatial..]}}
  %a = "onnx.node"(%x) <{op_type = "GlobalMaxPool", domain = "", version = 17 : i64, attrs = {}}> : (tensor<1x3xf32>) -> tensor<1x3xf32>
  return %a : tensor<1x3xf32>
}
