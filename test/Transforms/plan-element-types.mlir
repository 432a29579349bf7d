// RUN: takt-opt %s -takt-plan="tensor=2 cluster=%S/Inputs/fast-links.json" -takt-verify-plan | FileCheck %s

// Collectives add no f16: both products are cut by columns, none is partial.
module {
  takt.dim @batch {typical = 64 : i64}
  takt.weight @up : tensor<256x1024xf16> #takt.source<"w.bin", 0, 524288>
  takt.weight @down : tensor<1024x256xf16> #takt.source<"w.bin", 524288, 524288>
  func.func @main(%x: tensor<?x256xf16> {takt.name = "x", takt.shape = #takt.shape<["batch", "256"]>})
      -> (tensor<?x256xf16> {takt.name = "y"}) {
    %up = takt.weight_read @up : tensor<256x1024xf16>
    %down = takt.weight_read @down : tensor<1024x256xf16>
    %h = takt.matmul %x, %up : tensor<?x256xf16>, tensor<256x1024xf16> -> tensor<?x1024xf16>
    %y = takt.matmul %h, %down : tensor<?x1024xf16>, tensor<1024x256xf16> -> tensor<?x256xf16>
    return %y : tensor<?x256xf16>
  }
}

// CHECK-NOT: partial
// CHECK:     takt.matmul {{.*}}takt.result_states = [#takt.sharding<split 1>]
// CHECK-NOT: partial
// CHECK:     takt.matmul {{.*}}takt.result_states = [#takt.sharding<split 1>]
// CHECK-NOT: partial
