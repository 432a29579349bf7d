// RUN: takt-opt %s --takt-to-linalg --verify-diagnostics

func.func @no_lowering(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = takt.dispatch "kernel"(%x) sizes [#takt.shape<["8"]>] -> [#takt.shape<["8"]>] : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    // expected-error @+1 {{'takt.all_reduce' op has no lowering to a generated kernel}}
    %1 = takt.all_reduce %a ways 2 : tensor<8xf32> -> tensor<8xf32>
    takt.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
