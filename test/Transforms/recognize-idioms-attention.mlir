// RUN: takt-opt %s --split-input-file --takt-recognize-idioms | FileCheck %s

// Both sides scaled by a root, the key through matrices, rows of NaN set to 0. The
// mask keeps the dimension that was repeated.

takt.dim @b
takt.dim @s
// CHECK-LABEL: func.func @two_scales
// CHECK-NEXT: %[[A:.*]] = takt.attention %arg0, %arg1, %arg2 mask %arg3 : tensor<?x1x?x?xf32> scale 2.500000e-01 masked_rows_zero
// CHECK-NEXT: return %[[A]]
func.func @two_scales(%q: tensor<?x4x?x8xf32> {takt.shape = #takt.shape<["b", "4", "s", "8"]>},
                      %k: tensor<?x4x?x8xf32> {takt.shape = #takt.shape<["b", "4", "s", "8"]>},
                      %v: tensor<?x4x?x8xf32> {takt.shape = #takt.shape<["b", "4", "s", "8"]>},
                      %m: tensor<?x1x?x?xf32> {takt.shape = #takt.shape<["b", "1", "s", "s"]>})
    -> tensor<?x4x?x8xf32> {
  %half = arith.constant dense<0.5> : tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %r = takt.reshape %k to <["4*b", "s", "8"]> : tensor<?x4x?x8xf32> -> tensor<?x?x8xf32>
  %t = takt.transpose %r [0, 2, 1] : tensor<?x?x8xf32> -> tensor<?x8x?xf32>
  %kt = takt.reshape %t to <["b", "4", "8", "s"]> : tensor<?x8x?xf32> -> tensor<?x4x8x?xf32>
  %hq = takt.broadcast %half dims [] to <["b", "4", "s", "8"]> : tensor<f32> -> tensor<?x4x?x8xf32>
  %hk = takt.broadcast %half dims [] to <["b", "4", "8", "s"]> : tensor<f32> -> tensor<?x4x8x?xf32>
  %qs = arith.mulf %q, %hq : tensor<?x4x?x8xf32>
  %ks = arith.mulf %kt, %hk : tensor<?x4x8x?xf32>
  %p = takt.matmul %qs, %ks : tensor<?x4x?x8xf32>, tensor<?x4x8x?xf32> -> tensor<?x4x?x?xf32>
  %mb = takt.broadcast %m dims [0, 1, 2, 3] to <["b", "4", "s", "s"]> : tensor<?x1x?x?xf32> -> tensor<?x4x?x?xf32>
  %masked = arith.addf %p, %mb : tensor<?x4x?x?xf32>
  %w = takt.softmax %masked axis 3 : tensor<?x4x?x?xf32> -> tensor<?x4x?x?xf32>
  %nan = arith.cmpf uno, %w, %w : tensor<?x4x?x?xf32>
  %z = takt.broadcast %zero dims [] to <["b", "4", "s", "s"]> : tensor<f32> -> tensor<?x4x?x?xf32>
  %c = arith.select %nan, %z, %w : tensor<?x4x?x?xi1>, tensor<?x4x?x?xf32>
  %y = takt.matmul %c, %v : tensor<?x4x?x?xf32>, tensor<?x4x?x8xf32> -> tensor<?x4x?x8xf32>
  return %y : tensor<?x4x?x8xf32>
}

// -----

// The key transposed directly from [B, T, H, D], the product divided, the mask
// chosen by a condition.

// CHECK-LABEL: func.func @chosen_mask
// CHECK-DAG: %[[K:.*]] = takt.transpose %arg1 [0, 2, 1, 3] : tensor<2x5x4x8xf32> -> tensor<2x4x5x8xf32>
// CHECK-DAG: %[[M:.*]] = arith.select %arg3, {{.*}} : tensor<2x1x1x5xi1>, tensor<2x1x1x5xf32>
// CHECK: takt.attention %arg0, %[[K]], %arg2 mask %[[M]] : tensor<2x1x1x5xf32> scale 5.000000e-01 :
func.func @chosen_mask(%q: tensor<2x4x3x8xf32>, %k: tensor<2x5x4x8xf32>, %v: tensor<2x4x5x8xf32>, %m: tensor<2x1x1x5xi1>) -> tensor<2x4x3x8xf32> {
  %two = arith.constant dense<2.0> : tensor<2x4x3x5xf32>
  %low = arith.constant dense<0xFF800000> : tensor<2x4x3x5xf32>
  %kt = takt.transpose %k [0, 2, 3, 1] : tensor<2x5x4x8xf32> -> tensor<2x4x8x5xf32>
  %p = takt.matmul %q, %kt : tensor<2x4x3x8xf32>, tensor<2x4x8x5xf32> -> tensor<2x4x3x5xf32>
  %s = arith.divf %p, %two : tensor<2x4x3x5xf32>
  %mb = takt.broadcast %m dims [0, 1, 2, 3] to <["2", "4", "3", "5"]> : tensor<2x1x1x5xi1> -> tensor<2x4x3x5xi1>
  %masked = arith.select %mb, %low, %s : tensor<2x4x3x5xi1>, tensor<2x4x3x5xf32>
  %w = takt.softmax %masked axis 3 : tensor<2x4x3x5xf32> -> tensor<2x4x3x5xf32>
  %y = takt.matmul %w, %v : tensor<2x4x3x5xf32>, tensor<2x4x5x8xf32> -> tensor<2x4x3x8xf32>
  return %y : tensor<2x4x3x8xf32>
}

// -----

// Weights that are an output too, a softmax along another axis, and a mask that
// does not absorb the scores stay as they are.

// CHECK-LABEL: func.func @lookalikes
// CHECK-NOT: takt.attention
func.func @lookalikes(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x8x5xf32>, %v: tensor<2x4x5x8xf32>, %m: tensor<2x4x5x5xi1>)
    -> (tensor<2x4x5x8xf32>, tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) {
  %p = takt.matmul %q, %k : tensor<2x4x5x8xf32>, tensor<2x4x8x5xf32> -> tensor<2x4x5x5xf32>
  %w = takt.softmax %p axis 3 : tensor<2x4x5x5xf32> -> tensor<2x4x5x5xf32>
  %y = takt.matmul %w, %v : tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32> -> tensor<2x4x5x8xf32>
  %p1 = takt.matmul %q, %k : tensor<2x4x5x8xf32>, tensor<2x4x8x5xf32> -> tensor<2x4x5x5xf32>
  %w1 = takt.softmax %p1 axis 2 : tensor<2x4x5x5xf32> -> tensor<2x4x5x5xf32>
  %y1 = takt.matmul %w1, %v : tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32> -> tensor<2x4x5x8xf32>
  %small = arith.constant dense<-100.0> : tensor<2x4x5x5xf32>
  %p2 = takt.matmul %q, %k : tensor<2x4x5x8xf32>, tensor<2x4x8x5xf32> -> tensor<2x4x5x5xf32>
  %m2 = arith.select %m, %small, %p2 : tensor<2x4x5x5xi1>, tensor<2x4x5x5xf32>
  %w2 = takt.softmax %m2 axis 3 : tensor<2x4x5x5xf32> -> tensor<2x4x5x5xf32>
  %y2 = takt.matmul %w2, %v : tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32> -> tensor<2x4x5x8xf32>
  return %y, %w, %y1, %y2 : tensor<2x4x5x8xf32>, tensor<2x4x5x5xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>
}

// -----

// Scores that the function returns stay what they are.

takt.dim @b
takt.dim @s
// CHECK-LABEL: func.func @scores_are_a_result
// CHECK-NOT: takt.attention
// CHECK: return
func.func @scores_are_a_result(%q: tensor<?x4x?x8xf32> {takt.shape = #takt.shape<["b", "4", "s", "8"]>},
                               %k: tensor<?x4x?x8xf32> {takt.shape = #takt.shape<["b", "4", "s", "8"]>})
    -> (tensor<?x4x?x8xf32>, tensor<?x4x?x?xf32>) {
  %half = arith.constant dense<0.5> : tensor<f32>
  %p = takt.matmul %q, %k transpose_rhs : tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32> -> tensor<?x4x?x?xf32>
  %h = takt.broadcast %half dims [] to <["b", "4", "s", "s"]> : tensor<f32> -> tensor<?x4x?x?xf32>
  %scores = arith.mulf %p, %h : tensor<?x4x?x?xf32>
  %w = takt.softmax %scores axis 3 : tensor<?x4x?x?xf32> -> tensor<?x4x?x?xf32>
  %y = takt.matmul %w, %k : tensor<?x4x?x?xf32>, tensor<?x4x?x8xf32> -> tensor<?x4x?x8xf32>
  return %y, %scores : tensor<?x4x?x8xf32>, tensor<?x4x?x?xf32>
}
