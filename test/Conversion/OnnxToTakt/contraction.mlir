// RUN: takt-opt %s --split-input-file --takt-legalize --takt-verify-legalized --canonicalize | FileCheck %s

// A matrix on the right is shared by the batch; other batches are broadcast.

takt.dim @b
// CHECK-LABEL: func.func @main
// CHECK: takt.matmul %arg0, %arg1 : tensor<?x2x3xf32>, tensor<3x4xf32> -> tensor<?x2x4xf32>
// CHECK: %[[L:.*]] = takt.broadcast %arg2 dims [1, 2] to <["b", "5", "2"]>
// CHECK: takt.matmul %[[L]], %arg0 : tensor<?x5x2xf32>, tensor<?x2x3xf32> -> tensor<?x5x3xf32>
func.func @main(%x: tensor<?x2x3xf32> {takt.name = "x", takt.shape = #takt.shape<["b", "2", "3"]>},
                %w: tensor<3x4xf32> {takt.name = "w", takt.shape = #takt.shape<["3", "4"]>},
                %l: tensor<5x2xf32> {takt.name = "l", takt.shape = #takt.shape<["5", "2"]>})
    -> (tensor<?x2x4xf32> {takt.name = "y"}, tensor<?x5x3xf32> {takt.name = "z"}) {
  %y = "onnx.node"(%x, %w) <{op_type = "MatMul", domain = "", version = 17 : i64, attrs = {}}> : (tensor<?x2x3xf32>, tensor<3x4xf32>) -> tensor<?x2x4xf32>
  %z = "onnx.node"(%l, %x) <{op_type = "MatMul", domain = "", version = 17 : i64, attrs = {}}> : (tensor<5x2xf32>, tensor<?x2x3xf32>) -> tensor<?x5x3xf32>
  return %y, %z : tensor<?x2x4xf32>, tensor<?x5x3xf32>
}

// -----

// Vectors lose the dimension that they lend.

// CHECK-LABEL: func.func @main
// CHECK: %[[C:.*]] = takt.reshape %arg1 to <["3", "1"]>
// CHECK: %[[P:.*]] = takt.matmul %arg0, %[[C]]
// CHECK: takt.reshape %[[P]] to <["2"]> : tensor<2x1xf32> -> tensor<2xf32>
func.func @main(%x: tensor<2x3xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "3"]>},
                %v: tensor<3xf32> {takt.name = "v", takt.shape = #takt.shape<["3"]>})
    -> (tensor<2xf32> {takt.name = "y"}) {
  %y = "onnx.node"(%x, %v) <{op_type = "MatMul", domain = "", version = 17 : i64, attrs = {}}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// Gemm: transA by a transpose, transB in the op, alpha and beta as products.

// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[A:.*]] = takt.transpose %arg0 [1, 0]
// CHECK: %[[P:.*]] = takt.matmul %[[A]], %arg1 transpose_rhs : tensor<2x3xf32>, tensor<4x3xf32> -> tensor<2x4xf32>
// CHECK: %[[S:.*]] = arith.mulf %[[P]], %{{.*}}
// CHECK: %[[C:.*]] = takt.broadcast %arg2 dims [1] to <["2", "4"]>
// CHECK: arith.addf %[[S]], %[[C]]
func.func @main(%x: tensor<3x2xf32> {takt.name = "x", takt.shape = #takt.shape<["3", "2"]>},
                %w: tensor<4x3xf32> {takt.name = "w", takt.shape = #takt.shape<["4", "3"]>},
                %c: tensor<4xf32> {takt.name = "c", takt.shape = #takt.shape<["4"]>})
    -> (tensor<2x4xf32> {takt.name = "y"}) {
  %y = "onnx.node"(%x, %w, %c) <{op_type = "Gemm", domain = "", version = 17 : i64, attrs = {alpha = 0.5 : f32, transA = 1 : i64, transB = 1 : i64}}> : (tensor<3x2xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
