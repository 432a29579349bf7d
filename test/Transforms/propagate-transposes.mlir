// RUN: takt-opt %s --split-input-file --takt-propagate-transposes | FileCheck %s

// A residual block: one transpose in, one out.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<?x4x8x8xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4", "8", "8"]>},
                %w: tensor<4x4x3x3xf32> {takt.name = "w", takt.shape = #takt.shape<["4", "4", "3", "3"]>},
                %bias: tensor<4xf32> {takt.name = "b", takt.shape = #takt.shape<["4"]>}) -> tensor<?x4x8x8xf32> {
  // CHECK: %[[IN:.*]] = takt.transpose %arg0 [0, 2, 3, 1]
  // CHECK: %[[FIRST:.*]] = takt.conv %[[IN]]
  // CHECK: %[[REPEATED:.*]] = takt.broadcast %arg2 dims [3] to <["n", "8", "8", "4"]>
  // CHECK: %[[SUM:.*]] = arith.addf %[[FIRST]], %[[REPEATED]] : tensor<?x8x8x4xf32>
  // CHECK: %[[SECOND:.*]] = takt.conv %[[SUM]]
  // CHECK: %[[RESIDUAL:.*]] = arith.addf %[[SECOND]], %[[SUM]]
  // CHECK: %[[OUT:.*]] = takt.transpose %[[RESIDUAL]] [0, 3, 1, 2]
  // CHECK-NEXT: return %[[OUT]]
  %0 = takt.transpose %x [0, 2, 3, 1] : tensor<?x4x8x8xf32> -> tensor<?x8x8x4xf32>
  %1 = takt.conv %0, %w strides [1, 1] dilations [1, 1] pads [1, 1], [1, 1] groups 1 : tensor<?x8x8x4xf32>, tensor<4x4x3x3xf32> -> tensor<?x8x8x4xf32>
  %2 = takt.transpose %1 [0, 3, 1, 2] : tensor<?x8x8x4xf32> -> tensor<?x4x8x8xf32>
  %3 = takt.broadcast %bias dims [1] to <["n", "4", "8", "8"]> : tensor<4xf32> -> tensor<?x4x8x8xf32>
  %4 = arith.addf %2, %3 : tensor<?x4x8x8xf32>
  %5 = takt.transpose %4 [0, 2, 3, 1] : tensor<?x4x8x8xf32> -> tensor<?x8x8x4xf32>
  %6 = takt.conv %5, %w strides [1, 1] dilations [1, 1] pads [1, 1], [1, 1] groups 1 : tensor<?x8x8x4xf32>, tensor<4x4x3x3xf32> -> tensor<?x8x8x4xf32>
  %7 = takt.transpose %6 [0, 3, 1, 2] : tensor<?x8x8x4xf32> -> tensor<?x4x8x8xf32>
  %8 = arith.addf %7, %4 : tensor<?x4x8x8xf32>
  return %8 : tensor<?x4x8x8xf32>
}
takt.dim @n

// -----

// The patches of a vision transformer: what follows the convolution is a view.
takt.dim @n
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<?x8x8x4xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "8", "8", "4"]>},
                %w: tensor<6x4x2x2xf32> {takt.name = "w", takt.shape = #takt.shape<["6", "4", "2", "2"]>}) -> tensor<?x16x6xf32> {
  // CHECK: %[[CONV:.*]] = takt.conv
  // CHECK-NEXT: %[[VIEW:.*]] = takt.reshape %[[CONV]] to <["n", "16", "6"]>
  // CHECK-NEXT: return %[[VIEW]]
  %0 = takt.conv %x, %w strides [2, 2] dilations [1, 1] pads [0, 0], [0, 0] groups 1 : tensor<?x8x8x4xf32>, tensor<6x4x2x2xf32> -> tensor<?x4x4x6xf32>
  %1 = takt.transpose %0 [0, 3, 1, 2] : tensor<?x4x4x6xf32> -> tensor<?x6x4x4xf32>
  %2 = takt.reshape %1 to <["n", "6", "16"]> : tensor<?x6x4x4xf32> -> tensor<?x6x16xf32>
  %3 = takt.transpose %2 [0, 2, 1] : tensor<?x6x16xf32> -> tensor<?x16x6xf32>
  return %3 : tensor<?x16x6xf32>
}

// -----

// Reductions, concatenations and slices name other dimensions; the statistics
// of a group norm keep the groups apart.
takt.dim @n
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<?x4x4x6xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4", "4", "6"]>}) -> (tensor<?x2xf32>, tensor<?x12x2x4xf32>) {
  // CHECK: %[[POOL:.*]] = takt.pool
  // CHECK: %[[APART:.*]] = takt.reshape %[[POOL]] to <["n", "4", "4", "2", "3"]>
  // CHECK: %[[SUMS:.*]] = takt.reduce "sum" %[[APART]] axes [1, 2, 4]
  // CHECK: %[[BOTH:.*]] = takt.concat %[[POOL]], %[[POOL]] axis 3
  // CHECK: %[[PART:.*]] = takt.slice %[[BOTH]] from <["0", "2", "0", "0"]> sizes <["n", "2", "4", "12"]> strides [1, 1, 1, 1]
  // CHECK: %[[BACK:.*]] = takt.transpose %[[PART]] [0, 3, 1, 2]
  // CHECK: return %[[SUMS]], %[[BACK]]
  %0 = takt.pool "max" %x kernel [1, 1] strides [1, 1] pads [0, 0], [0, 0] : tensor<?x4x4x6xf32> -> tensor<?x4x4x6xf32>
  %1 = takt.transpose %0 [0, 3, 1, 2] : tensor<?x4x4x6xf32> -> tensor<?x6x4x4xf32>
  %2 = takt.reshape %1 to <["n", "2", "3", "4", "4"]> : tensor<?x6x4x4xf32> -> tensor<?x2x3x4x4xf32>
  %3 = takt.reduce "sum" %2 axes [2, 3, 4] : tensor<?x2x3x4x4xf32> -> tensor<?x2xf32>
  %4 = takt.concat %1, %1 axis 1 : tensor<?x6x4x4xf32>, tensor<?x6x4x4xf32> -> tensor<?x12x4x4xf32>
  %5 = takt.slice %4 from <["0", "0", "2", "0"]> sizes <["n", "12", "2", "4"]> strides [1, 1, 1, 1] : tensor<?x12x4x4xf32> -> tensor<?x12x2x4xf32>
  return %3, %5 : tensor<?x2xf32>, tensor<?x12x2x4xf32>
}

// -----

// A reshape that mixes what the transpose moved stays behind it, and so does a
// sum with a tensor that would have to be transposed for it.
takt.dim @n
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<?x4x4x6xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4", "4", "6"]>},
                %y: tensor<?x6x4x4xf32> {takt.name = "y", takt.shape = #takt.shape<["n", "6", "4", "4"]>}) -> (tensor<?x96xf32>, tensor<?x6x4x4xf32>) {
  // CHECK: %[[BACK:.*]] = takt.transpose {{.*}} [0, 3, 1, 2]
  // CHECK: takt.reshape %[[BACK]] to <["n", "96"]>
  // CHECK: arith.addf %[[BACK]], %arg1
  %0 = takt.pool "max" %x kernel [1, 1] strides [1, 1] pads [0, 0], [0, 0] : tensor<?x4x4x6xf32> -> tensor<?x4x4x6xf32>
  %1 = takt.transpose %0 [0, 3, 1, 2] : tensor<?x4x4x6xf32> -> tensor<?x6x4x4xf32>
  %2 = takt.reshape %1 to <["n", "96"]> : tensor<?x6x4x4xf32> -> tensor<?x96xf32>
  %3 = arith.addf %1, %y : tensor<?x6x4x4xf32>
  return %2, %3 : tensor<?x96xf32>, tensor<?x6x4x4xf32>
}

// -----

// Without convolution or pooling nothing moves.
takt.dim @n
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<?x4x6xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4", "6"]>}) -> tensor<?x6x4xf32> {
  // CHECK: takt.transpose
  // CHECK-NEXT: math.exp
  %0 = takt.transpose %x [0, 2, 1] : tensor<?x4x6xf32> -> tensor<?x6x4xf32>
  %1 = math.exp %0 : tensor<?x6x4xf32>
  return %1 : tensor<?x6x4xf32>
}
