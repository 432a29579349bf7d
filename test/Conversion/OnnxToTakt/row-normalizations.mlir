// RUN: takt-opt %s --split-input-file --takt-legalize --takt-verify-legalized --canonicalize | FileCheck %s

// RMS norm in float32, scaled in the input's type.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = arith.extf %arg0
// CHECK: %[[Q:.*]] = arith.mulf %[[X]], %[[X]] : tensor<?x8xf32>
// CHECK: takt.reduce "sum" %[[Q]] axes [1]
// CHECK: math.sqrt
// CHECK: %[[N:.*]] = arith.divf %[[X]]
// CHECK: %[[T:.*]] = arith.truncf %[[N]]
// CHECK: %[[S:.*]] = takt.broadcast %arg1 dims [1] to <["n", "8"]>
// CHECK: arith.mulf %[[T]], %[[S]] : tensor<?x8xf16>
func.func @main(%x: tensor<?x8xf16> {takt.name = "x", takt.shape = #takt.shape<["n", "8"]>}, %s: tensor<8xf16> {takt.name = "s", takt.shape = #takt.shape<["8"]>})
    -> (tensor<?x8xf16> {takt.name = "y"}) {
  %y = "onnx.node"(%x, %s) <{op_type = "RMSNormalization", domain = "", version = 23 : i64, attrs = {}}> : (tensor<?x8xf16>, tensor<8xf16>) -> tensor<?x8xf16>
  return %y : tensor<?x8xf16>
}

// -----

// A norm of 0 divides nothing; local response sums the channels around each.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = math.absf %arg0
// CHECK: takt.reduce "sum" %[[A]] axes [1]
// CHECK: %[[Z:.*]] = arith.cmpf oeq
// CHECK: arith.select %[[Z]]
// CHECK: arith.divf %arg0
// CHECK: %[[Q:.*]] = arith.mulf %arg0, %arg0
// CHECK: %[[P:.*]] = takt.concat %{{.*}}, %[[Q]], %{{.*}} axis 1
// CHECK: takt.slice %[[P]] from <["0", "0", "0"]> sizes <["n", "6", "4"]>
// CHECK: takt.slice %[[P]] from <["0", "1", "0"]>
// CHECK: takt.slice %[[P]] from <["0", "2", "0"]>
// CHECK: %[[B:.*]] = math.powf
// CHECK: arith.divf %arg0, %[[B]]
func.func @main(%x: tensor<?x6x4xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "6", "4"]>})
    -> (tensor<?x6x4xf32> {takt.name = "a"}, tensor<?x6x4xf32> {takt.name = "b"}) {
  %a = "onnx.node"(%x) <{op_type = "LpNormalization", domain = "", version = 22 : i64, attrs = {axis = 1 : i64, p = 1 : i64}}> : (tensor<?x6x4xf32>) -> tensor<?x6x4xf32>
  %b = "onnx.node"(%x) <{op_type = "LRN", domain = "", version = 13 : i64, attrs = {size = 3 : i64}}> : (tensor<?x6x4xf32>) -> tensor<?x6x4xf32>
  return %a, %b : tensor<?x6x4xf32>, tensor<?x6x4xf32>
}

// -----

// Mean and variance over all but the channels.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: takt.reduce "sum" %arg0 axes [0, 2, 3] : tensor<?x6x4x4xf32> -> tensor<6xf32>
// CHECK: takt.size_tensor <["16*n"]>
// CHECK: %[[C:.*]] = arith.subf %arg0
// CHECK: %[[Q:.*]] = arith.mulf %[[C]], %[[C]]
// CHECK: takt.reduce "sum" %[[Q]] axes [0, 2, 3]
// CHECK: math.sqrt
// CHECK: arith.divf %[[C]]
func.func @main(%x: tensor<?x6x4x4xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "6", "4", "4"]>})
    -> (tensor<?x6x4x4xf32> {takt.name = "a"}) {
  %a = "onnx.node"(%x) <{op_type = "MeanVarianceNormalization", domain = "", version = 13 : i64, attrs = {}}> : (tensor<?x6x4x4xf32>) -> tensor<?x6x4x4xf32>
  return %a : tensor<?x6x4x4xf32>
}

// -----

// LayerNormalization gives its statistics where they are used.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[Y:.*]] = takt.layer_norm %arg0 scale %arg1
// CHECK: takt.reduce "sum" %arg0 axes [1]
// CHECK: %[[M:.*]] = arith.divf
// CHECK: return %[[Y]], %[[M]]
func.func @main(%x: tensor<?x8xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "8"]>}, %s: tensor<8xf32> {takt.name = "s", takt.shape = #takt.shape<["8"]>})
    -> (tensor<?x8xf32> {takt.name = "y"}, tensor<?x1xf32> {takt.name = "m"}) {
  %y, %m = "onnx.node"(%x, %s) <{op_type = "LayerNormalization", domain = "", version = 17 : i64, attrs = {}}> : (tensor<?x8xf32>, tensor<8xf32>) -> (tensor<?x8xf32>, tensor<?x1xf32>)
  return %y, %m : tensor<?x8xf32>, tensor<?x1xf32>
}
