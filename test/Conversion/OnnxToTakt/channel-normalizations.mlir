// RUN: takt-opt %s --split-input-file --takt-legalize --takt-verify-legalized --canonicalize | FileCheck %s

// Batch norm in inference: a factor and an offset per channel, from the parameters
// alone.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[D:.*]] = math.sqrt %{{.*}} : tensor<4xf32>
// CHECK: %[[F:.*]] = arith.divf %arg1, %[[D]] : tensor<4xf32>
// CHECK: %[[M:.*]] = arith.mulf %arg3, %[[F]] : tensor<4xf32>
// CHECK: %[[O:.*]] = arith.subf %arg2, %[[M]] : tensor<4xf32>
// CHECK: %[[FB:.*]] = takt.broadcast %[[F]] dims [1] to <["n", "4", "9"]>
// CHECK: %[[X:.*]] = arith.mulf %arg0, %[[FB]]
// CHECK: %[[OB:.*]] = takt.broadcast %[[O]] dims [1] to <["n", "4", "9"]>
// CHECK: arith.addf %[[X]], %[[OB]]
func.func @main(%x: tensor<?x4x9xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4", "9"]>}, %s: tensor<4xf32> {takt.name = "s", takt.shape = #takt.shape<["4"]>}, %b: tensor<4xf32> {takt.name = "b", takt.shape = #takt.shape<["4"]>}, %m: tensor<4xf32> {takt.name = "m", takt.shape = #takt.shape<["4"]>}, %v: tensor<4xf32> {takt.name = "v", takt.shape = #takt.shape<["4"]>})
    -> (tensor<?x4x9xf32> {takt.name = "y"}) {
  %y = "onnx.node"(%x, %s, %b, %m, %v) <{op_type = "BatchNormalization", domain = "", version = 15 : i64, attrs = {epsilon = 1.000000e-03 : f32}}> : (tensor<?x4x9xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4x9xf32>
  return %y : tensor<?x4x9xf32>
}

// -----

// Instance norm: mean and variance of each plane. Where exporters wrote a group norm
// this way, the channels stay apart.

// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = takt.reshape %arg0 to <["2", "4", "2", "5"]>
// CHECK: %[[S:.*]] = takt.reduce "sum" %[[X]] axes [2, 3]
// CHECK: %[[M:.*]] = arith.divf %[[S]]
// CHECK: %[[MB:.*]] = takt.broadcast %[[M]] dims [0, 1]
// CHECK: %[[C:.*]] = arith.subf %[[X]], %[[MB]]
// CHECK: %[[Q:.*]] = arith.mulf %[[C]], %[[C]]
// CHECK: takt.reduce "sum" %[[Q]] axes [2, 3]
// CHECK: math.rsqrt
// CHECK: takt.broadcast %arg1 dims [1] to <["2", "4", "2", "5"]>
// CHECK: takt.broadcast %arg2 dims [1] to <["2", "4", "2", "5"]>
// CHECK: takt.reshape %{{.*}} to <["2", "4", "10"]>
func.func @main(%x: tensor<2x8x5xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "8", "5"]>}, %s: tensor<4xf32> {takt.name = "s", takt.shape = #takt.shape<["4"]>}, %b: tensor<4xf32> {takt.name = "b", takt.shape = #takt.shape<["4"]>})
    -> (tensor<2x4x10xf32> {takt.name = "y"}) {
  %shape = arith.constant dense<[2, 4, 10]> : tensor<3xi64>
  %r = "onnx.node"(%x, %shape) <{op_type = "Reshape", domain = "", version = 17 : i64, attrs = {}}> : (tensor<2x8x5xf32>, tensor<3xi64>) -> tensor<2x4x10xf32>
  %y = "onnx.node"(%r, %s, %b) <{op_type = "InstanceNormalization", domain = "", version = 17 : i64, attrs = {}}> : (tensor<2x4x10xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x10xf32>
  return %y : tensor<2x4x10xf32>
}

// -----

// Group norm has a scale per group until opset 20, then one per channel.

// CHECK-LABEL: func.func @main
// CHECK: takt.broadcast %arg1 dims [1] to <["2", "4", "2", "5"]>
// CHECK: takt.reshape %{{.*}} to <["2", "8", "5"]>
// CHECK: takt.reduce "sum" %{{.*}} axes [2, 3] : tensor<2x4x2x5xf32>
// CHECK: takt.reshape %{{.*}} to <["2", "8", "5"]>
// CHECK: takt.broadcast %arg3 dims [1] to <["2", "8", "5"]>
func.func @main(%x: tensor<2x8x5xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "8", "5"]>}, %s: tensor<4xf32> {takt.name = "s", takt.shape = #takt.shape<["4"]>}, %b: tensor<4xf32> {takt.name = "b", takt.shape = #takt.shape<["4"]>}, %c: tensor<8xf32> {takt.name = "c", takt.shape = #takt.shape<["8"]>})
    -> (tensor<2x8x5xf32> {takt.name = "y"}, tensor<2x8x5xf32> {takt.name = "z"}) {
  %y = "onnx.node"(%x, %s, %b) <{op_type = "GroupNormalization", domain = "", version = 18 : i64, attrs = {num_groups = 4 : i64}}> : (tensor<2x8x5xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x8x5xf32>
  %z = "onnx.node"(%x, %c, %c) <{op_type = "GroupNormalization", domain = "", version = 21 : i64, attrs = {num_groups = 4 : i64}}> : (tensor<2x8x5xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x5xf32>
  return %y, %z : tensor<2x8x5xf32>, tensor<2x8x5xf32>
}
