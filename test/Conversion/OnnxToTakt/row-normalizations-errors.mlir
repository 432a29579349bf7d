// RUN: takt-opt %s --split-input-file --takt-legalize --verify-diagnostics

func.func @main(%x: tensor<2x8xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "8"]>}, %s: tensor<8xf32> {takt.name = "s", takt.shape = #takt.shape<["8"]>})
    -> (tensor<2x8xf32> {takt.name = "y"}) {
  // expected-error @below {{RMSNormalization node (opset 23) has stash_type = 10, expected 1 (float32)}}
  %y = "onnx.node"(%x, %s) <{op_type = "RMSNormalization", domain = "", version = 23 : i64, attrs = {stash_type = 10 : i64}}> : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----

func.func @main(%x: tensor<2x8xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "8"]>})
    -> (tensor<2x8xf32> {takt.name = "y"}) {
  // expected-error @below {{LpNormalization node (opset 22) has p = 3, expected 1 or 2}}
  %y = "onnx.node"(%x) <{op_type = "LpNormalization", domain = "", version = 22 : i64, attrs = {p = 3 : i64}}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----

func.func @main(%x: tensor<2x8xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "8"]>})
    -> (tensor<2x8xf32> {takt.name = "y"}) {
  // expected-error @below {{LRN node (opset 13) sums 0 channels of [2, 8], expected 1 to 64 of [N, C, ..]}}
  %y = "onnx.node"(%x) <{op_type = "LRN", domain = "", version = 13 : i64, attrs = {}}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----

func.func @main(%x: tensor<2x8xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "8"]>}, %s: tensor<5xf32> {takt.name = "s", takt.shape = #takt.shape<["5"]>})
    -> (tensor<2x8xf32> {takt.name = "y"}) {
  // expected-error @below {{RMSNormalization node (opset 23)}}
  %y = "onnx.node"(%x, %s) <{op_type = "RMSNormalization", domain = "", version = 23 : i64, attrs = {}}> : (tensor<2x8xf32>, tensor<5xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
