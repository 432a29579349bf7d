// RUN: takt-opt %s --split-input-file --takt-recognize-idioms | FileCheck %s

// The rows stay in their dimensions.

takt.dim @b
takt.dim @s
// CHECK-LABEL: func.func @linear
// CHECK-NEXT: %[[P:.*]] = takt.matmul %arg0, %arg1 : tensor<?x?x8xf32>, tensor<8x4xf32> -> tensor<?x?x4xf32>
// CHECK-NEXT: %[[B:.*]] = takt.broadcast %arg2 dims [2] to <["b", "s", "4"]>
// CHECK-NEXT: %[[Y:.*]] = arith.addf %[[P]], %[[B]]
// CHECK-NEXT: return %[[Y]]
func.func @linear(%x: tensor<?x?x8xf32> {takt.shape = #takt.shape<["b", "s", "8"]>}, %w: tensor<8x4xf32>, %c: tensor<4xf32>) -> tensor<?x?x4xf32> {
  %rows = takt.reshape %x to <["b*s", "8"]> : tensor<?x?x8xf32> -> tensor<?x8xf32>
  %p = takt.matmul %rows, %w : tensor<?x8xf32>, tensor<8x4xf32> -> tensor<?x4xf32>
  %bias = takt.broadcast %c dims [1] to <["b*s", "4"]> : tensor<4xf32> -> tensor<?x4xf32>
  %sum = arith.addf %p, %bias : tensor<?x4xf32>
  %y = takt.reshape %sum to <["b", "s", "4"]> : tensor<?x4xf32> -> tensor<?x?x4xf32>
  return %y : tensor<?x?x4xf32>
}

// -----

// A reshape that cuts the columns, too, is no such thing.

// CHECK-LABEL: func.func @columns
// CHECK: takt.matmul %{{.*}}, %arg1 : tensor<6x8xf32>, tensor<8x4xf32>
func.func @columns(%x: tensor<2x3x8xf32>, %w: tensor<8x4xf32>) -> tensor<6x2x2xf32> {
  %rows = takt.reshape %x to <["6", "8"]> : tensor<2x3x8xf32> -> tensor<6x8xf32>
  %p = takt.matmul %rows, %w : tensor<6x8xf32>, tensor<8x4xf32> -> tensor<6x4xf32>
  %y = takt.reshape %p to <["6", "2", "2"]> : tensor<6x4xf32> -> tensor<6x2x2xf32>
  return %y : tensor<6x2x2xf32>
}
