// RUN: takt-opt %s --takt-to-linalg | FileCheck %s

// Movement costs nothing where an indexing map can say it.
func.func @transpose(%x: tensor<4x?x8xf32> {takt.shape = #takt.shape<["4", "n", "8"]>}) -> tensor<?x4x8xf32> {
  %0 = takt.dispatch "kernel"(%x) sizes [#takt.shape<["4", "n", "8"]>] -> [#takt.shape<["n", "4", "8"]>] : (tensor<4x?x8xf32>) -> tensor<?x4x8xf32> {
  ^bb0(%a: tensor<4x?x8xf32>):
    %1 = takt.transpose %a [1, 0, 2] : tensor<4x?x8xf32> -> tensor<?x4x8xf32>
    takt.yield %1 : tensor<?x4x8xf32>
  }
  return %0 : tensor<?x4x8xf32>
}

// A row of a table is where data says; the index is clamped.
func.func @gather(%t: tensor<16x8xf32>, %i: tensor<4xi64>) -> tensor<4x8xf32> {
  %0 = takt.dispatch "kernel"(%t, %i) sizes [#takt.shape<["16", "8"]>, #takt.shape<["4"]>] -> [#takt.shape<["4", "8"]>] : (tensor<16x8xf32>, tensor<4xi64>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<16x8xf32>, %b: tensor<4xi64>):
    %1 = takt.gather %a[%b] axis 0 : tensor<16x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
    takt.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// Each part of a concatenation is copied to its place.
func.func @concat(%x: tensor<4x?xf32> {takt.shape = #takt.shape<["4", "n"]>}, %y: tensor<4x2xf32>) -> tensor<4x?xf32> {
  %0 = takt.dispatch "kernel"(%x, %y) sizes [#takt.shape<["4", "n"]>, #takt.shape<["4", "2"]>] -> [#takt.shape<["4", "n + 2"]>] : (tensor<4x?xf32>, tensor<4x2xf32>) -> tensor<4x?xf32> {
  ^bb0(%a: tensor<4x?xf32>, %b: tensor<4x2xf32>):
    %1 = takt.concat %a, %b axis 1 : tensor<4x?xf32>, tensor<4x2xf32> -> tensor<4x?xf32>
    takt.yield %1 : tensor<4x?xf32>
  }
  return %0 : tensor<4x?xf32>
}

// Bools are bytes in memory.
func.func @mask(%m: tensor<8xi1>) -> tensor<8xi1> {
  %0 = takt.dispatch "kernel"(%m) sizes [#takt.shape<["8"]>] -> [#takt.shape<["8"]>] : (tensor<8xi1>) -> tensor<8xi1> {
  ^bb0(%a: tensor<8xi1>):
    %c = arith.constant dense<true> : tensor<8xi1>
    %1 = arith.xori %a, %c : tensor<8xi1>
    takt.yield %1 : tensor<8xi1>
  }
  return %0 : tensor<8xi1>
}

// CHECK-DAG: #[[ID:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[SWAP:.+]] = affine_map<(d0, d1, d2) -> (d1, d0, d2)>

// CHECK-LABEL: func.func @kernel0(
// CHECK:         linalg.generic {indexing_maps = [#[[SWAP]], #[[ID]]]

// CHECK-LABEL: func.func @kernel1(
// CHECK:         linalg.generic
// CHECK:           arith.minsi
// CHECK:           arith.maxsi
// CHECK:           memref.load

// CHECK-LABEL: func.func @kernel2(
// CHECK-SAME:      %[[X:[^:]*]]: memref<1xf32>, %[[Y:[^:]*]]: memref<1xf32>, %[[OUT:[^:]*]]: memref<1xf32>
// CHECK:         memref.reinterpret_cast %[[OUT]] to offset: [0]
// CHECK:         linalg.generic
// CHECK:         memref.reinterpret_cast %[[OUT]] to offset: [%{{.*}}]
// CHECK:         linalg.generic

// CHECK-LABEL: func.func @kernel3(
// CHECK-SAME:      memref<1xi8>, %{{[^:]*}}: memref<1xi8>
// CHECK:           arith.cmpi ne, %{{.*}} : i8
// CHECK:           arith.extui %{{.*}} : i1 to i8
