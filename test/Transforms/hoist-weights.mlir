// RUN: takt-opt %s --split-input-file --takt-hoist-weights | FileCheck %s

// A transpose of a weight moves into the initializer of a new one. Two weights of
// one file range are one, so their transposes are, too.

// CHECK: takt.weight @a : tensor<4x8xf32> #takt.source<"w.bin", 0, 128>
// CHECK-NOT: takt.weight @b
// CHECK: takt.weight @a.transposed : tensor<8x4xf32> {
// CHECK-NEXT: %[[R:.*]] = takt.weight_read @a
// CHECK-NEXT: %[[T:.*]] = takt.transpose %[[R]] [1, 0]
// CHECK-NEXT: takt.yield %[[T]]
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[W:.*]] = takt.weight_read @a.transposed
// CHECK-NEXT: takt.matmul %arg0, %[[W]]
// CHECK-NEXT: takt.matmul %{{.*}}, %[[W]]
takt.weight @a : tensor<4x8xf32> #takt.source<"w.bin", 0, 128>
takt.weight @b : tensor<4x8xf32> #takt.source<"w.bin", 0, 128>
func.func @main(%x: tensor<2x8xf32>, %z: tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %a = takt.weight_read @a : tensor<4x8xf32>
  %b = takt.weight_read @b : tensor<4x8xf32>
  %at = takt.transpose %a [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %bt = takt.transpose %b [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %y = takt.matmul %x, %at : tensor<2x8xf32>, tensor<8x4xf32> -> tensor<2x4xf32>
  %w = takt.matmul %z, %bt : tensor<2x8xf32>, tensor<8x4xf32> -> tensor<2x4xf32>
  return %y, %w : tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// A broadcast adds no work: what it repeats is stored. Sizes of the request stay
// in @main, and so do small results of constants.

takt.dim @n
// CHECK: takt.weight @c.computed : tensor<8xf32> {
// CHECK: arith.addf
// CHECK-LABEL: func.func @main
// CHECK: %[[C:.*]] = takt.weight_read @c.computed
// CHECK: takt.broadcast %[[C]] dims [1] to <["n", "8"]>
// CHECK: arith.mulf %{{.*}}, %{{.*}} : tensor<8xf32>
takt.weight @c : tensor<8xf32> #takt.source<"w.bin", 128, 32>
func.func @main(%x: tensor<?x8xf32> {takt.shape = #takt.shape<["n", "8"]>}) -> (tensor<?x8xf32>, tensor<8xf32>) {
  %c = takt.weight_read @c : tensor<8xf32>
  %one = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %sum = arith.addf %c, %one : tensor<8xf32>
  %rows = takt.broadcast %sum dims [1] to <["n", "8"]> : tensor<8xf32> -> tensor<?x8xf32>
  %y = arith.addf %x, %rows : tensor<?x8xf32>
  %small = arith.mulf %one, %one : tensor<8xf32>
  return %y, %small : tensor<?x8xf32>, tensor<8xf32>
}
