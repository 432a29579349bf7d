// RUN: takt-opt %s --split-input-file --takt-recognize-idioms | FileCheck %s

// Mean, difference, variance, root, quotient, scale, bias.

// CHECK-LABEL: func.func @layer_norm
// CHECK-NEXT: %[[N:.*]] = takt.layer_norm %arg0 scale %arg1 bias %arg2 epsilon 9.99{{.*}}E-6
// CHECK-NEXT: return %[[N]]
func.func @layer_norm(%x: tensor<4x8xf32>, %scale: tensor<8xf32>, %bias: tensor<8xf32>) -> tensor<4x8xf32> {
  %count = arith.constant dense<8.0> : tensor<4xf32>
  %epsilon = arith.constant dense<9.99999974E-6> : tensor<4x1xf32>
  %0 = takt.reduce "sum" %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %1 = arith.divf %0, %count : tensor<4xf32>
  %2 = takt.reshape %1 to <["4", "1"]> : tensor<4xf32> -> tensor<4x1xf32>
  %3 = takt.broadcast %2 dims [0, 1] to <["4", "8"]> : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = arith.subf %x, %3 : tensor<4x8xf32>
  %4 = arith.mulf %d, %d : tensor<4x8xf32>
  %5 = takt.reduce "sum" %4 axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %6 = arith.divf %5, %count : tensor<4xf32>
  %7 = takt.reshape %6 to <["4", "1"]> : tensor<4xf32> -> tensor<4x1xf32>
  %8 = arith.addf %7, %epsilon : tensor<4x1xf32>
  %9 = math.sqrt %8 : tensor<4x1xf32>
  %10 = takt.broadcast %9 dims [0, 1] to <["4", "8"]> : tensor<4x1xf32> -> tensor<4x8xf32>
  %11 = arith.divf %d, %10 : tensor<4x8xf32>
  %12 = takt.broadcast %scale dims [1] to <["4", "8"]> : tensor<8xf32> -> tensor<4x8xf32>
  %13 = arith.mulf %11, %12 : tensor<4x8xf32>
  %14 = takt.broadcast %bias dims [1] to <["4", "8"]> : tensor<8xf32> -> tensor<4x8xf32>
  %15 = arith.addf %13, %14 : tensor<4x8xf32>
  return %15 : tensor<4x8xf32>
}

// -----

// On a square, row means that are subtracted along the columns are another thing.

// CHECK-LABEL: func.func @wrong_axis
// CHECK-NOT: takt.layer_norm
func.func @wrong_axis(%x: tensor<4x4xf32>, %scale: tensor<4xf32>) -> tensor<4x4xf32> {
  %count = arith.constant dense<4.0> : tensor<4xf32>
  %epsilon = arith.constant dense<9.99999974E-6> : tensor<4xf32>
  %0 = takt.reduce "sum" %x axes [1] : tensor<4x4xf32> -> tensor<4xf32>
  %1 = arith.divf %0, %count : tensor<4xf32>
  %3 = takt.broadcast %1 dims [1] to <["4", "4"]> : tensor<4xf32> -> tensor<4x4xf32>
  %d = arith.subf %x, %3 : tensor<4x4xf32>
  %4 = arith.mulf %d, %d : tensor<4x4xf32>
  %5 = takt.reduce "sum" %4 axes [1] : tensor<4x4xf32> -> tensor<4xf32>
  %6 = arith.divf %5, %count : tensor<4xf32>
  %8 = arith.addf %6, %epsilon : tensor<4xf32>
  %9 = math.sqrt %8 : tensor<4xf32>
  %10 = takt.broadcast %9 dims [0] to <["4", "4"]> : tensor<4xf32> -> tensor<4x4xf32>
  %11 = arith.divf %d, %10 : tensor<4x4xf32>
  %12 = takt.broadcast %scale dims [1] to <["4", "4"]> : tensor<4xf32> -> tensor<4x4xf32>
  %13 = arith.mulf %11, %12 : tensor<4x4xf32>
  return %13 : tensor<4x4xf32>
}

// -----

// exp(x - max) over its sum.

// CHECK-LABEL: func.func @softmax
// CHECK-NEXT: %[[S:.*]] = takt.softmax %arg0 axis 1
// CHECK-NEXT: return %[[S]]
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = takt.reduce "max" %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %1 = takt.broadcast %0 dims [0] to <["4", "8"]> : tensor<4xf32> -> tensor<4x8xf32>
  %2 = arith.subf %x, %1 : tensor<4x8xf32>
  %3 = math.exp %2 : tensor<4x8xf32>
  %4 = takt.reduce "sum" %3 axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  %5 = takt.broadcast %4 dims [0] to <["4", "8"]> : tensor<4xf32> -> tensor<4x8xf32>
  %6 = arith.divf %3, %5 : tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}
