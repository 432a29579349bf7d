// RUN: takt-opt %s --split-input-file --takt-fold-constants | FileCheck %s

// Small results become constants, of every type.

// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[F:.*]] = arith.constant dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[B:.*]] = arith.constant dense<[true, false]> : tensor<2xi1>
// CHECK-DAG: %[[I:.*]] = arith.constant dense<[0, 3, 6]> : tensor<3xi64>
// CHECK-NEXT: return %[[F]], %[[B]], %[[I]]
func.func @main() -> (tensor<2xf32>, tensor<2xi1>, tensor<3xi64>) {
  %a = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %ones = takt.broadcast %one dims [] to <["2"]> : tensor<f32> -> tensor<2xf32>
  %f = arith.addf %a, %a : tensor<2xf32>
  %b = arith.cmpf ole, %a, %ones : tensor<2xf32>
  %i = takt.iota "0" step 3 sizes <["3"]> : tensor<3xi64>
  return %f, %b, %i : tensor<2xf32>, tensor<2xi1>, tensor<3xi64>
}

// -----

// Large results and sizes of the request stay.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: takt.iota "0" step 1 sizes <["200"]>
// CHECK: takt.size_tensor <["n"]>
func.func @main() -> (tensor<200xi64>, tensor<i64>) {
  %i = takt.iota "0" step 1 sizes <["200"]> : tensor<200xi64>
  %n = takt.size_tensor <["n"]> : tensor<i64>
  return %i, %n : tensor<200xi64>, tensor<i64>
}

// -----

// A broadcast of a constant stays, since fusion reads from it that this is a bias.

// CHECK-LABEL: func.func @main
// CHECK: takt.broadcast %{{.*}} dims [1] to <["1", "2"]>
func.func @main(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %bias = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %row = takt.broadcast %bias dims [1] to <["1", "2"]> : tensor<2xf32> -> tensor<1x2xf32>
  %y = arith.addf %x, %row : tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}
