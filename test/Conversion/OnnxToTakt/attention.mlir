// RUN: takt-opt %s --split-input-file --takt-legalize --takt-verify-legalized --canonicalize | FileCheck %s

// Query groups share heads; the mask sees the past and the keys up to the query's own.

takt.dim @b
takt.dim @s
takt.dim @p
// CHECK-LABEL: func.func @main
// CHECK: %[[K:.*]] = takt.concat %arg2, %arg1 axis 2
// CHECK: %[[V:.*]] = takt.concat %arg3, %arg1 axis 2
// CHECK: %[[S:.*]] = takt.reshape %[[K]] to <["b", "2", "1", "p + s", "8"]>
// CHECK: %[[R:.*]] = takt.broadcast %[[S]] dims [0, 1, 2, 3, 4] to <["b", "2", "2", "p + s", "8"]>
// CHECK: %[[H:.*]] = takt.reshape %[[R]] to <["b", "4", "p + s", "8"]>
// CHECK: takt.size_tensor <["p"]>
// CHECK: %[[C:.*]] = arith.cmpi sle
// CHECK: %[[M:.*]] = arith.select %[[C]]
// CHECK: %[[Y:.*]] = takt.attention %arg0, %[[H]], %{{.*}} mask %[[M]] : tensor<1x1x?x?xf32> scale 0.35355339059327373 masked_rows_zero
// CHECK: return %[[Y]], %[[K]], %[[V]]
func.func @main(%q: tensor<?x4x?x8xf32> {takt.name = "q", takt.shape = #takt.shape<["b", "4", "s", "8"]>}, %k: tensor<?x2x?x8xf32> {takt.name = "k", takt.shape = #takt.shape<["b", "2", "s", "8"]>}, %pk: tensor<?x2x?x8xf32> {takt.name = "pk", takt.shape = #takt.shape<["b", "2", "p", "8"]>}, %pv: tensor<?x2x?x8xf32> {takt.name = "pv", takt.shape = #takt.shape<["b", "2", "p", "8"]>})
    -> (tensor<?x4x?x8xf32> {takt.name = "y"}, tensor<?x2x?x8xf32> {takt.name = "a"}, tensor<?x2x?x8xf32> {takt.name = "c"}) {
  %none = "onnx.none"() : () -> none
  %y, %a, %c = "onnx.node"(%q, %k, %k, %none, %pk, %pv) <{op_type = "Attention", domain = "", version = 23 : i64, attrs = {is_causal = 1 : i64}}> : (tensor<?x4x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, none, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>) -> (tensor<?x4x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>)
  return %y, %a, %c : tensor<?x4x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>
}

// -----

// Heads from the last dimension; a mask that is too short ends in -inf.

// CHECK-LABEL: func.func @main
// CHECK: %[[Q:.*]] = takt.transpose %{{.*}} [0, 2, 1, 3] : tensor<2x3x4x8xf32>
// CHECK: %[[B:.*]] = arith.select %arg2
// CHECK: %[[R:.*]] = takt.reshape %[[B]] to <["1", "1", "3", "4"]>
// CHECK: %[[M:.*]] = takt.concat %[[R]], %{{.*}} axis 3 : tensor<1x1x3x4xf32>, tensor<1x1x3x1xf32>
// CHECK: %[[Y:.*]] = takt.attention %[[Q]], {{.*}} mask %[[M]] : tensor<1x1x3x5xf32> scale 5.000000e-01
// CHECK: takt.transpose %[[Y]] [0, 2, 1, 3]
func.func @main(%q: tensor<2x3x32xf32> {takt.name = "q", takt.shape = #takt.shape<["2", "3", "32"]>}, %k: tensor<2x5x32xf32> {takt.name = "k", takt.shape = #takt.shape<["2", "5", "32"]>}, %m: tensor<3x4xi1> {takt.name = "m", takt.shape = #takt.shape<["3", "4"]>})
    -> (tensor<2x3x32xf32> {takt.name = "y"}) {
  %y = "onnx.node"(%q, %k, %k, %m) <{op_type = "Attention", domain = "", version = 23 : i64, attrs = {q_num_heads = 4 : i64, kv_num_heads = 4 : i64, scale = 5.000000e-01 : f32}}> : (tensor<2x3x32xf32>, tensor<2x5x32xf32>, tensor<2x5x32xf32>, tensor<3x4xi1>) -> tensor<2x3x32xf32>
  return %y : tensor<2x3x32xf32>
}

// -----

// A cap needs the steps: product, scale, tanh, mask, softmax.

takt.dim @b
takt.dim @s
takt.dim @t
// CHECK-LABEL: func.func @main
// CHECK: %[[P:.*]] = takt.matmul %arg0, %arg1 transpose_rhs
// CHECK: %[[S:.*]] = arith.mulf %[[P]]
// CHECK: %[[D:.*]] = arith.divf %[[S]]
// CHECK: %[[T:.*]] = math.tanh %[[D]]
// CHECK: %[[C:.*]] = arith.mulf %[[T]]
// CHECK: %[[M:.*]] = arith.addf %[[C]]
// CHECK: takt.softmax %[[M]] axis 3
func.func @main(%q: tensor<?x4x?x8xf32> {takt.name = "q", takt.shape = #takt.shape<["b", "4", "s", "8"]>}, %k: tensor<?x4x?x8xf32> {takt.name = "k", takt.shape = #takt.shape<["b", "4", "t", "8"]>}, %m: tensor<?x?xf32> {takt.name = "m", takt.shape = #takt.shape<["s", "t"]>})
    -> (tensor<?x4x?x8xf32> {takt.name = "y"}) {
  %y = "onnx.node"(%q, %k, %k, %m) <{op_type = "Attention", domain = "", version = 23 : i64, attrs = {softcap = 3.000000e+01 : f32}}> : (tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32>, tensor<?x?xf32>) -> tensor<?x4x?x8xf32>
  return %y : tensor<?x4x?x8xf32>
}

// -----

// Rotary embedding: halves, or pairs, of the first elements; the rest passes through.

takt.dim @b
takt.dim @s
// CHECK-LABEL: func.func @main
// CHECK: takt.slice %arg0 from <["0", "0", "0", "0"]> sizes <["b", "2", "s", "2"]> strides [1, 1, 1, 1]
// CHECK: takt.slice %arg0 from <["0", "0", "0", "2"]> sizes <["b", "2", "s", "2"]> strides [1, 1, 1, 1]
// CHECK: takt.gather %arg1[%arg2] axis 0
// CHECK: arith.subf
// CHECK: arith.addf
// CHECK: takt.slice %arg0 from <["0", "0", "0", "4"]> sizes <["b", "2", "s", "4"]>
// CHECK: takt.slice %arg0 from <["0", "0", "0", "0"]> sizes <["b", "2", "s", "2"]> strides [1, 1, 1, 2]
// CHECK: takt.slice %arg0 from <["0", "0", "0", "1"]> sizes <["b", "2", "s", "2"]> strides [1, 1, 1, 2]
func.func @main(%x: tensor<?x2x?x8xf32> {takt.name = "x", takt.shape = #takt.shape<["b", "2", "s", "8"]>}, %c: tensor<50x2xf32> {takt.name = "c", takt.shape = #takt.shape<["50", "2"]>}, %i: tensor<?x?xi64> {takt.name = "i", takt.shape = #takt.shape<["b", "s"]>})
    -> (tensor<?x2x?x8xf32> {takt.name = "y"}, tensor<?x2x?x8xf32> {takt.name = "z"}) {
  %y = "onnx.node"(%x, %c, %c, %i) <{op_type = "RotaryEmbedding", domain = "", version = 23 : i64, attrs = {rotary_embedding_dim = 4 : i64}}> : (tensor<?x2x?x8xf32>, tensor<50x2xf32>, tensor<50x2xf32>, tensor<?x?xi64>) -> tensor<?x2x?x8xf32>
  %z = "onnx.node"(%x, %c, %c, %i) <{op_type = "RotaryEmbedding", domain = "", version = 23 : i64, attrs = {rotary_embedding_dim = 4 : i64, interleaved = 1 : i64}}> : (tensor<?x2x?x8xf32>, tensor<50x2xf32>, tensor<50x2xf32>, tensor<?x?xi64>) -> tensor<?x2x?x8xf32>
  return %y, %z : tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>
}
