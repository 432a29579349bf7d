// RUN: takt-opt %s --split-input-file --takt-legalize --takt-verify-legalized --canonicalize | FileCheck %s

// GatherElements is a gather by tuples of positions; leading dimensions that both share
// are its batch.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[I:.*]] = takt.reshape %arg1 to <["n", "2", "5", "1"]>
// CHECK: takt.iota "0" step 1 sizes <["5"]>
// CHECK: %[[T:.*]] = takt.concat %[[I]], %{{.*}} axis 3
// CHECK: takt.gather_nd %arg0[%[[T]]] batch_dims 1 : tensor<?x4x5xf32>, tensor<?x2x5x2xi64>
func.func @main(%x: tensor<?x4x5xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4", "5"]>}, %i: tensor<?x2x5xi64> {takt.name = "i", takt.shape = #takt.shape<["n", "2", "5"]>})
    -> (tensor<?x2x5xf32> {takt.name = "y"}) {
  %y = "onnx.node"(%x, %i) <{op_type = "GatherElements", domain = "", version = 13 : i64, attrs = {axis = 1 : i64}}> : (tensor<?x4x5xf32>, tensor<?x2x5xi64>) -> tensor<?x2x5xf32>
  return %y : tensor<?x2x5xf32>
}

// -----

// Depth and space trade places by reshapes and a transpose, in two orders.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: takt.transpose %{{.*}} [0, 3, 4, 1, 5, 2]
// CHECK: takt.transpose %{{.*}} [0, 1, 4, 2, 5, 3]
// CHECK: takt.transpose %{{.*}} [0, 3, 5, 1, 2, 4]
// CHECK: takt.reshape %{{.*}} to <["n", "8", "2", "3"]>
func.func @main(%x: tensor<?x8x2x3xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "8", "2", "3"]>})
    -> (tensor<?x2x4x6xf32> {takt.name = "b"}, tensor<?x8x2x3xf32> {takt.name = "c"}) {
  %a = "onnx.node"(%x) <{op_type = "DepthToSpace", domain = "", version = 13 : i64, attrs = {blocksize = 2 : i64}}> : (tensor<?x8x2x3xf32>) -> tensor<?x2x4x6xf32>
  %b = "onnx.node"(%x) <{op_type = "DepthToSpace", domain = "", version = 13 : i64, attrs = {blocksize = 2 : i64, mode = "CRD"}}> : (tensor<?x8x2x3xf32>) -> tensor<?x2x4x6xf32>
  %c = "onnx.node"(%a) <{op_type = "SpaceToDepth", domain = "", version = 13 : i64, attrs = {blocksize = 2 : i64}}> : (tensor<?x2x4x6xf32>) -> tensor<?x8x2x3xf32>
  return %b, %c : tensor<?x2x4x6xf32>, tensor<?x8x2x3xf32>
}

// -----

// The log of a sum, and that of exponentials without overflow.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[S:.*]] = takt.reduce "sum" %arg0 axes [1]
// CHECK: math.log %[[S]]
// CHECK: takt.reduce "max" %arg0 axes [1]
// CHECK: %[[F:.*]] = arith.cmpf olt
// CHECK: %[[M:.*]] = arith.select %[[F]]
// CHECK: %[[E:.*]] = math.exp
// CHECK: takt.reduce "sum" %[[E]] axes [1]
// CHECK: %[[L:.*]] = math.log
// CHECK: arith.addf %[[M]], %[[L]]
func.func @main(%x: tensor<?x4xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4"]>})
    -> (tensor<?xf32> {takt.name = "a"}, tensor<?xf32> {takt.name = "b"}) {
  %axes = arith.constant dense<1> : tensor<1xi64>
  %a = "onnx.node"(%x, %axes) <{op_type = "ReduceLogSum", domain = "", version = 18 : i64, attrs = {keepdims = 0 : i64}}> : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<?xf32>
  %b = "onnx.node"(%x, %axes) <{op_type = "ReduceLogSumExp", domain = "", version = 18 : i64, attrs = {keepdims = 0 : i64}}> : (tensor<?x4xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}
