// RUN: takt-opt %s --split-input-file --takt-legalize --verify-diagnostics

func.func @main(%x: tensor<5xf32> {takt.name = "x", takt.shape = #takt.shape<["5"]>}, %k: tensor<1xi64> {takt.name = "k", takt.shape = #takt.shape<["1"]>})
    -> (tensor<?xf32> {takt.name = "v"}, tensor<?xi64> {takt.name = "i"}) {
  // expected-error @below {{TopK node (opset 11) computes k from data, expected a size or a constant}}
  %v, %i = "onnx.node"(%x, %k) <{op_type = "TopK", domain = "", version = 11 : i64, attrs = {}}> : (tensor<5xf32>, tensor<1xi64>) -> (tensor<?xf32>, tensor<?xi64>)
  return %v, %i : tensor<?xf32>, tensor<?xi64>
}

// -----

func.func @main(%x: tensor<5xf32> {takt.name = "x", takt.shape = #takt.shape<["5"]>})
    -> (tensor<6xf32> {takt.name = "v"}, tensor<6xi64> {takt.name = "i"}) {
  %k = arith.constant dense<6> : tensor<1xi64>
  // expected-error @below {{TopK node (opset 11) takes 6 of 5 elements, expected at most all; correct the model}}
  %v, %i = "onnx.node"(%x, %k) <{op_type = "TopK", domain = "", version = 11 : i64, attrs = {}}> : (tensor<5xf32>, tensor<1xi64>) -> (tensor<6xf32>, tensor<6xi64>)
  return %v, %i : tensor<6xf32>, tensor<6xi64>
}
