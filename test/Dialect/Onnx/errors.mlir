// RUN: takt-opt %s -split-input-file -verify-diagnostics

func.func @empty_op_type(%x: tensor<2xf32>) {
  // expected-error @+1 {{has an empty op_type, expected an operator's name}}
  %0 = onnx.node ""(%x) {domain = "", version = 20 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @version_zero(%x: tensor<2xf32>) {
  // expected-error @+1 {{has version 0, expected 1 or more}}
  %0 = onnx.node "Relu"(%x) {domain = "", version = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @region_without_name(%c: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error @+1 {{has 0 region names, expected one for each of its 1 regions}}
  %0 = onnx.node "If"(%c) regions {
    onnx.yield %x : tensor<2xf32>
  } {domain = "", version = 20 : i64} : (tensor<i1>) -> tensor<2xf32>
  return
}

// -----

func.func @region_names_alike(%c: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error @+1 {{has region name "b", expected names that are not empty and differ}}
  %0 = onnx.node "If"(%c) regions {
    onnx.yield %x : tensor<2xf32>
  }, {
    onnx.yield %x : tensor<2xf32>
  } {domain = "", region_names = ["b", "b"], version = 20 : i64} : (tensor<i1>) -> tensor<2xf32>
  return
}
