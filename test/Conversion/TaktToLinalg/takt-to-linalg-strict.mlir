// RUN: takt-opt %s --takt-to-linalg | FileCheck %s

// An element is found by comparing it with the maximum: both are computed from the
// same values and must have the same bits, so neither is reassociated.
// CHECK-LABEL: func.func @kernel0(
// CHECK: arith.mulf %{{[^ ]*}}, %{{[^ ]*}} : f32
// CHECK: arith.addf %{{[^ ]*}}, %{{[^ ]*}} : f32
// CHECK: arith.cmpf oeq
func.func @position_of_maximum(%x: tensor<4x8xf32>, %m: tensor<4x8xf32>) -> tensor<4x8xi1> {
  %0 = takt.dispatch "kernel"(%x, %m) sizes [#takt.shape<["4", "8"]>, #takt.shape<["4", "8"]>] -> [#takt.shape<["4", "8"]>] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    %1 = arith.mulf %a, %b : tensor<4x8xf32>
    %2 = arith.addf %1, %b : tensor<4x8xf32>
    %3 = arith.cmpf oeq, %2, %b : tensor<4x8xf32>
    takt.yield %3 : tensor<4x8xi1>
  }
  return %0 : tensor<4x8xi1>
}
