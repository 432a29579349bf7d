// RUN: takt-opt %s --split-input-file --takt-legalize --takt-verify-legalized --canonicalize | FileCheck %s

// Trilu keeps the elements on one side of a diagonal, whatever the sizes.

takt.dim @n
takt.dim @m
// CHECK-LABEL: func.func @main
// CHECK: %[[C:.*]] = takt.broadcast %{{.*}} dims [1] to <["n", "m"]>
// CHECK: %[[R:.*]] = takt.broadcast %{{.*}} dims [0] to <["n", "m"]>
// CHECK: %[[D:.*]] = arith.subi %[[C]], %[[R]]
// CHECK: %[[U:.*]] = arith.cmpi sge, %[[D]]
// CHECK: arith.select %[[U]], %arg0
// CHECK: %[[L:.*]] = arith.cmpi sle
// CHECK: arith.select %[[L]], %arg0
func.func @main(%x: tensor<?x?xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "m"]>})
    -> (tensor<?x?xf32> {takt.name = "a"}, tensor<?x?xf32> {takt.name = "b"}) {
  %k = arith.constant dense<1> : tensor<i64>
  %a = "onnx.node"(%x) <{op_type = "Trilu", domain = "", version = 14 : i64, attrs = {}}> : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %b = "onnx.node"(%x, %k) <{op_type = "Trilu", domain = "", version = 14 : i64, attrs = {upper = 0 : i64}}> : (tensor<?x?xf32>, tensor<i64>) -> tensor<?x?xf32>
  return %a, %b : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// OneHot compares positions along a new dimension; a negative index counts from the end.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[I:.*]] = arith.extsi %arg0
// CHECK: %[[E:.*]] = arith.addi %[[I]]
// CHECK: %[[N:.*]] = arith.cmpi slt, %[[I]]
// CHECK: %[[J:.*]] = arith.select %[[N]], %[[E]], %[[I]]
// CHECK: takt.iota "0" step 1 sizes <["5"]>
// CHECK: takt.reshape %[[J]] to <["1", "n"]>
// CHECK: %[[M:.*]] = arith.cmpi eq
// CHECK: takt.slice %arg1 from <["1"]>
// CHECK: takt.slice %arg1 from <["0"]>
// CHECK: arith.select %[[M]]
func.func @main(%i: tensor<?xi32> {takt.name = "i", takt.shape = #takt.shape<["n"]>}, %v: tensor<2xf32> {takt.name = "v", takt.shape = #takt.shape<["2"]>})
    -> (tensor<5x?xf32> {takt.name = "y"}) {
  %d = arith.constant dense<5> : tensor<i64>
  %y = "onnx.node"(%i, %d, %v) <{op_type = "OneHot", domain = "", version = 11 : i64, attrs = {axis = 0 : i64}}> : (tensor<?xi32>, tensor<i64>, tensor<2xf32>) -> tensor<5x?xf32>
  return %y : tensor<5x?xf32>
}

// -----

// CumSum sums what stands before each position, CumProd multiplies it.

takt.dim @n
takt.dim @m
// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = takt.broadcast %arg0 dims [0, 2] to <["n", "m", "m"]>
// CHECK: %[[J:.*]] = takt.broadcast %{{.*}} dims [2] to <["n", "m", "m"]>
// CHECK: %[[I:.*]] = takt.broadcast %{{.*}} dims [1] to <["n", "m", "m"]>
// CHECK: %[[C:.*]] = arith.cmpi slt, %[[J]], %[[I]]
// CHECK: %[[T:.*]] = arith.select %[[C]], %[[X]]
// CHECK: takt.reduce "sum" %[[T]] axes [2]
// CHECK: arith.cmpi sge
// CHECK: takt.reduce "prod" %{{.*}} axes [2]
func.func @main(%x: tensor<?x?xi64> {takt.name = "x", takt.shape = #takt.shape<["n", "m"]>})
    -> (tensor<?x?xi64> {takt.name = "y"}, tensor<?x?xi64> {takt.name = "z"}) {
  %a = arith.constant dense<1> : tensor<i64>
  %y = "onnx.node"(%x, %a) <{op_type = "CumSum", domain = "", version = 14 : i64, attrs = {exclusive = 1 : i64}}> : (tensor<?x?xi64>, tensor<i64>) -> tensor<?x?xi64>
  %z = "onnx.node"(%x, %a) <{op_type = "CumProd", domain = "", version = 26 : i64, attrs = {reverse = 1 : i64}}> : (tensor<?x?xi64>, tensor<i64>) -> tensor<?x?xi64>
  return %y, %z : tensor<?x?xi64>, tensor<?x?xi64>
}

// -----

// EyeLike is 1 on a diagonal.

// CHECK-LABEL: func.func @main
// CHECK: %[[D:.*]] = arith.subi
// CHECK: %[[E:.*]] = arith.cmpi eq, %[[D]]
// CHECK: arith.select %[[E]], %{{.*}} : tensor<3x4xi1>, tensor<3x4xi64>
func.func @main(%x: tensor<3x4xf32> {takt.name = "x", takt.shape = #takt.shape<["3", "4"]>})
    -> (tensor<3x4xi64> {takt.name = "y"}) {
  %y = "onnx.node"(%x) <{op_type = "EyeLike", domain = "", version = 22 : i64, attrs = {k = 1 : i64, dtype = 7 : i64}}> : (tensor<3x4xf32>) -> tensor<3x4xi64>
  return %y : tensor<3x4xi64>
}
