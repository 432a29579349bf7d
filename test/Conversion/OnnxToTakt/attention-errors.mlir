// RUN: takt-opt %s --split-input-file --takt-legalize --verify-diagnostics

func.func @main(%q: tensor<2x3x32xf32> {takt.name = "q", takt.shape = #takt.shape<["2", "3", "32"]>})
    -> (tensor<2x3x32xf32> {takt.name = "y"}) {
  // expected-error @below {{Attention node (opset 23) has input 0 of shape [2, 3, 32] with q_num_heads = 0, expected [B, heads, S, D], or [B, S, heads * D] with the number of heads}}
  %y = "onnx.node"(%q, %q, %q) <{op_type = "Attention", domain = "", version = 23 : i64, attrs = {}}> : (tensor<2x3x32xf32>, tensor<2x3x32xf32>, tensor<2x3x32xf32>) -> tensor<2x3x32xf32>
  return %y : tensor<2x3x32xf32>
}

// -----

func.func @main(%q: tensor<2x4x5x8xf32> {takt.name = "q", takt.shape = #takt.shape<["2", "4", "5", "8"]>}, %k: tensor<2x3x5x8xf32> {takt.name = "k", takt.shape = #takt.shape<["2", "3", "5", "8"]>})
    -> (tensor<2x4x5x8xf32> {takt.name = "y"}) {
  // expected-error @below {{Attention node (opset 23) has 4 query heads of depth 8 for 3 key heads, expected a multiple and a constant depth}}
  %y = "onnx.node"(%q, %k, %k) <{op_type = "Attention", domain = "", version = 23 : i64, attrs = {}}> : (tensor<2x4x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>) -> tensor<2x4x5x8xf32>
  return %y : tensor<2x4x5x8xf32>
}

// -----

func.func @main(%q: tensor<2x4x5x8xf32> {takt.name = "q", takt.shape = #takt.shape<["2", "4", "5", "8"]>}, %m: tensor<6x5xf32> {takt.name = "m", takt.shape = #takt.shape<["6", "5"]>})
    -> (tensor<2x4x5x8xf32> {takt.name = "y"}) {
  // expected-error @below {{Attention node (opset 23) needs equal sizes, or 1, in dimension -2, found 6 and 5; correct the model}}
  %y = "onnx.node"(%q, %q, %q, %m) <{op_type = "Attention", domain = "", version = 23 : i64, attrs = {}}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<6x5xf32>) -> tensor<2x4x5x8xf32>
  return %y : tensor<2x4x5x8xf32>
}

// -----

func.func @main(%x: tensor<2x2x5x8xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "2", "5", "8"]>}, %c: tensor<2x5x4xf32> {takt.name = "c", takt.shape = #takt.shape<["2", "5", "4"]>})
    -> (tensor<2x2x5x8xf32> {takt.name = "y"}) {
  // expected-error @below {{RotaryEmbedding node (opset 23) rotates 3 elements of [2, 2, 5, 8] with num_heads = 0, expected an even number of a head's elements}}
  %y = "onnx.node"(%x, %c, %c) <{op_type = "RotaryEmbedding", domain = "", version = 23 : i64, attrs = {rotary_embedding_dim = 3 : i64}}> : (tensor<2x2x5x8xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<2x2x5x8xf32>
  return %y : tensor<2x2x5x8xf32>
}

// -----

func.func @main(%x: tensor<2x2x5x8xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "2", "5", "8"]>}, %c: tensor<2x5x3xf32> {takt.name = "c", takt.shape = #takt.shape<["2", "5", "3"]>})
    -> (tensor<2x2x5x8xf32> {takt.name = "y"}) {
  // expected-error @below {{RotaryEmbedding node (opset 23) needs a cache of the rotated half's size, found 3 and 4; correct the model}}
  %y = "onnx.node"(%x, %c, %c) <{op_type = "RotaryEmbedding", domain = "", version = 23 : i64, attrs = {}}> : (tensor<2x2x5x8xf32>, tensor<2x5x3xf32>, tensor<2x5x3xf32>) -> tensor<2x2x5x8xf32>
  return %y : tensor<2x2x5x8xf32>
}
