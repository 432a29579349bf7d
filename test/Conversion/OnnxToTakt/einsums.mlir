// RUN: takt-opt %s --split-input-file --takt-legalize --takt-verify-legalized --canonicalize | FileCheck %s

// What both have and the result has not is a matrix product; the batch stays apart.

takt.dim @b
takt.dim @n
takt.dim @m
// CHECK-LABEL: func.func @main
// CHECK: %[[T:.*]] = takt.transpose %arg1 [0, 1, 3, 2]
// CHECK: takt.matmul %arg0, %[[T]] : tensor<?x3x?x8xf32>, tensor<?x3x8x?xf32> -> tensor<?x3x?x?xf32>
func.func @main(%x: tensor<?x3x?x8xf32> {takt.name = "x", takt.shape = #takt.shape<["b", "3", "n", "8"]>}, %w: tensor<?x3x?x8xf32> {takt.name = "w", takt.shape = #takt.shape<["b", "3", "m", "8"]>})
    -> (tensor<?x3x?x?xf32> {takt.name = "y"}) {
  %y = "onnx.node"(%x, %w) <{op_type = "Einsum", domain = "", version = 12 : i64, attrs = {equation = "bhid,bhjd->bhij"}}> : (tensor<?x3x?x8xf32>, tensor<?x3x?x8xf32>) -> tensor<?x3x?x?xf32>
  return %y : tensor<?x3x?x?xf32>
}

// -----

// Nothing to sum: a product of repeated tensors. An ellipsis stands for all else.

takt.dim @n
takt.dim @m
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = takt.broadcast %arg0 dims [0, 1] to <["n", "4", "m"]>
// CHECK: %[[B:.*]] = takt.broadcast %arg1 dims [2] to <["n", "4", "m"]>
// CHECK: arith.mulf %[[A]], %[[B]]
func.func @main(%x: tensor<?x4xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4"]>}, %w: tensor<?xf32> {takt.name = "w", takt.shape = #takt.shape<["m"]>})
    -> (tensor<?x4x?xf32> {takt.name = "y"}) {
  %y = "onnx.node"(%x, %w) <{op_type = "Einsum", domain = "", version = 12 : i64, attrs = {equation = "...i,j->...ij"}}> : (tensor<?x4xf32>, tensor<?xf32>) -> tensor<?x4x?xf32>
  return %y : tensor<?x4x?xf32>
}

// -----

// A name twice in one term takes a diagonal; without an arrow the names that occur
// once are the result's.

// CHECK-LABEL: func.func @main
// CHECK: %[[E:.*]] = arith.cmpi eq
// CHECK: %[[D:.*]] = arith.select %[[E]], %arg0
// CHECK: takt.reduce "sum" %[[D]] axes [2]
// CHECK: takt.transpose %arg0 [1, 2, 0]
func.func @main(%x: tensor<2x4x4xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "4", "4"]>})
    -> (tensor<2x4xf32> {takt.name = "a"}, tensor<4x4x2xf32> {takt.name = "c"}) {
  %a = "onnx.node"(%x) <{op_type = "Einsum", domain = "", version = 12 : i64, attrs = {equation = "bii->bi"}}> : (tensor<2x4x4xf32>) -> tensor<2x4xf32>
  %c = "onnx.node"(%x) <{op_type = "Einsum", domain = "", version = 12 : i64, attrs = {equation = "kij"}}> : (tensor<2x4x4xf32>) -> tensor<4x4x2xf32>
  return %a, %c : tensor<2x4xf32>, tensor<4x4x2xf32>
}

// -----

// Integers are multiplied and summed.

// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = arith.muli
// CHECK: takt.reduce "sum" %[[P]] axes [1]
func.func @main(%x: tensor<2x4xi64> {takt.name = "x", takt.shape = #takt.shape<["2", "4"]>}, %w: tensor<4x3xi64> {takt.name = "w", takt.shape = #takt.shape<["4", "3"]>})
    -> (tensor<2x3xi64> {takt.name = "y"}) {
  %y = "onnx.node"(%x, %w) <{op_type = "Einsum", domain = "", version = 12 : i64, attrs = {equation = "ij, jk -> ik"}}> : (tensor<2x4xi64>, tensor<4x3xi64>) -> tensor<2x3xi64>
  return %y : tensor<2x3xi64>
}
