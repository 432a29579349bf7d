// RUN: takt-opt %s --split-input-file --takt-legalize --takt-verify-legalized --canonicalize | FileCheck %s

// NaN passes through Relu and Clip; an empty bound is no bound.

// CHECK-LABEL: func.func @main
// CHECK: arith.maximumf %arg0, %{{.*}} : tensor<4xf32>
// CHECK: arith.minimumf %{{.*}}, %{{.*}} : tensor<4xf32>
// CHECK-NOT: arith.maximumf
// CHECK: arith.cmpf uno
func.func @main(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>})
    -> (tensor<4xi1> {takt.name = "y"}) {
  %high = arith.constant dense<1.0> : tensor<f32>
  %none = "onnx.none"() : () -> none
  %r = "onnx.node"(%x) <{op_type = "Relu", domain = "", version = 17 : i64, attrs = {}}> : (tensor<4xf32>) -> tensor<4xf32>
  %c = "onnx.node"(%r, %none, %high) <{op_type = "Clip", domain = "", version = 17 : i64, attrs = {}}> : (tensor<4xf32>, none, tensor<f32>) -> tensor<4xf32>
  %y = "onnx.node"(%c) <{op_type = "IsNaN", domain = "", version = 17 : i64, attrs = {}}> : (tensor<4xf32>) -> tensor<4xi1>
  return %y : tensor<4xi1>
}

// -----

// Integer Div truncates; Mod follows the divisor's sign, or the dividend's.

// CHECK-LABEL: func.func @main
// CHECK: arith.divsi %arg0, %arg1
// CHECK: %[[R:.*]] = arith.remsi %arg0, %arg1
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[R]]
// CHECK: arith.remsi %arg0, %arg1
// CHECK-NOT: arith.select
func.func @main(%x: tensor<4xi32> {takt.name = "x", takt.shape = #takt.shape<["4"]>},
                %y: tensor<4xi32> {takt.name = "y", takt.shape = #takt.shape<["4"]>})
    -> (tensor<4xi32> {takt.name = "q"}, tensor<4xi32> {takt.name = "r"}, tensor<4xi32> {takt.name = "f"}) {
  %q = "onnx.node"(%x, %y) <{op_type = "Div", domain = "", version = 17 : i64, attrs = {}}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %r = "onnx.node"(%x, %y) <{op_type = "Mod", domain = "", version = 17 : i64, attrs = {}}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %f = "onnx.node"(%x, %y) <{op_type = "Mod", domain = "", version = 17 : i64, attrs = {fmod = 1 : i64}}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %q, %r, %f : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// -----

// Powers by a small constant are products; others are not.

// CHECK-LABEL: func.func @main
// CHECK: %[[S:.*]] = arith.mulf %arg0, %arg0
// CHECK: arith.mulf %[[S]], %arg0
// CHECK: math.powf
func.func @main(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>})
    -> (tensor<4xf32> {takt.name = "y"}) {
  %three = arith.constant dense<3> : tensor<i64>
  %half = arith.constant dense<0.5> : tensor<f32>
  %c = "onnx.node"(%x, %three) <{op_type = "Pow", domain = "", version = 17 : i64, attrs = {}}> : (tensor<4xf32>, tensor<i64>) -> tensor<4xf32>
  %y = "onnx.node"(%c, %half) <{op_type = "Pow", domain = "", version = 17 : i64, attrs = {}}> : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Casts: to bool is "not 0", from bool gives 0 or 1, floats are cut to integers.

// CHECK-LABEL: func.func @main
// CHECK: %[[B:.*]] = arith.cmpf une, %arg0
// CHECK: arith.uitofp %[[B]] : tensor<4xi1> to tensor<4xf32>
// CHECK: arith.fptosi %arg0 : tensor<4xf32> to tensor<4xi32>
func.func @main(%x: tensor<4xf32> {takt.name = "x", takt.shape = #takt.shape<["4"]>})
    -> (tensor<4xf32> {takt.name = "y"}, tensor<4xi32> {takt.name = "z"}) {
  %b = "onnx.node"(%x) <{op_type = "Cast", domain = "", version = 17 : i64, attrs = {to = 9 : i64}}> : (tensor<4xf32>) -> tensor<4xi1>
  %y = "onnx.node"(%b) <{op_type = "Cast", domain = "", version = 17 : i64, attrs = {to = 1 : i64}}> : (tensor<4xi1>) -> tensor<4xf32>
  %z = "onnx.node"(%x) <{op_type = "Cast", domain = "", version = 17 : i64, attrs = {to = 6 : i64}}> : (tensor<4xf32>) -> tensor<4xi32>
  return %y, %z : tensor<4xf32>, tensor<4xi32>
}
