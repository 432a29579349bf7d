// RUN: takt-opt %s --split-input-file --takt-legalize --verify-diagnostics

func.func @main(%x: tensor<1x4x5xf16> {takt.name = "x", takt.shape = #takt.shape<["1", "4", "5"]>}, %w: tensor<4x4x3xf16> {takt.name = "w", takt.shape = #takt.shape<["4", "4", "3"]>})
    -> (tensor<1x4x3xf16> {takt.name = "y"}) {
  // expected-error @below {{Conv node (opset 17) computes in another type than float32; insert a Cast}}
  %y = "onnx.node"(%x, %w) <{op_type = "Conv", domain = "", version = 17 : i64, attrs = {}}> : (tensor<1x4x5xf16>, tensor<4x4x3xf16>) -> tensor<1x4x3xf16>
  return %y : tensor<1x4x3xf16>
}

// -----

func.func @main(%x: tensor<4x5xf32> {takt.name = "x", takt.shape = #takt.shape<["4", "5"]>}, %w: tensor<4x4xf32> {takt.name = "w", takt.shape = #takt.shape<["4", "4"]>})
    -> (tensor<4x4xf32> {takt.name = "y"}) {
  // expected-error @below {{Conv node (opset 17) slides over a tensor of rank 2, expected [N, C, spatial..] with one to three spatial dimensions}}
  %y = "onnx.node"(%x, %w) <{op_type = "Conv", domain = "", version = 17 : i64, attrs = {}}> : (tensor<4x5xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

takt.dim @m
func.func @main(%x: tensor<1x4x5xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "4", "5"]>}, %w: tensor<?x4x3xf32> {takt.name = "w", takt.shape = #takt.shape<["m", "4", "3"]>})
    -> (tensor<1x?x3xf32> {takt.name = "y"}) {
  // expected-error @below {{Conv node (opset 17) has a weight of shape [m, 4, 3], expected constant sizes, as many as the input has dimensions}}
  %y = "onnx.node"(%x, %w) <{op_type = "Conv", domain = "", version = 17 : i64, attrs = {}}> : (tensor<1x4x5xf32>, tensor<?x4x3xf32>) -> tensor<1x?x3xf32>
  return %y : tensor<1x?x3xf32>
}

// -----

func.func @main(%x: tensor<1x12x5xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "12", "5"]>}, %w: tensor<4x4x3xf32> {takt.name = "w", takt.shape = #takt.shape<["4", "4", "3"]>})
    -> (tensor<1x4x3xf32> {takt.name = "y"}) {
  // expected-error @below {{Conv node (opset 17) has 3 groups over a weight of shape [4, 4, 3]; correct the model}}
  %y = "onnx.node"(%x, %w) <{op_type = "Conv", domain = "", version = 17 : i64, attrs = {group = 3 : i64}}> : (tensor<1x12x5xf32>, tensor<4x4x3xf32>) -> tensor<1x4x3xf32>
  return %y : tensor<1x4x3xf32>
}

// -----

func.func @main(%x: tensor<1x5x5xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "5", "5"]>}, %w: tensor<4x4x3xf32> {takt.name = "w", takt.shape = #takt.shape<["4", "4", "3"]>})
    -> (tensor<1x4x3xf32> {takt.name = "y"}) {
  // expected-error @below {{Conv node (opset 17) needs as many input channels as its weight has, found 5 and 4; correct the model}}
  %y = "onnx.node"(%x, %w) <{op_type = "Conv", domain = "", version = 17 : i64, attrs = {}}> : (tensor<1x5x5xf32>, tensor<4x4x3xf32>) -> tensor<1x4x3xf32>
  return %y : tensor<1x4x3xf32>
}

// -----

func.func @main(%x: tensor<1x4x5xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "4", "5"]>}, %w: tensor<4x4x3xf32> {takt.name = "w", takt.shape = #takt.shape<["4", "4", "3"]>}, %b: tensor<4x1xf32> {takt.name = "b", takt.shape = #takt.shape<["4", "1"]>})
    -> (tensor<1x4x3xf32> {takt.name = "y"}) {
  // expected-error @below {{Conv node (opset 17) has a bias of shape [4, 1], expected one number per output channel}}
  %y = "onnx.node"(%x, %w, %b) <{op_type = "Conv", domain = "", version = 17 : i64, attrs = {}}> : (tensor<1x4x5xf32>, tensor<4x4x3xf32>, tensor<4x1xf32>) -> tensor<1x4x3xf32>
  return %y : tensor<1x4x3xf32>
}

// -----

func.func @main(%x: tensor<1x4x5xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "4", "5"]>}, %w: tensor<4x4x3xf32> {takt.name = "w", takt.shape = #takt.shape<["4", "4", "3"]>}, %b: tensor<3xf32> {takt.name = "b", takt.shape = #takt.shape<["3"]>})
    -> (tensor<1x4x3xf32> {takt.name = "y"}) {
  // expected-error @below {{Conv node (opset 17) needs a bias with one number per output channel, found 3 and 4; correct the model}}
  %y = "onnx.node"(%x, %w, %b) <{op_type = "Conv", domain = "", version = 17 : i64, attrs = {}}> : (tensor<1x4x5xf32>, tensor<4x4x3xf32>, tensor<3xf32>) -> tensor<1x4x3xf32>
  return %y : tensor<1x4x3xf32>
}

// -----

func.func @main(%x: tensor<1x4x5xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "4", "5"]>}, %w: tensor<4x4x3xf32> {takt.name = "w", takt.shape = #takt.shape<["4", "4", "3"]>})
    -> (tensor<1x4x4xf32> {takt.name = "y"}) {
  // expected-error @below {{Conv node (opset 17) has a kernel_shape that is not its weight's; correct the model}}
  %y = "onnx.node"(%x, %w) <{op_type = "Conv", domain = "", version = 17 : i64, attrs = {kernel_shape = array<i64: 2>}}> : (tensor<1x4x5xf32>, tensor<4x4x3xf32>) -> tensor<1x4x4xf32>
  return %y : tensor<1x4x4xf32>
}

// -----

func.func @main(%x: tensor<1x4x5xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "4", "5"]>}, %w: tensor<4x4x3xf32> {takt.name = "w", takt.shape = #takt.shape<["4", "4", "3"]>})
    -> (tensor<1x4x3xf32> {takt.name = "y"}) {
  // expected-error @below {{Conv node (opset 17) has a kernel_shape, strides, dilations or pads of another length than its 1 spatial dimensions ask}}
  %y = "onnx.node"(%x, %w) <{op_type = "Conv", domain = "", version = 17 : i64, attrs = {strides = array<i64: 1, 1>}}> : (tensor<1x4x5xf32>, tensor<4x4x3xf32>) -> tensor<1x4x3xf32>
  return %y : tensor<1x4x3xf32>
}

// -----

func.func @main(%x: tensor<1x4x5xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "4", "5"]>}, %w: tensor<4x4x3xf32> {takt.name = "w", takt.shape = #takt.shape<["4", "4", "3"]>})
    -> (tensor<1x4x3xf32> {takt.name = "y"}) {
  // expected-error @below {{Conv node (opset 17) has a kernel size, stride or dilation that is not between 1 and 1048576; correct the model}}
  %y = "onnx.node"(%x, %w) <{op_type = "Conv", domain = "", version = 17 : i64, attrs = {strides = array<i64: 0>}}> : (tensor<1x4x5xf32>, tensor<4x4x3xf32>) -> tensor<1x4x3xf32>
  return %y : tensor<1x4x3xf32>
}

// -----

takt.dim @n
func.func @main(%x: tensor<1x4x?xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "4", "n"]>}, %w: tensor<4x4x3xf32> {takt.name = "w", takt.shape = #takt.shape<["4", "4", "3"]>})
    -> (tensor<1x4x?xf32> {takt.name = "y"}) {
  // expected-error @below {{Conv node (opset 17) has auto_pad = SAME_UPPER over a size that depends on the request; bind the dimension with --dim}}
  %y = "onnx.node"(%x, %w) <{op_type = "Conv", domain = "", version = 17 : i64, attrs = {auto_pad = "SAME_UPPER"}}> : (tensor<1x4x?xf32>, tensor<4x4x3xf32>) -> tensor<1x4x?xf32>
  return %y : tensor<1x4x?xf32>
}

// -----

func.func @main(%x: tensor<1x4x5xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "4", "5"]>}, %w: tensor<4x3x3xf32> {takt.name = "w", takt.shape = #takt.shape<["4", "3", "3"]>})
    -> (tensor<1x3x9xf32> {takt.name = "y"}) {
  // expected-error @below {{ConvTranspose node (opset 17) has output_shape or auto_pad, expected pads; give the pads in the export}}
  %y = "onnx.node"(%x, %w) <{op_type = "ConvTranspose", domain = "", version = 17 : i64, attrs = {output_shape = array<i64: 9>}}> : (tensor<1x4x5xf32>, tensor<4x3x3xf32>) -> tensor<1x3x9xf32>
  return %y : tensor<1x3x9xf32>
}

// -----

func.func @main(%x: tensor<1x4x5xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "4", "5"]>}, %w: tensor<4x3x3xf32> {takt.name = "w", takt.shape = #takt.shape<["4", "3", "3"]>})
    -> (tensor<1x3x4xf32> {takt.name = "y"}) {
  // expected-error @below {{ConvTranspose node (opset 17) has pads above its kernel's reach; slice its result instead}}
  %y = "onnx.node"(%x, %w) <{op_type = "ConvTranspose", domain = "", version = 17 : i64, attrs = {pads = array<i64: 3, 0>}}> : (tensor<1x4x5xf32>, tensor<4x3x3xf32>) -> tensor<1x3x4xf32>
  return %y : tensor<1x3x4xf32>
}

// -----

func.func @main(%x: tensor<1x4x5xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "4", "5"]>}, %w: tensor<4x4x3xf32> {takt.name = "w", takt.shape = #takt.shape<["4", "4", "3"]>})
    -> (tensor<1x4x3xf32> {takt.name = "y"}) {
  // expected-error @below {{Conv node (opset 17) has a pad that is not between 0 and 1048576; correct the model}}
  %y = "onnx.node"(%x, %w) <{op_type = "Conv", domain = "", version = 17 : i64, attrs = {pads = array<i64: 4611686018427387904, 4611686018427387904>}}> : (tensor<1x4x5xf32>, tensor<4x4x3xf32>) -> tensor<1x4x3xf32>
  return %y : tensor<1x4x3xf32>
}

// -----

func.func @main(%x: tensor<1x4x5xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "4", "5"]>}, %w: tensor<4x4x3xf32> {takt.name = "w", takt.shape = #takt.shape<["4", "4", "3"]>})
    -> (tensor<1x4x3xf32> {takt.name = "y"}) {
  // expected-error @below {{Conv node (opset 17) has a kernel size, stride or dilation that is not between 1 and 1048576; correct the model}}
  %y = "onnx.node"(%x, %w) <{op_type = "Conv", domain = "", version = 17 : i64, attrs = {dilations = array<i64: 1099511627776>}}> : (tensor<1x4x5xf32>, tensor<4x4x3xf32>) -> tensor<1x4x3xf32>
  return %y : tensor<1x4x3xf32>
}

// -----

func.func @main(%x: tensor<1x4x5xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "4", "5"]>}, %w: tensor<4x3x3xf32> {takt.name = "w", takt.shape = #takt.shape<["4", "3", "3"]>})
    -> (tensor<1x3x9xf32> {takt.name = "y"}) {
  // expected-error @below {{ConvTranspose node (opset 17) has an output_padding of 1048576, expected less than its stride or dilation}}
  %y = "onnx.node"(%x, %w) <{op_type = "ConvTranspose", domain = "", version = 17 : i64, attrs = {output_padding = array<i64: 1048576>}}> : (tensor<1x4x5xf32>, tensor<4x3x3xf32>) -> tensor<1x3x9xf32>
  return %y : tensor<1x3x9xf32>
}

// -----

func.func @main(%x: tensor<1x4x5xf32> {takt.name = "x", takt.shape = #takt.shape<["1", "4", "5"]>}, %w: tensor<4x4x3xf32> {takt.name = "w", takt.shape = #takt.shape<["4", "4", "3"]>})
    -> (tensor<1x4x3xf32> {takt.name = "y"}) {
  // expected-error @below {{Conv node (opset 17) has auto_pad = 'FOO', which ONNX does not know}}
  %y = "onnx.node"(%x, %w) <{op_type = "Conv", domain = "", version = 17 : i64, attrs = {auto_pad = "FOO"}}> : (tensor<1x4x5xf32>, tensor<4x4x3xf32>) -> tensor<1x4x3xf32>
  return %y : tensor<1x4x3xf32>
}
