// RUN: takt-opt %s --split-input-file --takt-legalize --takt-verify-legalized --canonicalize | FileCheck %s

// The mean divides by a constant, or by a size of the request; keepdims is a reshape.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[S:.*]] = takt.reduce "sum" %arg0 axes [1] : tensor<?x4xf32> -> tensor<?xf32>
// CHECK: %[[M:.*]] = arith.divf %[[S]]
// CHECK: takt.reshape %[[M]] to <["n", "1"]>
// CHECK: takt.reduce "sum" %arg0 axes [0] : tensor<?x4xf32> -> tensor<4xf32>
// CHECK: %[[N:.*]] = takt.size_tensor <["n"]> : tensor<i64>
// CHECK: arith.sitofp %[[N]] : tensor<i64> to tensor<f32>
func.func @main(%x: tensor<?x4xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4"]>})
    -> (tensor<?x1xf32> {takt.name = "y"}, tensor<4xf32> {takt.name = "z"}) {
  %axes = arith.constant dense<0> : tensor<1xi64>
  %y = "onnx.node"(%x) <{op_type = "ReduceMean", domain = "", version = 17 : i64, attrs = {axes = array<i64: -1>}}> : (tensor<?x4xf32>) -> tensor<?x1xf32>
  %z = "onnx.node"(%x, %axes) <{op_type = "ReduceMean", domain = "", version = 18 : i64, attrs = {keepdims = 0 : i64}}> : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<4xf32>
  return %y, %z : tensor<?x1xf32>, tensor<4xf32>
}

// -----

// Without axes all dimensions go, unless the node says that it does nothing.

// CHECK-LABEL: func.func @main
// CHECK: takt.reduce "max" %arg0 axes [0, 1] : tensor<2x4xf32> -> tensor<f32>
// CHECK: return %{{.*}}, %arg0
func.func @main(%x: tensor<2x4xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "4"]>})
    -> (tensor<f32> {takt.name = "y"}, tensor<2x4xf32> {takt.name = "z"}) {
  %y = "onnx.node"(%x) <{op_type = "ReduceMax", domain = "", version = 18 : i64, attrs = {keepdims = 0 : i64}}> : (tensor<2x4xf32>) -> tensor<f32>
  %z = "onnx.node"(%x) <{op_type = "ReduceSum", domain = "", version = 18 : i64, attrs = {noop_with_empty_axes = 1 : i64}}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y, %z : tensor<f32>, tensor<2x4xf32>
}

// -----

// Softmax until opset 12 takes all dimensions from its axis on.

// CHECK-LABEL: func.func @main
// CHECK: %[[F:.*]] = takt.reshape %arg0 to <["2", "12"]>
// CHECK: %[[S:.*]] = takt.softmax %[[F]] axis 1
// CHECK: takt.reshape %[[S]] to <["2", "3", "4"]>
// CHECK: takt.softmax %arg0 axis 2 : tensor<2x3x4xf32>
func.func @main(%x: tensor<2x3x4xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "3", "4"]>})
    -> (tensor<2x3x4xf32> {takt.name = "y"}, tensor<2x3x4xf32> {takt.name = "z"}) {
  %y = "onnx.node"(%x) <{op_type = "Softmax", domain = "", version = 11 : i64, attrs = {}}> : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %z = "onnx.node"(%x) <{op_type = "Softmax", domain = "", version = 13 : i64, attrs = {}}> : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %y, %z : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}
