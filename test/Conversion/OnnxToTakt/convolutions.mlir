// RUN: takt-opt %s --split-input-file --takt-legalize --takt-verify-legalized --canonicalize | FileCheck %s

// A Conv runs channels last: two transposes, which later passes move; the bias is an
// addition. `n` stays open.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = takt.transpose %arg0 [0, 2, 3, 1]
// CHECK: %[[Y:.*]] = takt.conv %[[X]], %arg1 strides [2, 2] dilations [1, 1] pads [1, 1], [1, 1] groups 2 : tensor<?x9x9x4xf32>, tensor<6x2x3x3xf32> -> tensor<?x5x5x6xf32>
// CHECK: %[[B:.*]] = takt.broadcast %arg2 dims [3] to <["n", "5", "5", "6"]>
// CHECK: %[[S:.*]] = arith.addf %[[Y]], %[[B]]
// CHECK: takt.transpose %[[S]] [0, 3, 1, 2]
func.func @main(%x: tensor<?x4x9x9xf32> {takt.name = "x", takt.shape = #takt.shape<["n", "4", "9", "9"]>}, %w: tensor<6x2x3x3xf32> {takt.name = "w", takt.shape = #takt.shape<["6", "2", "3", "3"]>}, %b: tensor<6xf32> {takt.name = "b", takt.shape = #takt.shape<["6"]>})
    -> (tensor<?x6x5x5xf32> {takt.name = "y"}) {
  %y = "onnx.node"(%x, %w, %b) <{op_type = "Conv", domain = "", version = 17 : i64, attrs = {group = 2 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}}> : (tensor<?x4x9x9xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<?x6x5x5xf32>
  return %y : tensor<?x6x5x5xf32>
}

// -----

// SAME_UPPER puts an odd padding's extra element at the end, SAME_LOWER at the start;
// VALID ignores pads.

// CHECK-LABEL: func.func @main
// CHECK: takt.conv {{.*}} pads [1], [2]
// CHECK: takt.conv {{.*}} pads [2], [1]
// CHECK: takt.conv {{.*}} pads [0], [0]
func.func @main(%x: tensor<1x1x6xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "1", "6"]>}, %w: tensor<1x1x4xf32> {takt.name = "w", takt.shape = #takt.shape<["1", "1", "4"]>})
    -> (tensor<1x1x6xf32> {takt.name = "a"}, tensor<1x1x6xf32> {takt.name = "b"}, tensor<1x1x3xf32> {takt.name = "c"}) {
  %a = "onnx.node"(%x, %w) <{op_type = "Conv", domain = "", version = 17 : i64, attrs = {auto_pad = "SAME_UPPER"}}> : (tensor<1x1x6xf32>, tensor<1x1x4xf32>) -> tensor<1x1x6xf32>
  %b = "onnx.node"(%x, %w) <{op_type = "Conv", domain = "", version = 17 : i64, attrs = {auto_pad = "SAME_LOWER"}}> : (tensor<1x1x6xf32>, tensor<1x1x4xf32>) -> tensor<1x1x6xf32>
  %c = "onnx.node"(%x, %w) <{op_type = "Conv", domain = "", version = 17 : i64, attrs = {auto_pad = "VALID", dilations = array<i64: 1>}}> : (tensor<1x1x6xf32>, tensor<1x1x4xf32>) -> tensor<1x1x3xf32>
  return %a, %b, %c : tensor<1x1x6xf32>, tensor<1x1x6xf32>, tensor<1x1x3xf32>
}

// -----

// ConvTranspose is a convolution of the input with zeros between its elements and the
// kernel reversed.

// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = takt.transpose %arg0 [0, 2, 1]
// CHECK: %[[R:.*]] = takt.reshape %[[X]] to <["1", "5", "1", "4"]>
// CHECK: %[[C:.*]] = takt.concat %[[R]], %{{.*}} axis 2 : tensor<1x5x1x4xf32>, tensor<1x5x1x4xf32>
// CHECK: %[[W:.*]] = takt.reshape %[[C]] to <["1", "10", "4"]>
// CHECK: %[[S:.*]] = takt.slice %[[W]] from <["0", "0", "0"]> sizes <["1", "9", "4"]>
// CHECK: %[[K:.*]] = takt.slice %{{.*}} from <["0", "0", "2"]> sizes <["3", "4", "3"]> strides [1, 1, -1]
// CHECK: takt.conv %[[S]], %[[K]] strides [1] dilations [1] pads [1], [2] groups 1
func.func @main(%x: tensor<1x4x5xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "4", "5"]>}, %w: tensor<4x3x3xf32> {takt.name = "w", takt.shape = #takt.shape<["4", "3", "3"]>})
    -> (tensor<1x3x10xf32> {takt.name = "y"}) {
  %y = "onnx.node"(%x, %w) <{op_type = "ConvTranspose", domain = "", version = 17 : i64, attrs = {strides = array<i64: 2>, pads = array<i64: 1, 1>, output_padding = array<i64: 1>}}> : (tensor<1x4x5xf32>, tensor<4x3x3xf32>) -> tensor<1x3x10xf32>
  return %y : tensor<1x3x10xf32>
}
