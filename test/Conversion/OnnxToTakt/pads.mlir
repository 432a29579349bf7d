// RUN: takt-opt %s --split-input-file --takt-legalize --takt-verify-legalized --canonicalize | FileCheck %s

// A constant stands beside the tensor; a negative pad cuts off.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[R:.*]] = takt.concat %arg0, %{{.*}} axis 0 : tensor<?x4xf32>, tensor<1x4xf32>
// CHECK: %[[S:.*]] = takt.slice %[[R]] from <["0", "0"]> sizes <["n + 1", "3"]>
// CHECK: takt.concat %{{.*}}, %[[S]] axis 1 : tensor<?x2xf32>, tensor<?x3xf32>
func.func @main(%x: tensor<?x4xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4"]>})
    -> (tensor<?x5xf32> {takt.name = "y"}) {
  %p = arith.constant dense<[0, 2, 1, -1]> : tensor<4xi64>
  %y = "onnx.node"(%x, %p) <{op_type = "Pad", domain = "", version = 19 : i64, attrs = {}}> : (tensor<?x4xf32>, tensor<4xi64>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// -----

// Repeated borders are slices: reflect reads backwards, without the edge itself, and
// asks for enough elements.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = takt.slice %arg0 from <["2"]> sizes <["2"]> strides [-1]
// CHECK: %[[B:.*]] = takt.slice %arg0 from <["n - 2"]> sizes <["1"]> strides [-1]
// CHECK: takt.concat %[[A]], %arg0, %[[B]] axis 0
// CHECK: %[[F:.*]] = takt.slice %arg0 from <["0"]> sizes <["1"]>
// CHECK: takt.broadcast %[[F]] dims [0] to <["2"]>
// CHECK: takt.slice %arg0 from <["n - 1"]> sizes <["1"]>
// CHECK: %[[E:.*]] = takt.slice %arg0 from <["n - 2"]> sizes <["2"]>
// CHECK: %[[S:.*]] = takt.slice %arg0 from <["0"]> sizes <["1"]>
// CHECK: takt.concat %[[E]], %arg0, %[[S]] axis 0
func.func @main(%x: tensor<?xf32> {takt.name = "x", takt.shape = #takt.shape<["n"]>})
    -> (tensor<?xf32> {takt.name = "a"}, tensor<?xf32> {takt.name = "b"}, tensor<?xf32> {takt.name = "c"}) {
  %p = arith.constant dense<[2, 1]> : tensor<2xi64>
  %a = "onnx.node"(%x, %p) <{op_type = "Pad", domain = "", version = 19 : i64, attrs = {mode = "reflect"}}> : (tensor<?xf32>, tensor<2xi64>) -> tensor<?xf32>
  %b = "onnx.node"(%x, %p) <{op_type = "Pad", domain = "", version = 19 : i64, attrs = {mode = "edge"}}> : (tensor<?xf32>, tensor<2xi64>) -> tensor<?xf32>
  %c = "onnx.node"(%x, %p) <{op_type = "Pad", domain = "", version = 19 : i64, attrs = {mode = "wrap"}}> : (tensor<?xf32>, tensor<2xi64>) -> tensor<?xf32>
  return %a, %b, %c : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// Until opset 10 pads and value are attributes; from 18 on axes may be given.

// CHECK-LABEL: func.func @main
// CHECK: %[[C:.*]] = arith.constant dense<5.000000e+00>
// CHECK: takt.broadcast %[[C]] dims [] to <["2", "3"]>
// CHECK: takt.concat %arg0, %{{.*}} axis 1 : tensor<2x4xf32>, tensor<2x3xf32>
// CHECK: takt.broadcast %[[C]] dims [] to <["2", "3"]>
// CHECK: takt.concat %arg0, %{{.*}} axis 1 : tensor<2x4xf32>, tensor<2x3xf32>
func.func @main(%x: tensor<2x4xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "4"]>})
    -> (tensor<2x7xf32> {takt.name = "a"}, tensor<2x7xf32> {takt.name = "b"}) {
  %p = arith.constant dense<[0, 3]> : tensor<2xi64>
  %v = arith.constant dense<5.0> : tensor<f32>
  %axes = arith.constant dense<-1> : tensor<1xi64>
  %a = "onnx.node"(%x) <{op_type = "Pad", domain = "", version = 10 : i64, attrs = {pads = array<i64: 0, 0, 0, 3>, value = 5.000000e+00 : f32}}> : (tensor<2x4xf32>) -> tensor<2x7xf32>
  %b = "onnx.node"(%x, %p, %v, %axes) <{op_type = "Pad", domain = "", version = 19 : i64, attrs = {}}> : (tensor<2x4xf32>, tensor<2xi64>, tensor<f32>, tensor<1xi64>) -> tensor<2x7xf32>
  return %a, %b : tensor<2x7xf32>, tensor<2x7xf32>
}

// -----

// Exporters reverse the list of pads through a matrix.

// CHECK-LABEL: func.func @main
// CHECK: takt.concat %{{.*}}, %arg0, %{{.*}} axis 1 : tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x1xf32>
func.func @main(%x: tensor<2x4xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "4"]>})
    -> (tensor<2x8xf32> {takt.name = "y"}) {
  %q = arith.constant dense<[[3, 1], [0, 0]]> : tensor<2x2xi64>
  %start = arith.constant dense<-1> : tensor<1xi64>
  %end = arith.constant dense<-9223372036854775808> : tensor<1xi64>
  %axes = arith.constant dense<0> : tensor<1xi64>
  %step = arith.constant dense<-1> : tensor<1xi64>
  %flat = arith.constant dense<-1> : tensor<1xi64>
  %r = "onnx.node"(%q, %start, %end, %axes, %step) <{op_type = "Slice", domain = "", version = 17 : i64, attrs = {}}> : (tensor<2x2xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x2xi64>
  %t = "onnx.node"(%r) <{op_type = "Transpose", domain = "", version = 17 : i64, attrs = {perm = array<i64: 1, 0>}}> : (tensor<2x2xi64>) -> tensor<2x2xi64>
  %p = "onnx.node"(%t, %flat) <{op_type = "Reshape", domain = "", version = 17 : i64, attrs = {}}> : (tensor<2x2xi64>, tensor<1xi64>) -> tensor<4xi64>
  %y = "onnx.node"(%x, %p) <{op_type = "Pad", domain = "", version = 17 : i64, attrs = {}}> : (tensor<2x4xf32>, tensor<4xi64>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
