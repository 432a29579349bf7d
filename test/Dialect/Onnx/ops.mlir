// RUN: takt-opt %s | takt-opt | FileCheck %s

// CHECK-LABEL: func.func @nodes
func.func @nodes(%x: tensor<?x8xf32>, %c: tensor<i1>) -> tensor<?x8xf32> {
  // CHECK: %[[NONE:.*]] = onnx.none : none
  %none = onnx.none : none
  // CHECK: onnx.node "Clip"(%{{.*}}, %[[NONE]], %[[NONE]]) {domain = "", version = 20 : i64} : (tensor<?x8xf32>, none, none) -> tensor<?x8xf32>
  %0 = onnx.node "Clip"(%x, %none, %none) {domain = "", version = 20 : i64} : (tensor<?x8xf32>, none, none) -> tensor<?x8xf32>
  // CHECK: onnx.node "Softmax"(%{{.*}}) {attrs = {axis = -1 : i64}, domain = "", version = 20 : i64}
  %1 = onnx.node "Softmax"(%0) {attrs = {axis = -1 : i64}, domain = "", version = 20 : i64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  // CHECK: onnx.node "If"(%{{.*}}) regions {
  // CHECK:   onnx.yield %{{.*}} : tensor<?x8xf32>
  // CHECK: }, {
  // CHECK:   onnx.yield %{{.*}} : tensor<?x8xf32>
  // CHECK: } {domain = "", region_names = ["then_branch", "else_branch"], version = 20 : i64}
  %2 = onnx.node "If"(%c) regions {
    onnx.yield %0 : tensor<?x8xf32>
  }, {
    onnx.yield %1 : tensor<?x8xf32>
  } {domain = "", region_names = ["then_branch", "else_branch"], version = 20 : i64} : (tensor<i1>) -> tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}
