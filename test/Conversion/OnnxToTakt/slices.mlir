// RUN: takt-opt %s --split-input-file --takt-legalize --takt-verify-legalized --canonicalize | FileCheck %s

// Bounds are clamped where the size is a name; an open end is the size.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: takt.slice %arg0 from <["min(n, 2)"]> sizes <["n - min(n, 2)"]> strides [1]
func.func @main(%x: tensor<?xf32> {takt.name = "x", takt.shape = #takt.shape<["n"]>})
    -> (tensor<?xf32> {takt.name = "y"}) {
  %start = arith.constant dense<2> : tensor<1xi64>
  %end = arith.constant dense<9223372036854775807> : tensor<1xi64>
  %y = "onnx.node"(%x, %start, %end) <{op_type = "Slice", domain = "", version = 17 : i64, attrs = {}}> : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Backwards, over the whole and with an exclusive end.

// CHECK-LABEL: func.func @main
// CHECK: takt.slice %arg0 from <["6"]> sizes <["7"]> strides [-1]
// CHECK: takt.slice %arg0 from <["6"]> sizes <["2"]> strides [-3]
func.func @main(%x: tensor<7xf32> {takt.name = "x", takt.shape = #takt.shape<["7"]>})
    -> (tensor<7xf32> {takt.name = "y"}, tensor<2xf32> {takt.name = "z"}) {
  %start = arith.constant dense<-1> : tensor<1xi32>
  %low = arith.constant dense<-2147483648> : tensor<1xi32>
  %zero = arith.constant dense<0> : tensor<1xi32>
  %axes = arith.constant dense<0> : tensor<1xi32>
  %minus1 = arith.constant dense<-1> : tensor<1xi32>
  %minus3 = arith.constant dense<-3> : tensor<1xi32>
  %y = "onnx.node"(%x, %start, %low, %axes, %minus1) <{op_type = "Slice", domain = "", version = 17 : i64, attrs = {}}> : (tensor<7xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<7xf32>
  %z = "onnx.node"(%x, %start, %zero, %axes, %minus3) <{op_type = "Slice", domain = "", version = 17 : i64, attrs = {}}> : (tensor<7xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf32>
  return %y, %z : tensor<7xf32>, tensor<2xf32>
}

// -----

// Split without sizes: equal parts. One constant index: a slice, and requests
// must have that element.

// CHECK: takt.dim @n {minimum = 3 : i64}
takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: takt.slice %arg0 from <["0", "0"]> sizes <["n", "2"]>
// CHECK: %[[B:.*]] = takt.slice %arg0 from <["0", "2"]> sizes <["n", "2"]>
// CHECK: %[[R:.*]] = takt.slice %[[B]] from <["2", "0"]> sizes <["1", "2"]>
// CHECK: takt.reshape %[[R]] to <["2"]>
func.func @main(%x: tensor<?x4xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4"]>})
    -> (tensor<?x2xf32> {takt.name = "a"}, tensor<2xf32> {takt.name = "r"}) {
  %two = arith.constant dense<2> : tensor<i64>
  %a, %b = "onnx.node"(%x) <{op_type = "Split", domain = "", version = 17 : i64, attrs = {axis = 1 : i64}}> : (tensor<?x4xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
  %r = "onnx.node"(%b, %two) <{op_type = "Gather", domain = "", version = 17 : i64, attrs = {axis = 0 : i64}}> : (tensor<?x2xf32>, tensor<i64>) -> tensor<2xf32>
  return %a, %r : tensor<?x2xf32>, tensor<2xf32>
}

// -----

// Range of a size counts without data.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: takt.iota "0" step 1 sizes <["n"]> : tensor<?xi64>
func.func @main(%x: tensor<?xf32> {takt.name = "x", takt.shape = #takt.shape<["n"]>})
    -> (tensor<?xi64> {takt.name = "y"}) {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %n = "onnx.node"(%x) <{op_type = "Size", domain = "", version = 17 : i64, attrs = {}}> : (tensor<?xf32>) -> tensor<i64>
  %y = "onnx.node"(%zero, %n, %one) <{op_type = "Range", domain = "", version = 17 : i64, attrs = {}}> : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return %y : tensor<?xi64>
}
