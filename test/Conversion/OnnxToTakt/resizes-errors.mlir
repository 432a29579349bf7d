// RUN: takt-opt %s --split-input-file --takt-legalize --verify-diagnostics

func.func @main(%x: tensor<1x1x4xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "1", "4"]>})
    -> (tensor<1x1x6xf32> {takt.name = "y"}) {
  %none = "onnx.none"() : () -> none
  %sizes = arith.constant dense<[1, 1, 6]> : tensor<3xi64>
  // expected-error @below {{Resize node (opset 13) has mode = linear with tf_crop_and_resize; expected nearest, linear or cubic}}
  %y = "onnx.node"(%x, %none, %none, %sizes) <{op_type = "Resize", domain = "", version = 13 : i64, attrs = {mode = "linear", coordinate_transformation_mode = "tf_crop_and_resize"}}> : (tensor<1x1x4xf32>, none, none, tensor<3xi64>) -> tensor<1x1x6xf32>
  return %y : tensor<1x1x6xf32>
}

// -----

func.func @main(%x: tensor<1x1x4xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "1", "4"]>})
    -> (tensor<1x1x6xf32> {takt.name = "y"}) {
  %none = "onnx.none"() : () -> none
  %sizes = arith.constant dense<[1, 1, 6]> : tensor<3xi64>
  // expected-error @below {{Resize node (opset 18) has antialias or an aspect ratio policy, expected neither}}
  %y = "onnx.node"(%x, %none, %none, %sizes) <{op_type = "Resize", domain = "", version = 18 : i64, attrs = {mode = "linear", antialias = 1 : i64}}> : (tensor<1x1x4xf32>, none, none, tensor<3xi64>) -> tensor<1x1x6xf32>
  return %y : tensor<1x1x6xf32>
}

// -----

func.func @main(%x: tensor<1x1x4xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "1", "4"]>}, %s: tensor<3xi64> {takt.name = "s", takt.shape = #takt.shape<["3"]>})
    -> (tensor<1x1x?xf32> {takt.name = "y"}) {
  %none = "onnx.none"() : () -> none
  // expected-error @below {{Resize node (opset 13) has sizes that depend on data, expected ones made of sizes and constants}}
  %y = "onnx.node"(%x, %none, %none, %s) <{op_type = "Resize", domain = "", version = 13 : i64, attrs = {}}> : (tensor<1x1x4xf32>, none, none, tensor<3xi64>) -> tensor<1x1x?xf32>
  return %y : tensor<1x1x?xf32>
}

// -----

func.func @main(%x: tensor<1x1x4xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "1", "4"]>}, %s: tensor<3xf32> {takt.name = "s", takt.shape = #takt.shape<["3"]>})
    -> (tensor<1x1x?xf32> {takt.name = "y"}) {
  %none = "onnx.none"() : () -> none
  // expected-error @below {{Resize node (opset 13) has neither constant scales nor sizes}}
  %y = "onnx.node"(%x, %none, %s) <{op_type = "Resize", domain = "", version = 13 : i64, attrs = {}}> : (tensor<1x1x4xf32>, none, tensor<3xf32>) -> tensor<1x1x?xf32>
  return %y : tensor<1x1x?xf32>
}

// -----

func.func @main(%x: tensor<1x1x4xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "1", "4"]>})
    -> (tensor<1x1x6xf32> {takt.name = "y"}) {
  %none = "onnx.none"() : () -> none
  %sizes = arith.constant dense<[1, 6]> : tensor<2xi64>
  // expected-error @below {{Resize node (opset 13) has 2 scales or sizes for 3 dimensions}}
  %y = "onnx.node"(%x, %none, %none, %sizes) <{op_type = "Resize", domain = "", version = 13 : i64, attrs = {}}> : (tensor<1x1x4xf32>, none, none, tensor<2xi64>) -> tensor<1x1x6xf32>
  return %y : tensor<1x1x6xf32>
}

// -----

func.func @main(%x: tensor<1x1x4xf16> {takt.name = "x", takt.shape = #takt.shape<["1", "1", "4"]>})
    -> (tensor<1x1x6xf16> {takt.name = "y"}) {
  %none = "onnx.none"() : () -> none
  %sizes = arith.constant dense<[1, 1, 6]> : tensor<3xi64>
  // expected-error @below {{Resize node (opset 13) interpolates another type than float32; insert a Cast}}
  %y = "onnx.node"(%x, %none, %none, %sizes) <{op_type = "Resize", domain = "", version = 13 : i64, attrs = {mode = "linear"}}> : (tensor<1x1x4xf16>, none, none, tensor<3xi64>) -> tensor<1x1x6xf16>
  return %y : tensor<1x1x6xf16>
}

// -----

takt.dim @n
func.func @main(%x: tensor<1x1x?xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "1", "n"]>})
    -> (tensor<1x1x?xf32> {takt.name = "y"}) {
  %none = "onnx.none"() : () -> none
  %scales = arith.constant dense<[1.0, 1.0, 1.5]> : tensor<3xf32>
  // expected-error @below {{Resize node (opset 13) has a scale that is not positive or makes a size beyond 1048576, or a broken one for a size that depends on the request; bind it with --dim}}
  %y = "onnx.node"(%x, %none, %scales) <{op_type = "Resize", domain = "", version = 13 : i64, attrs = {}}> : (tensor<1x1x?xf32>, none, tensor<3xf32>) -> tensor<1x1x?xf32>
  return %y : tensor<1x1x?xf32>
}

// -----

takt.dim @n
func.func @main(%x: tensor<1x1x?xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "1", "n"]>})
    -> (tensor<1x1x?xf32> {takt.name = "y"}) {
  %none = "onnx.none"() : () -> none
  %scales = arith.constant dense<[1.0, 1.0, 2.0]> : tensor<3xf32>
  // expected-error @below {{Resize node (opset 13) changes a size that depends on the request other than by a whole factor with mode = nearest; bind the dimension with --dim}}
  %y = "onnx.node"(%x, %none, %scales) <{op_type = "Resize", domain = "", version = 13 : i64, attrs = {mode = "linear"}}> : (tensor<1x1x?xf32>, none, tensor<3xf32>) -> tensor<1x1x?xf32>
  return %y : tensor<1x1x?xf32>
}

// -----

func.func @main(%x: tensor<1x1x4xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "1", "4"]>})
    -> (tensor<1x1x4xf32> {takt.name = "y"}) {
  %none = "onnx.none"() : () -> none
  %scales = arith.constant dense<[1.0, 1.0, 0x7F800000]> : tensor<3xf32>
  // expected-error @below {{Resize node (opset 13) has a scale that is not positive or makes a size beyond 1048576}}
  %y = "onnx.node"(%x, %none, %scales) <{op_type = "Resize", domain = "", version = 13 : i64, attrs = {mode = "linear"}}> : (tensor<1x1x4xf32>, none, tensor<3xf32>) -> tensor<1x1x4xf32>
  return %y : tensor<1x1x4xf32>
}

// -----

func.func @main(%x: tensor<1x1x4xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "1", "4"]>})
    -> (tensor<1x1x4xf32> {takt.name = "y"}) {
  %none = "onnx.none"() : () -> none
  %sizes = arith.constant dense<[1, 1, 1099511627776]> : tensor<3xi64>
  // expected-error @below {{Resize node (opset 13) makes a size of 1099511627776, expected 0 to 1048576}}
  %y = "onnx.node"(%x, %none, %none, %sizes) <{op_type = "Resize", domain = "", version = 13 : i64, attrs = {mode = "linear"}}> : (tensor<1x1x4xf32>, none, none, tensor<3xi64>) -> tensor<1x1x4xf32>
  return %y : tensor<1x1x4xf32>
}
