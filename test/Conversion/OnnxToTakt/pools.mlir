// RUN: takt-opt %s --split-input-file --takt-legalize --takt-verify-legalized --canonicalize | FileCheck %s

// Pools run channels last. A last window of ceil_mode gets the padding that it lacks.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = takt.transpose %arg0 [0, 2, 1]
// CHECK: %[[Y:.*]] = takt.pool "max" %[[X]] kernel [3] strides [2] pads [1], [1]
// CHECK: takt.transpose %[[Y]] [0, 2, 1]
// CHECK: takt.pool "max" {{.*}} kernel [3] strides [2] pads [0], [1]
func.func @main(%x: tensor<?x3x8xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "3", "8"]>})
    -> (tensor<?x3x4xf32> {takt.name = "a"}, tensor<?x3x4xf32> {takt.name = "b"}) {
  %a = "onnx.node"(%x) <{op_type = "MaxPool", domain = "", version = 17 : i64, attrs = {kernel_shape = array<i64: 3>, strides = array<i64: 2>, pads = array<i64: 1, 1>}}> : (tensor<?x3x8xf32>) -> tensor<?x3x4xf32>
  %b = "onnx.node"(%x) <{op_type = "MaxPool", domain = "", version = 17 : i64, attrs = {kernel_shape = array<i64: 3>, strides = array<i64: 2>, ceil_mode = 1 : i64}}> : (tensor<?x3x8xf32>) -> tensor<?x3x4xf32>
  return %a, %b : tensor<?x3x4xf32>, tensor<?x3x4xf32>
}

// -----

// The mean counts the padding only where the node says so.

// CHECK-LABEL: func.func @main
// CHECK: takt.pool "average" {{.*}} kernel [3] strides [1] pads [1], [1]
// CHECK: takt.pool "average_include_pad" {{.*}} kernel [3] strides [1] pads [1], [1]
func.func @main(%x: tensor<1x3x8xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "3", "8"]>})
    -> (tensor<1x3x8xf32> {takt.name = "a"}, tensor<1x3x8xf32> {takt.name = "b"}) {
  %a = "onnx.node"(%x) <{op_type = "AveragePool", domain = "", version = 17 : i64, attrs = {kernel_shape = array<i64: 3>, pads = array<i64: 1, 1>}}> : (tensor<1x3x8xf32>) -> tensor<1x3x8xf32>
  %b = "onnx.node"(%x) <{op_type = "AveragePool", domain = "", version = 17 : i64, attrs = {kernel_shape = array<i64: 3>, pads = array<i64: 1, 1>, count_include_pad = 1 : i64}}> : (tensor<1x3x8xf32>) -> tensor<1x3x8xf32>
  return %a, %b : tensor<1x3x8xf32>, tensor<1x3x8xf32>
}

// -----

// Over the whole plane a pool is a reduction, of any size.

takt.dim @h
takt.dim @w
// CHECK-LABEL: func.func @main
// CHECK: takt.reduce "max" %arg0 axes [2, 3] : tensor<1x3x?x?xf32> -> tensor<1x3xf32>
// CHECK: %[[S:.*]] = takt.reduce "sum" %arg0 axes [2, 3]
// CHECK: takt.size_tensor <["h*w"]>
// CHECK: %[[M:.*]] = arith.divf %[[S]]
// CHECK: takt.reshape %[[M]] to <["1", "3", "1", "1"]>
func.func @main(%x: tensor<1x3x?x?xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "3", "h", "w"]>})
    -> (tensor<1x3x1x1xf32> {takt.name = "a"}, tensor<1x3x1x1xf32> {takt.name = "b"}) {
  %a = "onnx.node"(%x) <{op_type = "GlobalMaxPool", domain = "", version = 17 : i64, attrs = {}}> : (tensor<1x3x?x?xf32>) -> tensor<1x3x1x1xf32>
  %b = "onnx.node"(%x) <{op_type = "GlobalAveragePool", domain = "", version = 17 : i64, attrs = {}}> : (tensor<1x3x?x?xf32>) -> tensor<1x3x1x1xf32>
  return %a, %b : tensor<1x3x1x1xf32>, tensor<1x3x1x1xf32>
}

// -----

// The norm of a window is a mean times its number of elements.

// CHECK-LABEL: func.func @main
// CHECK: %[[Q:.*]] = arith.mulf %arg0, %arg0
// CHECK: %[[X:.*]] = takt.transpose %[[Q]] [0, 2, 1]
// CHECK: %[[P:.*]] = takt.pool "average_include_pad" %[[X]] kernel [4] strides [1] pads [0], [0]
// CHECK: %[[Y:.*]] = takt.transpose %[[P]] [0, 2, 1]
// CHECK: %[[S:.*]] = arith.mulf %[[Y]]
// CHECK: math.sqrt %[[S]]
func.func @main(%x: tensor<1x3x8xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "3", "8"]>})
    -> (tensor<1x3x5xf32> {takt.name = "a"}) {
  %a = "onnx.node"(%x) <{op_type = "LpPool", domain = "", version = 18 : i64, attrs = {kernel_shape = array<i64: 4>, p = 2 : i64}}> : (tensor<1x3x8xf32>) -> tensor<1x3x5xf32>
  return %a : tensor<1x3x5xf32>
}
