// RUN: takt-opt %s --split-input-file --takt-recognize-idioms | FileCheck %s

// (x * (1 + erf(x / sqrt(2)))) * 0.5

// CHECK-LABEL: func.func @erf
// CHECK-NEXT: %[[G:.*]] = takt.gelu %arg0 : tensor<8xf32> -> tensor<8xf32>
// CHECK-NEXT: return %[[G]]
func.func @erf(%x: tensor<8xf32>) -> tensor<8xf32> {
  %root2 = arith.constant dense<1.41421354> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %half = arith.constant dense<0.5> : tensor<8xf32>
  %0 = arith.divf %x, %root2 : tensor<8xf32>
  %1 = math.erf %0 : tensor<8xf32>
  %2 = arith.addf %1, %one : tensor<8xf32>
  %3 = arith.mulf %x, %2 : tensor<8xf32>
  %4 = arith.mulf %3, %half : tensor<8xf32>
  return %4 : tensor<8xf32>
}

// -----

// The half first, a gate after it, and an x that is a product itself.

// CHECK-LABEL: func.func @gated
// CHECK: %[[X:.*]] = arith.mulf %arg0, %arg1
// CHECK: %[[G:.*]] = takt.gelu %[[X]]
// CHECK: arith.mulf %[[G]], %arg1
// CHECK-NOT: math.erf
func.func @gated(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant dense<0.707106769> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %half = arith.constant dense<0.5> : tensor<8xf32>
  %x = arith.mulf %a, %b : tensor<8xf32>
  %h = arith.mulf %x, %half : tensor<8xf32>
  %0 = arith.mulf %x, %c : tensor<8xf32>
  %1 = math.erf %0 : tensor<8xf32>
  %2 = arith.addf %one, %1 : tensor<8xf32>
  %3 = arith.mulf %h, %2 : tensor<8xf32>
  %4 = arith.mulf %3, %b : tensor<8xf32>
  return %4 : tensor<8xf32>
}

// -----

// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))

// CHECK-LABEL: func.func @tanh
// CHECK-NEXT: %[[G:.*]] = takt.gelu %arg0 tanh
// CHECK-NEXT: return %[[G]]
func.func @tanh(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = arith.constant dense<0.0447149985> : tensor<8xf32>
  %b = arith.constant dense<0.797884583> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %half = arith.constant dense<0.5> : tensor<8xf32>
  %h = arith.mulf %x, %half : tensor<8xf32>
  %0 = arith.mulf %x, %x : tensor<8xf32>
  %1 = arith.mulf %0, %x : tensor<8xf32>
  %2 = arith.mulf %1, %a : tensor<8xf32>
  %3 = arith.addf %x, %2 : tensor<8xf32>
  %4 = arith.mulf %3, %b : tensor<8xf32>
  %5 = math.tanh %4 : tensor<8xf32>
  %6 = arith.addf %5, %one : tensor<8xf32>
  %7 = arith.mulf %h, %6 : tensor<8xf32>
  return %7 : tensor<8xf32>
}

// -----

// Another constant, or an inner value that is used elsewhere: no GELU.

// CHECK-LABEL: func.func @lookalikes
// CHECK-NOT: takt.gelu
func.func @lookalikes(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c = arith.constant dense<0.707106769> : tensor<8xf32>
  %other = arith.constant dense<0.75> : tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %half = arith.constant dense<0.5> : tensor<8xf32>
  %0 = arith.mulf %x, %other : tensor<8xf32>
  %1 = math.erf %0 : tensor<8xf32>
  %2 = arith.addf %1, %one : tensor<8xf32>
  %3 = arith.mulf %x, %2 : tensor<8xf32>
  %4 = arith.mulf %3, %half : tensor<8xf32>
  %5 = arith.mulf %x, %c : tensor<8xf32>
  %6 = math.erf %5 : tensor<8xf32>
  %7 = arith.addf %6, %one : tensor<8xf32>
  %8 = arith.mulf %x, %7 : tensor<8xf32>
  %9 = arith.mulf %8, %half : tensor<8xf32>
  return %4, %9, %6 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
