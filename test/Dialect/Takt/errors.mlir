// RUN: takt-opt %s --split-input-file --verify-diagnostics

func.func @iota_start() -> tensor<4xi64> {
  // expected-error @below {{start 'shard *': }}
  %0 = takt.iota "shard *" step 1 sizes <["4"]> : tensor<4xi64>
  return %0 : tensor<4xi64>
}

// -----

func.func @iota_rank() -> tensor<2x2xi64> {
  // expected-error @below {{has a result of rank 2, expected rank 1}}
  %0 = takt.iota "0" step 1 sizes <["2", "2"]> : tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// -----

func.func @gather_rows(%x: tensor<4x8xf32>, %i: tensor<2xi64>) -> tensor<2x8xf32> {
  // expected-error @below {{needs first_row and rows together}}
  %0 = "takt.gather"(%x, %i) <{axis = 0 : i64, first_row = "4*shard"}> : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// -----

// expected-error @below {{needs either a source or an initializer}}
takt.weight @w : tensor<4xf32>

// -----

func.func @weight_type() -> tensor<8xf32> {
  // expected-error @below {{has type 'tensor<8xf32>', but weight 'w' has 'tensor<4xf32>'}}
  %0 = takt.weight_read @w : tensor<8xf32>
  return %0 : tensor<8xf32>
}
takt.weight @w : tensor<4xf32> #takt.source<"w.bin", 0, 16>

// -----

func.func @reinterpret_changes_the_width(%x: tensor<4xui8>) -> tensor<4xi16> {
  // expected-error @below {{'takt.reinterpret' op reads 'tensor<4xui8>' as 'tensor<4xi16>', expected integers of one width of 8 bits or more}}
  %0 = "takt.reinterpret"(%x) : (tensor<4xui8>) -> tensor<4xi16>
  return %0 : tensor<4xi16>
}
