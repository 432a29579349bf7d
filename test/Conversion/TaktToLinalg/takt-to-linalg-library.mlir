// RUN: takt-opt %s --takt-to-linalg=library | FileCheck %s

// The reference target computes library dispatches as loops too: one row of the
// product, over k outside and n inside, and then its epilogue.
func.func @matmul(%x: tensor<?x4xf32> {takt.shape = #takt.shape<["n", "4"]>}, %w: tensor<4x8xf32>) -> tensor<?x8xf32> {
  %0 = takt.dispatch "library"(%x, %w) sizes [#takt.shape<["n", "4"]>, #takt.shape<["4", "8"]>] -> [#takt.shape<["n", "8"]>] : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32> {
  ^bb0(%a: tensor<?x4xf32>, %b: tensor<4x8xf32>):
    %1 = takt.matmul %a, %b : tensor<?x4xf32>, tensor<4x8xf32> -> tensor<?x8xf32>
    %2 = takt.gelu %1 : tensor<?x8xf32> -> tensor<?x8xf32>
    takt.yield %2 : tensor<?x8xf32>
  }
  return %0 : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @kernel0(
// CHECK-SAME:      %[[N:[^:]*]]: index {takt.size = "n"})
// CHECK:         memref.alloca() {{.*}} : memref<8xf32>
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[N]]
// CHECK:           linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]
// CHECK:             arith.mulf
// CHECK:             arith.addf
// CHECK:           linalg.generic {{.*}}iterator_types = ["parallel"]
// CHECK:             math.erf
