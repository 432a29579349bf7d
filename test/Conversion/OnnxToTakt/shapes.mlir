// RUN: takt-opt %s --split-input-file --takt-legalize --takt-verify-legalized --canonicalize | FileCheck %s

// Shape -> Gather -> Unsqueeze -> Concat -> Reshape leaves one reshape.

takt.dim @batch
takt.dim @seq
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[R:.*]] = takt.reshape %arg0 to <["batch", "seq", "12", "32"]> : tensor<?x?x384xf32> -> tensor<?x?x12x32xf32>
// CHECK-NEXT: return %[[R]]
func.func @main(%x: tensor<?x?x384xf32> {takt.name = "x", takt.shape = #takt.shape<["batch", "seq", "384"]>})
    -> (tensor<?x?x12x32xf32> {takt.name = "y"}) {
  %i0 = arith.constant dense<0> : tensor<i64>
  %axes = arith.constant dense<0> : tensor<1xi64>
  %open = arith.constant dense<-1> : tensor<1xi64>
  %depth = arith.constant dense<32> : tensor<1xi64>
  %shape = "onnx.node"(%x) <{op_type = "Shape", domain = "", version = 17 : i64, attrs = {}}> : (tensor<?x?x384xf32>) -> tensor<3xi64>
  %b = "onnx.node"(%shape, %i0) <{op_type = "Gather", domain = "", version = 17 : i64, attrs = {axis = 0 : i64}}> : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  %b1 = "onnx.node"(%b, %axes) <{op_type = "Unsqueeze", domain = "", version = 17 : i64, attrs = {}}> : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
  %s = "onnx.node"(%x) <{op_type = "Shape", domain = "", version = 17 : i64, attrs = {start = 1 : i64, end = 2 : i64}}> : (tensor<?x?x384xf32>) -> tensor<1xi64>
  %to = "onnx.node"(%b1, %s, %open, %depth) <{op_type = "Concat", domain = "", version = 17 : i64, attrs = {axis = 0 : i64}}> : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi64>
  %y = "onnx.node"(%x, %to) <{op_type = "Reshape", domain = "", version = 17 : i64, attrs = {}}> : (tensor<?x?x384xf32>, tensor<4xi64>) -> tensor<?x?x12x32xf32>
  return %y : tensor<?x?x12x32xf32>
}

// -----

// A size that is read as data becomes a tensor.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[S:.*]] = takt.size_tensor <["2*n"]> : tensor<i64>
// CHECK: takt.broadcast %[[S]] dims [] to <["n"]> : tensor<i64> -> tensor<?xi64>
func.func @main(%x: tensor<?xi64> {takt.name = "x", takt.shape = #takt.shape<["n"]>})
    -> (tensor<?xi64> {takt.name = "y"}) {
  %two = arith.constant dense<2> : tensor<i64>
  %size = "onnx.node"(%x) <{op_type = "Size", domain = "", version = 17 : i64, attrs = {}}> : (tensor<?xi64>) -> tensor<i64>
  %twice = "onnx.node"(%size, %two) <{op_type = "Mul", domain = "", version = 17 : i64, attrs = {}}> : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %y = "onnx.node"(%x, %twice) <{op_type = "Add", domain = "", version = 17 : i64, attrs = {}}> : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
  return %y : tensor<?xi64>
}

// -----

// Reshape: 0 copies by position, unless allowzero says that it is a size.

// CHECK-LABEL: func.func @main
// CHECK: takt.reshape %arg0 to <["10", "3", "4"]>
// CHECK: takt.reshape %arg1 to <["0", "5", "7"]>
func.func @main(%x: tensor<2x3x4x5xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "3", "4", "5"]>},
                %e: tensor<5x0xf32> {takt.name = "e", takt.shape = #takt.shape<["5", "0"]>})
    -> (tensor<10x3x4xf32> {takt.name = "y"}, tensor<0x5x7xf32> {takt.name = "z"}) {
  %copy = arith.constant dense<[-1, 0, 0]> : tensor<3xi64>
  %literal = arith.constant dense<[0, 5, 7]> : tensor<3xi64>
  %y = "onnx.node"(%x, %copy) <{op_type = "Reshape", domain = "", version = 17 : i64, attrs = {}}> : (tensor<2x3x4x5xf32>, tensor<3xi64>) -> tensor<10x3x4xf32>
  %z = "onnx.node"(%e, %literal) <{op_type = "Reshape", domain = "", version = 17 : i64, attrs = {allowzero = 1 : i64}}> : (tensor<5x0xf32>, tensor<3xi64>) -> tensor<0x5x7xf32>
  return %y, %z : tensor<10x3x4xf32>, tensor<0x5x7xf32>
}
