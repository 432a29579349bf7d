// RUN: takt-opt %s --split-input-file --takt-legalize --takt-verify-legalized --canonicalize | FileCheck %s

// Nearest by known sizes is a gather; ties go down (round_prefer_floor).

// CHECK-LABEL: func.func @main
// CHECK: %[[I:.*]] = arith.constant dense<[0, 0, 1, 2, 2, 3]>
// CHECK: takt.gather %arg0[%[[I]]] axis 2
func.func @main(%x: tensor<1x1x4xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "1", "4"]>})
    -> (tensor<1x1x6xf32> {takt.name = "y"}) {
  %none = "onnx.none"() : () -> none
  %sizes = arith.constant dense<[1, 1, 6]> : tensor<3xi64>
  %y = "onnx.node"(%x, %none, %none, %sizes) <{op_type = "Resize", domain = "", version = 13 : i64, attrs = {mode = "nearest"}}> : (tensor<1x1x4xf32>, none, none, tensor<3xi64>) -> tensor<1x1x6xf32>
  return %y : tensor<1x1x6xf32>
}

// -----

// Linear is a sum of two gathers, cubic of four.

// CHECK-LABEL: func.func @main
// CHECK-DAG: arith.constant dense<[0.000000e+00, 2.500000e-01, 7.500000e-01, 0.000000e+00]>
// CHECK-DAG: arith.constant dense<[1.000000e+00, 7.500000e-01, 2.500000e-01, 1.000000e+00]>
// CHECK-DAG: arith.constant dense<[0.000000e+00, -9.375000e-02, 0.000000e+00, -9.375000e-02]>
// CHECK-DAG: arith.constant dense<[0.000000e+00, 5.937500e-01, 0.000000e+00, 5.937500e-01]>
// CHECK-COUNT-6: takt.gather %arg0
func.func @main(%x: tensor<1x1x2xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "1", "2"]>})
    -> (tensor<1x1x4xf32> {takt.name = "y"}, tensor<1x1x4xf32> {takt.name = "z"}) {
  %none = "onnx.none"() : () -> none
  %scales = arith.constant dense<[1.0, 1.0, 2.0]> : tensor<3xf32>
  %y = "onnx.node"(%x, %none, %scales) <{op_type = "Resize", domain = "", version = 13 : i64, attrs = {mode = "linear"}}> : (tensor<1x1x2xf32>, none, tensor<3xf32>) -> tensor<1x1x4xf32>
  %z = "onnx.node"(%x, %none, %scales) <{op_type = "Resize", domain = "", version = 13 : i64, attrs = {mode = "cubic", coordinate_transformation_mode = "asymmetric"}}> : (tensor<1x1x2xf32>, none, tensor<3xf32>) -> tensor<1x1x4xf32>
  return %y, %z : tensor<1x1x4xf32>, tensor<1x1x4xf32>
}

// -----

// A whole factor repeats elements of a dimension of any size. Upsample is its older name.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[I:.*]] = takt.iota "0" step 1 sizes <["2*n"]>
// CHECK: %[[D:.*]] = arith.divsi %[[I]]
// CHECK: takt.gather %arg0[%[[D]]] axis 2
// CHECK: takt.iota "0" step 1 sizes <["3*n"]>
func.func @main(%x: tensor<1x1x?xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "1", "n"]>})
    -> (tensor<1x1x?xf32> {takt.name = "y"}, tensor<1x1x?xf32> {takt.name = "z"}) {
  %none = "onnx.none"() : () -> none
  %scales = arith.constant dense<[1.0, 1.0, 2.0]> : tensor<3xf32>
  %y = "onnx.node"(%x, %none, %scales) <{op_type = "Resize", domain = "", version = 13 : i64, attrs = {mode = "nearest"}}> : (tensor<1x1x?xf32>, none, tensor<3xf32>) -> tensor<1x1x?xf32>
  %z = "onnx.node"(%x) <{op_type = "Upsample", domain = "", version = 7 : i64, attrs = {mode = "nearest", scales = array<f32: 1.0, 1.0, 3.0>}}> : (tensor<1x1x?xf32>) -> tensor<1x1x?xf32>
  return %y, %z : tensor<1x1x?xf32>, tensor<1x1x?xf32>
}

// -----

// Scales stand in the order of the axes.

// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[R:.*]] = arith.constant dense<[0, 0, 0, 1, 1, 1]>
// CHECK-DAG: %[[C:.*]] = arith.constant dense<[0, 0, 1, 1, 2, 2]>
// CHECK: %[[G:.*]] = takt.gather %arg0[%[[C]]] axis 1
// CHECK: takt.gather %[[G]][%[[R]]] axis 0
func.func @main(%x: tensor<2x3xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "3"]>})
    -> (tensor<6x6xf32> {takt.name = "y"}) {
  %none = "onnx.none"() : () -> none
  %scales = arith.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %y = "onnx.node"(%x, %none, %scales) <{op_type = "Resize", domain = "", version = 18 : i64, attrs = {axes = array<i64: 1, 0>, coordinate_transformation_mode = "asymmetric", nearest_mode = "floor"}}> : (tensor<2x3xf32>, none, tensor<2xf32>) -> tensor<6x6xf32>
  return %y : tensor<6x6xf32>
}
