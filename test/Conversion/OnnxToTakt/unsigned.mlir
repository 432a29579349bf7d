// RUN: takt-opt %s --split-input-file --takt-legalize --takt-verify-legalized --canonicalize | FileCheck %s

// Unsigned integers compute as signless ones, by ops that know their order.

// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = takt.reinterpret %arg0 : tensor<4xui8> -> tensor<4xi8>
// CHECK: %[[S:.*]] = arith.addi %[[X]]
// CHECK: takt.reinterpret %[[S]] : tensor<4xi8> -> tensor<4xui8>
// CHECK: arith.divui
// CHECK: arith.maxui
// CHECK: arith.cmpi ult
// CHECK: arith.shrui
func.func @main(%x: tensor<4xui8> {takt.name = "x", takt.shape = #takt.shape<["4"]>}, %y: tensor<4xui8> {takt.name = "y", takt.shape = #takt.shape<["4"]>})
    -> (tensor<4xui8> {takt.name = "a"}, tensor<4xui8> {takt.name = "b"}, tensor<4xui8> {takt.name = "c"}, tensor<4xi1> {takt.name = "d"}, tensor<4xui8> {takt.name = "e"}) {
  %a = "onnx.node"(%x, %y) <{op_type = "Add", domain = "", version = 14 : i64, attrs = {}}> : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %b = "onnx.node"(%x, %y) <{op_type = "Div", domain = "", version = 14 : i64, attrs = {}}> : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %c = "onnx.node"(%x, %y) <{op_type = "Max", domain = "", version = 13 : i64, attrs = {}}> : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %d = "onnx.node"(%x, %y) <{op_type = "Less", domain = "", version = 13 : i64, attrs = {}}> : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xi1>
  %e = "onnx.node"(%x, %y) <{op_type = "BitShift", domain = "", version = 11 : i64, attrs = {direction = "RIGHT"}}> : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %a, %b, %c, %d, %e : tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xi1>, tensor<4xui8>
}

// -----

// Where only signed order is known, the sign bit is inverted before and after.

takt.dim @n
// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = takt.reinterpret %arg0
// CHECK: %[[F:.*]] = arith.xori %[[X]]
// CHECK: %[[M:.*]] = takt.reduce "max" %[[F]] axes [1]
// CHECK: %[[B:.*]] = arith.xori %[[M]]
// CHECK: takt.reinterpret %[[B]] : tensor<?xi8> -> tensor<?xui8>
func.func @main(%x: tensor<?x4xui8> {takt.name = "x", takt.shape = #takt.shape<["n", "4"]>})
    -> (tensor<?xui8> {takt.name = "y"}) {
  %y = "onnx.node"(%x) <{op_type = "ReduceMax", domain = "", version = 13 : i64, attrs = {axes = array<i64: 1>, keepdims = 0 : i64}}> : (tensor<?x4xui8>) -> tensor<?xui8>
  return %y : tensor<?xui8>
}

// -----

// Conversions extend by zeros; floats go through 64 bits.

// CHECK-LABEL: func.func @main
// CHECK: arith.uitofp %{{.*}} : tensor<4xi8> to tensor<4xf32>
// CHECK: arith.extui %{{.*}} : tensor<4xi8> to tensor<4xi32>
// CHECK: %[[I:.*]] = arith.fptosi %arg1 : tensor<4xf32> to tensor<4xi64>
// CHECK: %[[T:.*]] = arith.trunci %[[I]] : tensor<4xi64> to tensor<4xi8>
// CHECK: takt.reinterpret %[[T]]
func.func @main(%x: tensor<4xui8> {takt.name = "x", takt.shape = #takt.shape<["4"]>}, %f: tensor<4xf32> {takt.name = "f", takt.shape = #takt.shape<["4"]>})
    -> (tensor<4xf32> {takt.name = "a"}, tensor<4xi32> {takt.name = "b"}, tensor<4xui8> {takt.name = "c"}) {
  %a = "onnx.node"(%x) <{op_type = "Cast", domain = "", version = 13 : i64, attrs = {to = 1 : i64}}> : (tensor<4xui8>) -> tensor<4xf32>
  %b = "onnx.node"(%x) <{op_type = "Cast", domain = "", version = 13 : i64, attrs = {to = 6 : i64}}> : (tensor<4xui8>) -> tensor<4xi32>
  %c = "onnx.node"(%f) <{op_type = "Cast", domain = "", version = 13 : i64, attrs = {to = 2 : i64}}> : (tensor<4xf32>) -> tensor<4xui8>
  return %a, %b, %c : tensor<4xf32>, tensor<4xi32>, tensor<4xui8>
}
