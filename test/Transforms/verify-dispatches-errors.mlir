// RUN: takt-opt %s --split-input-file --takt-verify-dispatches --verify-diagnostics

func.func @outside(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{stands outside of a dispatch}}
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @unknown_kind(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{has kind 'copy', expected kernel, library, view or collective}}
  %0 = takt.dispatch "copy"(%x) sizes [#takt.shape<["4"]>] -> [#takt.shape<["4"]>] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    takt.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @library_without_call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{of kind 'library' holds other ops}}
  %0 = takt.dispatch "library"(%x) sizes [#takt.shape<["4"]>] -> [#takt.shape<["4"]>] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = math.exp %a : tensor<4xf32>
    takt.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @collective_in_kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{of kind 'kernel' holds other ops}}
  %0 = takt.dispatch "kernel"(%x) sizes [#takt.shape<["4"]>] -> [#takt.shape<["4"]>] : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = takt.all_reduce %a ways 2 : tensor<4xf32> -> tensor<4xf32>
    takt.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @view_with_more(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  // expected-error @below {{of kind 'view' holds other ops}}
  %0 = takt.dispatch "view"(%x) sizes [#takt.shape<["4"]>] -> [#takt.shape<["2", "2"]>] : (tensor<4xf32>) -> tensor<2x2xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = math.exp %a : tensor<4xf32>
    %2 = takt.reshape %1 to <["2", "2"]> : tensor<4xf32> -> tensor<2x2xf32>
    takt.yield %2 : tensor<2x2xf32>
  }
  return %0 : tensor<2x2xf32>
}

// -----

takt.dim @n
func.func @sizes(%x: tensor<?xf32> {takt.shape = #takt.shape<["n"]>}) -> tensor<?xf32> {
  // expected-error @below {{states operand sizes #takt.shape<["n + 1"]>, but they are [n]}}
  %0 = takt.dispatch "kernel"(%x) sizes [#takt.shape<["n + 1"]>] -> [#takt.shape<["n + 1"]>] : (tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>):
    %1 = math.exp %a : tensor<?xf32>
    takt.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
