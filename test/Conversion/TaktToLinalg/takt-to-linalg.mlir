// RUN: takt-opt %s --takt-to-linalg | FileCheck %s

// An elementwise kernel is one generic over all dimensions; a broadcast is an
// indexing map, and the size that is not known an argument.
func.func @elementwise(%x: tensor<?x4xf32> {takt.shape = #takt.shape<["n", "4"]>}, %b: tensor<4xf32>) -> tensor<?x4xf32> {
  %0 = takt.dispatch "kernel"(%x, %b) sizes [#takt.shape<["n", "4"]>, #takt.shape<["4"]>] -> [#takt.shape<["n", "4"]>]
      : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32> {
  ^bb0(%a: tensor<?x4xf32>, %c: tensor<4xf32>):
    %1 = takt.broadcast %c dims [1] to <["n", "4"]> : tensor<4xf32> -> tensor<?x4xf32>
    %2 = arith.addf %a, %1 : tensor<?x4xf32>
    takt.yield %2 : tensor<?x4xf32>
  }
  return %0 : tensor<?x4xf32>
}

// Rows of a softmax share one loop; its row lies in the result.
func.func @softmax(%x: tensor<?x8xf32> {takt.shape = #takt.shape<["n", "8"]>}) -> tensor<?x8xf32> {
  %0 = takt.dispatch "kernel"(%x) sizes [#takt.shape<["n", "8"]>] -> [#takt.shape<["n", "8"]>] : (tensor<?x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%a: tensor<?x8xf32>):
    %1 = takt.softmax %a axis 1 : tensor<?x8xf32> -> tensor<?x8xf32>
    takt.yield %1 : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// Division before rounding keeps its exact meaning; other ops need not.
func.func @quantise(%x: tensor<8xf32>) -> (tensor<8xi32>, tensor<8xf32>) {
  %0:2 = takt.dispatch "kernel"(%x) sizes [#takt.shape<["8"]>] -> [#takt.shape<["8"]>, #takt.shape<["8"]>] : (tensor<8xf32>) -> (tensor<8xi32>, tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>):
    %c = arith.constant dense<0.1> : tensor<8xf32>
    %1 = arith.divf %a, %c : tensor<8xf32>
    %2 = math.roundeven %1 : tensor<8xf32>
    %3 = arith.fptosi %2 : tensor<8xf32> to tensor<8xi32>
    %4 = arith.mulf %a, %c : tensor<8xf32>
    takt.yield %3, %4 : tensor<8xi32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<8xi32>, tensor<8xf32>
}

// A row of unknown length that lies in no result needs scratch memory.
func.func @scratch(%x: tensor<2x?xf32> {takt.shape = #takt.shape<["2", "t"]>}) -> tensor<2x?xf32> {
  %0 = takt.dispatch "kernel"(%x) sizes [#takt.shape<["2", "t"]>] -> [#takt.shape<["2", "t"]>] : (tensor<2x?xf32>) -> tensor<2x?xf32> {
  ^bb0(%a: tensor<2x?xf32>):
    %1 = takt.softmax %a axis 1 : tensor<2x?xf32> -> tensor<2x?xf32>
    %2 = arith.negf %1 : tensor<2x?xf32>
    takt.yield %2 : tensor<2x?xf32>
  }
  return %0 : tensor<2x?xf32>
}

// CHECK: #[[ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[COLUMN:.+]] = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func @kernel0(
// CHECK-SAME:      %{{[^:]*}}: memref<1xf32>, %{{[^:]*}}: memref<1xf32>, %{{[^:]*}}: memref<1xf32>, %[[N:.*]]: index {takt.size = "n"})
// CHECK-NOT:     scf.for
// CHECK:         linalg.generic {indexing_maps = [#[[ID]], #[[COLUMN]], #[[ID]]], iterator_types = ["parallel", "parallel"]}
// CHECK:           arith.addf %{{.*}}, %{{.*}} fastmath<reassoc,nsz,arcp,contract> : f32
// CHECK-NOT:     linalg.generic

// CHECK-LABEL: func.func @kernel1(
// CHECK-SAME:      %[[X:[^:]*]]: memref<1xf32>, %[[Y:[^:]*]]: memref<1xf32>, %[[N:[^:]*]]: index {takt.size = "n"})
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[N]]
// CHECK:           linalg.generic {{.*}}iterator_types = ["reduction"]
// CHECK:             arith.maximumf
// CHECK:           linalg.generic {{.*}}iterator_types = ["reduction"]
// CHECK:             math.exp %{{.*}} fastmath<afn>
// CHECK:             linalg.yield %{{.*}}, %{{.*}} : f32, f32
// CHECK:           linalg.generic {{.*}}iterator_types = ["parallel"]
// CHECK:             arith.divf

// CHECK-LABEL: func.func @kernel2(
// CHECK:         arith.divf %{{[^ ]*}}, %{{[^ ]*}} : f32
// CHECK:         arith.mulf %{{.*}}, %{{.*}} fastmath<reassoc,nsz,arcp,contract> : f32

// CHECK-LABEL: func.func @kernel3(
// CHECK-SAME:      memref<1xf32> {takt.scratch = "[t]"}
