// RUN: takt-opt %s --split-input-file --takt-legalize --takt-verify-legalized | FileCheck %s

// Ranks align at the last dimension; a size of 1 repeats.

takt.dim @batch
// CHECK-LABEL: func.func @main
// CHECK: %[[B:.*]] = takt.broadcast %arg1 dims [1] to <["batch", "8"]> : tensor<8xf32> -> tensor<?x8xf32>
// CHECK: %[[S:.*]] = arith.addf %arg0, %[[B]] : tensor<?x8xf32>
// CHECK: %[[C:.*]] = takt.broadcast %arg2 dims [0, 1] to <["batch", "8"]> : tensor<?x1xf32> -> tensor<?x8xf32>
// CHECK: arith.mulf %[[S]], %[[C]]
func.func @main(%x: tensor<?x8xf32> {takt.name = "x", takt.shape = #takt.shape<["batch", "8"]>},
                %row: tensor<8xf32> {takt.name = "row", takt.shape = #takt.shape<["8"]>},
                %column: tensor<?x1xf32> {takt.name = "column", takt.shape = #takt.shape<["batch", "1"]>})
    -> (tensor<?x8xf32> {takt.name = "y"}) {
  %s = "onnx.node"(%x, %row) <{op_type = "Add", domain = "", version = 17 : i64, attrs = {}}> : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %y = "onnx.node"(%s, %column) <{op_type = "Mul", domain = "", version = 17 : i64, attrs = {}}> : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// Two names meet: a guard says so once, and the first name stays.

takt.dim @a
takt.dim @b
// CHECK: takt.guard "a" equals "b" : "Add node{{.*}}equal sizes, or 1, in dimension -1"
// CHECK-NOT: takt.guard
// CHECK-LABEL: func.func @main
// CHECK-SAME: -> (tensor<?xf32> {takt.name = "y", takt.shape = #takt.shape<["a"]>})
// CHECK: %[[Y:.*]] = takt.reshape %arg1 to <["a"]> : tensor<?xf32> -> tensor<?xf32>
// CHECK: arith.addf %arg0, %[[Y]]
func.func @main(%x: tensor<?xf32> {takt.name = "x", takt.shape = #takt.shape<["a"]>},
                %y: tensor<?xf32> {takt.name = "z", takt.shape = #takt.shape<["b"]>})
    -> (tensor<?xf32> {takt.name = "y"}) {
  %s = "onnx.node"(%x, %y) <{op_type = "Add", domain = "", version = 17 : i64, attrs = {}}> : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %t = "onnx.node"(%s, %y) <{op_type = "Add", domain = "", version = 17 : i64, attrs = {}}> : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %t : tensor<?xf32>
}

// -----

// What an output declares is a promise about the inputs.

takt.dim @past
takt.dim @seq
takt.dim @total
// CHECK: takt.guard "total" equals "past + seq" : "output 'present': its declared size in dimension 0"
// CHECK-LABEL: func.func @main
// CHECK-SAME: -> (tensor<?xf32> {takt.name = "present", takt.shape = #takt.shape<["past + seq"]>})
func.func @main(%x: tensor<?xf32> {takt.name = "past", takt.shape = #takt.shape<["past"]>},
                %y: tensor<?xf32> {takt.name = "new", takt.shape = #takt.shape<["seq"]>},
                %m: tensor<?xf32> {takt.name = "mask", takt.shape = #takt.shape<["total"]>})
    -> (tensor<?xf32> {takt.name = "present", takt.shape = #takt.shape<["total"]>}) {
  %s = "onnx.node"(%x, %y) <{op_type = "Concat", domain = "", version = 17 : i64, attrs = {axis = 0 : i64}}> : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %s : tensor<?xf32>
}
