// RUN: takt-opt %s --split-input-file --takt-form-dispatches | FileCheck %s

// A library call takes the bias of a weight, the residual and the activation.

takt.dim @n
takt.weight @w : tensor<8x8xf32> #takt.source<"w.bin", 0, 256>
takt.weight @b : tensor<8xf32> #takt.source<"w.bin", 256, 32>
// CHECK-LABEL: func.func @epilogues
// CHECK-DAG: %[[W:.*]] = takt.weight_read @w
// CHECK-DAG: %[[B:.*]] = takt.weight_read @b
// CHECK: %[[R:.*]] = takt.dispatch "library"(%arg0, %[[W]], %[[B]], %arg1)
// CHECK: takt.matmul
// CHECK: takt.broadcast
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: arith.constant
// CHECK: takt.broadcast
// CHECK: arith.maximumf
// CHECK: takt.yield
// CHECK-NOT: takt.dispatch
// CHECK: return %[[R]]
func.func @epilogues(%x: tensor<?x8xf32> {takt.shape = #takt.shape<["n", "8"]>}, %r: tensor<?x8xf32> {takt.shape = #takt.shape<["n", "8"]>}) -> tensor<?x8xf32> {
  %w = takt.weight_read @w : tensor<8x8xf32>
  %b = takt.weight_read @b : tensor<8xf32>
  %y = takt.matmul %x, %w : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
  %bias = takt.broadcast %b dims [1] to <["n", "8"]> : tensor<8xf32> -> tensor<?x8xf32>
  %0 = arith.addf %y, %bias : tensor<?x8xf32>
  %1 = arith.addf %0, %r : tensor<?x8xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %zeros = takt.broadcast %zero dims [] to <["n", "8"]> : tensor<f32> -> tensor<?x8xf32>
  %2 = arith.maximumf %1, %zeros : tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// -----

// One number that is added to all elements is no bias: a vector of one element has
// no element for each column.

takt.weight @w : tensor<8x8xf32> #takt.source<"w.bin", 0, 256>
takt.weight @b : tensor<1xf32> #takt.source<"w.bin", 256, 4>
// CHECK-LABEL: func.func @no_bias
// CHECK: %[[Y:.*]] = takt.dispatch "library"
// CHECK-NEXT: ^bb0
// CHECK-NEXT: takt.matmul
// CHECK-NEXT: takt.yield
// CHECK: takt.dispatch "kernel"({{.*}}%[[Y]]
func.func @no_bias(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %w = takt.weight_read @w : tensor<8x8xf32>
  %b = takt.weight_read @b : tensor<1xf32>
  %y = takt.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %bias = takt.broadcast %b dims [1] to <["4", "8"]> : tensor<1xf32> -> tensor<4x8xf32>
  %0 = arith.addf %y, %bias : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Elementwise ops around a row reduction are one kernel.

// CHECK-LABEL: func.func @rows
// CHECK: takt.dispatch "kernel"(%arg0)
// CHECK: math.exp
// CHECK: takt.softmax
// CHECK: math.tanh
// CHECK-NOT: takt.dispatch
// CHECK: return
func.func @rows(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = math.exp %x : tensor<4x8xf32>
  %1 = takt.softmax %0 axis 1 : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = math.tanh %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// A reshape is a view, a collective stands alone.

// CHECK-LABEL: func.func @alone
// CHECK: %[[V:.*]] = takt.dispatch "view"(%arg0)
// CHECK: %[[C:.*]] = takt.dispatch "collective"(%[[V]])
// CHECK: takt.dispatch "kernel"(%[[C]])
func.func @alone(%x: tensor<4x8xf32>) -> tensor<32xf32> {
  %0 = takt.reshape %x to <["32"]> : tensor<4x8xf32> -> tensor<32xf32>
  %1 = takt.all_reduce %0 ways 2 : tensor<32xf32> -> tensor<32xf32>
  %2 = math.exp %1 : tensor<32xf32>
  return %2 : tensor<32xf32>
}
