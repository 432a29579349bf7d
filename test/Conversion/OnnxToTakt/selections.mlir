// RUN: takt-opt %s --split-input-file --takt-legalize --takt-verify-legalized --canonicalize | FileCheck %s

// The first of the largest elements, NaN among them: the least position of those.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[M:.*]] = takt.reduce "max" %arg0 axes [1]
// CHECK: %[[E:.*]] = arith.cmpf oeq, %arg0
// CHECK: %[[N:.*]] = arith.cmpf uno, %arg0, %arg0
// CHECK: %[[B:.*]] = arith.ori %[[E]], %[[N]]
// CHECK: %[[P:.*]] = arith.select %[[B]]
// CHECK: takt.reduce "min" %[[P]] axes [1]
func.func @main(%x: tensor<?x5xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "5"]>})
    -> (tensor<?xi64> {takt.name = "y"}) {
  %y = "onnx.node"(%x) <{op_type = "ArgMax", domain = "", version = 13 : i64, attrs = {axis = 1 : i64, keepdims = 0 : i64}}> : (tensor<?x5xf32>) -> tensor<?xi64>
  return %y : tensor<?xi64>
}

// -----

// The last one of the smallest, of integers.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: takt.reduce "min" %arg0 axes [1]
// CHECK: %[[E:.*]] = arith.cmpi eq, %arg0
// CHECK: %[[P:.*]] = arith.select %[[E]]
// CHECK: %[[I:.*]] = takt.reduce "max" %[[P]] axes [1]
// CHECK: takt.reshape %[[I]] to <["n", "1"]>
func.func @main(%x: tensor<?x5xi32> {takt.name = "x", takt.shape = #takt.shape<["n", "5"]>})
    -> (tensor<?x1xi64> {takt.name = "y"}) {
  %y = "onnx.node"(%x) <{op_type = "ArgMin", domain = "", version = 13 : i64, attrs = {axis = 1 : i64, select_last_index = 1 : i64}}> : (tensor<?x5xi32>) -> tensor<?x1xi64>
  return %y : tensor<?x1xi64>
}

// -----

// Hardmax is 1 there and 0 elsewhere.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[I:.*]] = takt.reduce "min" %{{.*}} axes [1] : tensor<?x5xi64>
// CHECK: %[[B:.*]] = arith.cmpi eq
// CHECK: arith.select %[[B]], %{{.*}} : tensor<?x5xi1>, tensor<?x5xf32>
func.func @main(%x: tensor<?x5xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "5"]>})
    -> (tensor<?x5xf32> {takt.name = "y"}) {
  %y = "onnx.node"(%x) <{op_type = "Hardmax", domain = "", version = 13 : i64, attrs = {}}> : (tensor<?x5xf32>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// -----

// TopK counts for each element those before it, then takes elements by that rank.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[I:.*]] = takt.broadcast %arg0 dims [0, 1] to <["n", "5", "5"]>
// CHECK: %[[J:.*]] = takt.broadcast %arg0 dims [0, 2] to <["n", "5", "5"]>
// CHECK: %[[A:.*]] = arith.cmpf ogt, %[[J]], %[[I]]
// CHECK: %[[T:.*]] = arith.andi
// CHECK: arith.ori %[[A]], %[[T]]
// CHECK: %[[R:.*]] = takt.reduce "sum" %{{.*}} axes [2] : tensor<?x5x5xi64> -> tensor<?x5xi64>
// CHECK: takt.broadcast %[[R]] dims [0, 2] to <["n", "2", "5"]>
// CHECK: takt.reduce "sum" %{{.*}} axes [2] : tensor<?x2x5xf32> -> tensor<?x2xf32>
// CHECK: takt.reduce "sum" %{{.*}} axes [2] : tensor<?x2x5xi64> -> tensor<?x2xi64>
func.func @main(%x: tensor<?x5xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "5"]>})
    -> (tensor<?x2xf32> {takt.name = "v"}, tensor<?x2xi64> {takt.name = "i"}) {
  %k = arith.constant dense<2> : tensor<1xi64>
  %v, %i = "onnx.node"(%x, %k) <{op_type = "TopK", domain = "", version = 11 : i64, attrs = {}}> : (tensor<?x5xf32>, tensor<1xi64>) -> (tensor<?x2xf32>, tensor<?x2xi64>)
  return %v, %i : tensor<?x2xf32>, tensor<?x2xi64>
}
