// RUN: takt-opt %s --split-input-file --takt-legalize --takt-verify-legalized --canonicalize | FileCheck %s

// Bent at 0: a choice between x and something else.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[S:.*]] = arith.mulf %arg0
// CHECK: %[[B:.*]] = arith.cmpf olt, %arg0
// CHECK: arith.select %[[B]], %[[S]], %arg0
// CHECK: %[[E:.*]] = math.exp %arg0
// CHECK: arith.subf %[[E]]
// CHECK: %[[N:.*]] = arith.cmpf olt, %arg0
// CHECK: arith.select %[[N]], %{{.*}}, %arg0
// CHECK: %[[T:.*]] = arith.cmpf olt, %{{.*}}, %arg0
// CHECK: arith.select %[[T]], %arg0
func.func @main(%x: tensor<?x4xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4"]>})
    -> (tensor<?x4xf32> {takt.name = "a"}, tensor<?x4xf32> {takt.name = "b"}, tensor<?x4xf32> {takt.name = "c"}) {
  %a = "onnx.node"(%x) <{op_type = "LeakyRelu", domain = "", version = 20 : i64, attrs = {alpha = 1.000000e-01 : f32}}> : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %b = "onnx.node"(%x) <{op_type = "Elu", domain = "", version = 20 : i64, attrs = {}}> : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %c = "onnx.node"(%x) <{op_type = "ThresholdedRelu", domain = "", version = 20 : i64, attrs = {alpha = 2.000000e+00 : f32}}> : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %a, %b, %c : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// The slope of PRelu broadcasts to x, not the other way.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[S:.*]] = takt.broadcast %arg1 dims [1] to <["n", "4"]>
// CHECK: %[[B:.*]] = arith.cmpf olt, %arg0
// CHECK: %[[M:.*]] = arith.mulf %arg0, %[[S]]
// CHECK: arith.select %[[B]], %[[M]], %arg0
func.func @main(%x: tensor<?x4xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4"]>}, %s: tensor<4xf32> {takt.name = "s", takt.shape = #takt.shape<["4"]>})
    -> (tensor<?x4xf32> {takt.name = "a"}) {
  %a = "onnx.node"(%x, %s) <{op_type = "PRelu", domain = "", version = 16 : i64, attrs = {}}> : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return %a : tensor<?x4xf32>
}

// -----

// HardSigmoid and HardSwish are bounded lines.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK-DAG: arith.constant dense<0.166666672>
// CHECK-DAG: arith.constant dense<2.000000e-01>
// CHECK: arith.minimumf
// CHECK: %[[L:.*]] = arith.maximumf
// CHECK: arith.minimumf
// CHECK: %[[H:.*]] = arith.maximumf
// CHECK: %[[Y:.*]] = arith.mulf %arg0, %[[H]]
// CHECK: return %[[L]], %[[Y]]
func.func @main(%x: tensor<?x4xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4"]>})
    -> (tensor<?x4xf32> {takt.name = "a"}, tensor<?x4xf32> {takt.name = "b"}) {
  %a = "onnx.node"(%x) <{op_type = "HardSigmoid", domain = "", version = 20 : i64, attrs = {}}> : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %b = "onnx.node"(%x) <{op_type = "HardSwish", domain = "", version = 20 : i64, attrs = {}}> : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %a, %b : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// Softplus does not overflow: exp sees no positive number.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = math.absf %arg0
// CHECK: %[[N:.*]] = arith.negf %[[A]]
// CHECK: %[[E:.*]] = math.exp %[[N]]
// CHECK: %[[M:.*]] = arith.maximumf %arg0
// CHECK: %[[P:.*]] = arith.addf %{{.*}}, %[[E]]
// CHECK: %[[L:.*]] = math.log %[[P]]
// CHECK: arith.addf %[[M]], %[[L]]
// CHECK: %[[T:.*]] = math.tanh
// CHECK: arith.mulf %arg0, %[[T]]
func.func @main(%x: tensor<?x4xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4"]>})
    -> (tensor<?x4xf32> {takt.name = "a"}, tensor<?x4xf32> {takt.name = "b"}) {
  %a = "onnx.node"(%x) <{op_type = "Softplus", domain = "", version = 20 : i64, attrs = {}}> : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %b = "onnx.node"(%x) <{op_type = "Mish", domain = "", version = 20 : i64, attrs = {}}> : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %a, %b : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// Rounding is to even; the sign of an integer takes two bounds.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: math.roundeven %arg0
// CHECK: %[[M:.*]] = arith.minsi %arg1
// CHECK: arith.maxsi %[[M]]
func.func @main(%x: tensor<?x4xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4"]>}, %i: tensor<4xi32> {takt.name = "i", takt.shape = #takt.shape<["4"]>})
    -> (tensor<?x4xf32> {takt.name = "a"}, tensor<4xi32> {takt.name = "b"}) {
  %a = "onnx.node"(%x) <{op_type = "Round", domain = "", version = 11 : i64, attrs = {}}> : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %b = "onnx.node"(%i) <{op_type = "Sign", domain = "", version = 13 : i64, attrs = {}}> : (tensor<4xi32>) -> tensor<4xi32>
  return %a, %b : tensor<?x4xf32>, tensor<4xi32>
}

// -----

// Infinities of either sign, or of one; bits of integers; booleans that are known.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = math.absf %arg0
// CHECK: arith.cmpf oeq, %[[A]]
// CHECK: arith.cmpf oeq, %arg0
// CHECK: %[[N:.*]] = arith.xori %arg1
// CHECK: arith.andi %arg1, %[[N]]
func.func @main(%x: tensor<?x4xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4"]>}, %i: tensor<4xi32> {takt.name = "i", takt.shape = #takt.shape<["4"]>})
    -> (tensor<?x4xi1> {takt.name = "a"}, tensor<?x4xi1> {takt.name = "b"}, tensor<4xi32> {takt.name = "d"}) {
  %a = "onnx.node"(%x) <{op_type = "IsInf", domain = "", version = 20 : i64, attrs = {}}> : (tensor<?x4xf32>) -> tensor<?x4xi1>
  %b = "onnx.node"(%x) <{op_type = "IsInf", domain = "", version = 20 : i64, attrs = {detect_positive = 0 : i64}}> : (tensor<?x4xf32>) -> tensor<?x4xi1>
  %c = "onnx.node"(%i) <{op_type = "BitwiseNot", domain = "", version = 18 : i64, attrs = {}}> : (tensor<4xi32>) -> tensor<4xi32>
  %d = "onnx.node"(%i, %c) <{op_type = "BitwiseAnd", domain = "", version = 18 : i64, attrs = {}}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %a, %b, %d : tensor<?x4xi1>, tensor<?x4xi1>, tensor<4xi32>
}
