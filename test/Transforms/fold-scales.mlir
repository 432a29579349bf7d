// RUN: takt-opt %s --split-input-file --takt-fold-scales | FileCheck %s

takt.dim @n
takt.weight @w : tensor<6x4x1x1xf32> #takt.source<"f", 0, 96>
takt.weight @b : tensor<6xf32> #takt.source<"f", 96, 24>
takt.weight @scale : tensor<6xf32> #takt.source<"f", 120, 24>
takt.weight @shift : tensor<6xf32> #takt.source<"f", 144, 24>
// What is left of a batch norm behind a convolution with bias.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<?x4x4x4xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4", "4", "4"]>}) -> tensor<?x4x4x6xf32> {
  // CHECK-DAG: %[[W:.*]] = takt.weight_read @w
  // CHECK-DAG: %[[B:.*]] = takt.weight_read @b
  // CHECK-DAG: %[[SCALE:.*]] = takt.weight_read @scale
  // CHECK-DAG: %[[SHIFT:.*]] = takt.weight_read @shift
  // CHECK-DAG: %[[BIAS:.*]] = arith.mulf %[[B]], %[[SCALE]]
  // CHECK-DAG: %[[ROWS:.*]] = takt.broadcast %[[SCALE]] dims [0] to <["6", "4", "1", "1"]>
  // CHECK-DAG: %[[SCALED:.*]] = arith.mulf %[[W]], %[[ROWS]]
  // CHECK: %[[CONV:.*]] = takt.conv %arg0, %[[SCALED]]
  // CHECK: %[[OFFSET:.*]] = arith.addf %[[BIAS]], %[[SHIFT]]
  // CHECK: %[[REPEATED:.*]] = takt.broadcast %[[OFFSET]] dims [3]
  // CHECK: %[[SUM:.*]] = arith.addf %[[CONV]], %[[REPEATED]]
  // CHECK: return %[[SUM]]
  %w = takt.weight_read @w : tensor<6x4x1x1xf32>
  %b = takt.weight_read @b : tensor<6xf32>
  %scale = takt.weight_read @scale : tensor<6xf32>
  %shift = takt.weight_read @shift : tensor<6xf32>
  %0 = takt.conv %x, %w strides [1, 1] dilations [1, 1] pads [0, 0], [0, 0] groups 1 : tensor<?x4x4x4xf32>, tensor<6x4x1x1xf32> -> tensor<?x4x4x6xf32>
  %1 = takt.broadcast %b dims [3] to <["n", "4", "4", "6"]> : tensor<6xf32> -> tensor<?x4x4x6xf32>
  %2 = arith.addf %0, %1 : tensor<?x4x4x6xf32>
  %3 = takt.broadcast %scale dims [3] to <["n", "4", "4", "6"]> : tensor<6xf32> -> tensor<?x4x4x6xf32>
  %4 = arith.mulf %2, %3 : tensor<?x4x4x6xf32>
  %5 = takt.broadcast %shift dims [3] to <["n", "4", "4", "6"]> : tensor<6xf32> -> tensor<?x4x4x6xf32>
  %6 = arith.addf %4, %5 : tensor<?x4x4x6xf32>
  return %6 : tensor<?x4x4x6xf32>
}

// -----

// A layer scale behind a product: the columns, or the rows of a transposed one.
takt.dim @n
takt.weight @w : tensor<4x6xf32> #takt.source<"f", 0, 96>
takt.weight @t : tensor<6x6xf32> #takt.source<"f", 96, 144>
takt.weight @scale : tensor<6xf32> #takt.source<"f", 240, 24>
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<?x4xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4"]>}) -> tensor<?x6xf32> {
  // CHECK: takt.broadcast %{{.*}} dims [1] to <["4", "6"]>
  // CHECK: takt.broadcast %{{.*}} dims [0] to <["6", "6"]>
  // CHECK: %[[LAST:.*]] = takt.matmul %{{.*}}, %{{.*}} transpose_rhs
  // CHECK-NEXT: return %[[LAST]]
  %w = takt.weight_read @w : tensor<4x6xf32>
  %t = takt.weight_read @t : tensor<6x6xf32>
  %scale = takt.weight_read @scale : tensor<6xf32>
  %0 = takt.matmul %x, %w : tensor<?x4xf32>, tensor<4x6xf32> -> tensor<?x6xf32>
  %1 = takt.broadcast %scale dims [1] to <["n", "6"]> : tensor<6xf32> -> tensor<?x6xf32>
  %2 = arith.mulf %1, %0 : tensor<?x6xf32>
  %3 = takt.matmul %2, %t transpose_rhs : tensor<?x6xf32>, tensor<6x6xf32> -> tensor<?x6xf32>
  %4 = arith.mulf %3, %1 : tensor<?x6xf32>
  return %4 : tensor<?x6xf32>
}

// -----

// A product that something else reads, or a scale of the request, stays.
takt.dim @n
takt.weight @w : tensor<4x6xf32> #takt.source<"f", 0, 96>
takt.weight @scale : tensor<6xf32> #takt.source<"f", 240, 24>
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<?x4xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4"]>},
                %s: tensor<6xf32> {takt.name = "s", takt.shape = #takt.shape<["6"]>}) -> (tensor<?x6xf32>, tensor<?x6xf32>) {
  // CHECK: %[[PRODUCT:.*]] = takt.matmul
  // CHECK: arith.mulf %[[PRODUCT]]
  // CHECK: %[[OTHER:.*]] = takt.matmul
  // CHECK: arith.mulf %[[OTHER]]
  %w = takt.weight_read @w : tensor<4x6xf32>
  %scale = takt.weight_read @scale : tensor<6xf32>
  %0 = takt.matmul %x, %w : tensor<?x4xf32>, tensor<4x6xf32> -> tensor<?x6xf32>
  %1 = takt.broadcast %scale dims [1] to <["n", "6"]> : tensor<6xf32> -> tensor<?x6xf32>
  %2 = arith.mulf %0, %1 : tensor<?x6xf32>
  %3 = arith.addf %0, %2 : tensor<?x6xf32>
  %w2 = takt.weight_read @w : tensor<4x6xf32>
  %4 = takt.matmul %x, %w2 : tensor<?x4xf32>, tensor<4x6xf32> -> tensor<?x6xf32>
  %5 = takt.broadcast %s dims [1] to <["n", "6"]> : tensor<6xf32> -> tensor<?x6xf32>
  %6 = arith.mulf %4, %5 : tensor<?x6xf32>
  return %3, %6 : tensor<?x6xf32>, tensor<?x6xf32>
}
