// RUN: takt-opt %s --split-input-file --takt-legalize --takt-verify-legalized --canonicalize | FileCheck %s

// Rounded to even after a true division, bounded to the type of the zero point.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[S:.*]] = takt.broadcast %arg1 dims [] to <["n", "4"]>
// CHECK: arith.uitofp
// CHECK: %[[D:.*]] = arith.divf %arg0, %[[S]]
// CHECK: %[[R:.*]] = math.roundeven %[[D]]
// CHECK: arith.addf %[[R]]
// CHECK: arith.maximumf
// CHECK: %[[B:.*]] = arith.minimumf
// CHECK: %[[I:.*]] = arith.fptosi %[[B]] : tensor<?x4xf32> to tensor<?x4xi64>
// CHECK: arith.trunci %[[I]]
// CHECK: takt.reinterpret %{{.*}} : tensor<?x4xi8> -> tensor<?x4xui8>
func.func @main(%x: tensor<?x4xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4"]>}, %s: tensor<f32> {takt.name = "s", takt.shape = #takt.shape<[]>}, %z: tensor<ui8> {takt.name = "z", takt.shape = #takt.shape<[]>})
    -> (tensor<?x4xui8> {takt.name = "y"}) {
  %y = "onnx.node"(%x, %s, %z) <{op_type = "QuantizeLinear", domain = "", version = 13 : i64, attrs = {}}> : (tensor<?x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<?x4xui8>
  return %y : tensor<?x4xui8>
}

// -----

// One scale per position along the axis, or per block of positions.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[S:.*]] = takt.broadcast %arg1 dims [1] to <["n", "4"]>
// CHECK: %[[X:.*]] = arith.sitofp %arg0
// CHECK: arith.mulf %[[X]], %[[S]]
// CHECK: %[[I:.*]] = arith.divsi
// CHECK: takt.gather %arg2[%[[I]]] axis 1
func.func @main(%x: tensor<?x4xi8> {takt.name = "x", takt.shape = #takt.shape<["n", "4"]>}, %s: tensor<4xf32> {takt.name = "s", takt.shape = #takt.shape<["4"]>}, %t: tensor<?x2xf32> {takt.name = "t", takt.shape = #takt.shape<["n", "2"]>})
    -> (tensor<?x4xf32> {takt.name = "a"}, tensor<?x4xf32> {takt.name = "b"}) {
  %a = "onnx.node"(%x, %s) <{op_type = "DequantizeLinear", domain = "", version = 13 : i64, attrs = {}}> : (tensor<?x4xi8>, tensor<4xf32>) -> tensor<?x4xf32>
  %b = "onnx.node"(%x, %t) <{op_type = "DequantizeLinear", domain = "", version = 21 : i64, attrs = {block_size = 2 : i64}}> : (tensor<?x4xi8>, tensor<?x2xf32>) -> tensor<?x4xf32>
  return %a, %b : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// The range of x and 0 gives scale and zero point.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[H:.*]] = takt.reduce "max" %arg0 axes [0, 1]
// CHECK: %[[L:.*]] = takt.reduce "min" %arg0 axes [0, 1]
// CHECK: arith.maximumf %[[H]]
// CHECK: arith.minimumf %[[L]]
// CHECK: %[[S:.*]] = arith.select
// CHECK: math.roundeven %{{.*}} : tensor<f32>
// CHECK: takt.broadcast %[[S]] dims [] to <["n", "4"]>
// CHECK: math.roundeven %{{.*}} : tensor<?x4xf32>
func.func @main(%x: tensor<?x4xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4"]>})
    -> (tensor<?x4xui8> {takt.name = "y"}, tensor<f32> {takt.name = "s"}, tensor<ui8> {takt.name = "z"}) {
  %y, %s, %z = "onnx.node"(%x) <{op_type = "DynamicQuantizeLinear", domain = "", version = 11 : i64, attrs = {}}> : (tensor<?x4xf32>) -> (tensor<?x4xui8>, tensor<f32>, tensor<ui8>)
  return %y, %s, %z : tensor<?x4xui8>, tensor<f32>, tensor<ui8>
}
