// RUN: takt-opt %s --takt-decompose-attention | FileCheck %s

takt.dim @s

// CHECK-LABEL: func.func @plain
// CHECK-NEXT: %[[P:.*]] = takt.matmul %arg0, %arg1 transpose_rhs
// CHECK-NEXT: %[[W:.*]] = takt.softmax %[[P]] axis 3
// CHECK-NEXT: %[[Y:.*]] = takt.matmul %[[W]], %arg2
// CHECK-NEXT: return %[[Y]]
func.func @plain(%q: tensor<2x4x?x8xf32> {takt.shape = #takt.shape<["2", "4", "s", "8"]>},
                 %k: tensor<2x4x?x8xf32> {takt.shape = #takt.shape<["2", "4", "s", "8"]>},
                 %v: tensor<2x4x?x8xf32> {takt.shape = #takt.shape<["2", "4", "s", "8"]>}) -> tensor<2x4x?x8xf32> {
  %y = takt.attention %q, %k, %v scale 1.0 : tensor<2x4x?x8xf32>, tensor<2x4x?x8xf32>, tensor<2x4x?x8xf32> -> tensor<2x4x?x8xf32>
  return %y : tensor<2x4x?x8xf32>
}

// The scale first, then the mask, repeated along heads and queries.

// CHECK-LABEL: func.func @scale_and_mask
// CHECK: %[[P:.*]] = takt.matmul
// CHECK: %[[C:.*]] = arith.constant dense<2.500000e-01>
// CHECK: %[[N:.*]] = takt.broadcast %[[C]] dims [] to <["2", "4", "s", "s"]>
// CHECK: %[[M:.*]] = arith.mulf %[[P]], %[[N]]
// CHECK: %[[B:.*]] = takt.broadcast %arg3 dims [0, 1, 2, 3] to <["2", "4", "s", "s"]>
// CHECK: %[[A:.*]] = arith.addf %[[M]], %[[B]]
// CHECK: takt.softmax %[[A]] axis 3
func.func @scale_and_mask(%q: tensor<2x4x?x8xf32> {takt.shape = #takt.shape<["2", "4", "s", "8"]>},
                          %k: tensor<2x4x?x8xf32> {takt.shape = #takt.shape<["2", "4", "s", "8"]>},
                          %v: tensor<2x4x?x8xf32> {takt.shape = #takt.shape<["2", "4", "s", "8"]>},
                          %m: tensor<2x1x1x?xf32> {takt.shape = #takt.shape<["2", "1", "1", "s"]>}) -> tensor<2x4x?x8xf32> {
  %y = takt.attention %q, %k, %v mask %m : tensor<2x1x1x?xf32> scale 0.25 : tensor<2x4x?x8xf32>, tensor<2x4x?x8xf32>, tensor<2x4x?x8xf32> -> tensor<2x4x?x8xf32>
  return %y : tensor<2x4x?x8xf32>
}

// Rows without any key become 0, not NaN.

// CHECK-LABEL: func.func @masked_rows_zero
// CHECK: %[[W:.*]] = takt.softmax
// CHECK: %[[U:.*]] = arith.cmpf uno, %[[W]], %[[W]]
// CHECK: %[[Z:.*]] = arith.select %[[U]], %{{.*}}, %[[W]]
// CHECK: takt.matmul %[[Z]], %arg2
func.func @masked_rows_zero(%q: tensor<1x1x2x8xf32>, %k: tensor<1x1x2x8xf32>, %v: tensor<1x1x2x8xf32>, %m: tensor<1x1x2x2xf32>) -> tensor<1x1x2x8xf32> {
  %y = takt.attention %q, %k, %v mask %m : tensor<1x1x2x2xf32> scale 1.0 masked_rows_zero : tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32> -> tensor<1x1x2x8xf32>
  return %y : tensor<1x1x2x8xf32>
}
