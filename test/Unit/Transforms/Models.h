//===- Models.h - small programs with weights made up by their names ------===//
#ifndef TAKT_TEST_UNIT_TRANSFORMS_MODELS_H
#define TAKT_TEST_UNIT_TRANSFORMS_MODELS_H

#include "../TestContext.h"

#include "takt/Interpreter/Program.h"

/// A perceptron on token embeddings: a table that is also the last matrix, a
/// bias after a sum over rows, a residual, an output from the middle, and one
/// that is an input. All values are small integers, so sums are exact.
inline constexpr llvm::StringLiteral perceptron = R"mlir(
  takt.dim @batch {typical = 4 : i64}
  takt.weight @table : tensor<24x12xf32> #takt.source<"w", 0, 1152>
  takt.weight @up : tensor<12x48xf32> #takt.source<"w", 0, 2304>
  takt.weight @down : tensor<48x12xf32> #takt.source<"w", 0, 2304>
  takt.weight @bias : tensor<12xf32> #takt.source<"w", 0, 48>
  func.func @main(%ids: tensor<?xi64> {takt.name = "ids", takt.shape = #takt.shape<["batch"]>})
      -> (tensor<?x24xf32> {takt.name = "logits"}, tensor<?x12xf32> {takt.name = "hidden"},
          tensor<?xi64> {takt.name = "same"}) {
    %table = takt.weight_read @table : tensor<24x12xf32>
    %up = takt.weight_read @up : tensor<12x48xf32>
    %down = takt.weight_read @down : tensor<48x12xf32>
    %bias = takt.weight_read @bias : tensor<12xf32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %x = takt.gather %table[%ids] axis 0 : tensor<24x12xf32>, tensor<?xi64> -> tensor<?x12xf32>
    %h = takt.matmul %x, %up : tensor<?x12xf32>, tensor<12x48xf32> -> tensor<?x48xf32>
    %zeros = takt.broadcast %zero dims [] to <["batch", "48"]> : tensor<f32> -> tensor<?x48xf32>
    %r = arith.maximumf %h, %zeros : tensor<?x48xf32>
    %d = takt.matmul %r, %down : tensor<?x48xf32>, tensor<48x12xf32> -> tensor<?x12xf32>
    %b = takt.broadcast %bias dims [1] to <["batch", "12"]> : tensor<12xf32> -> tensor<?x12xf32>
    %e = arith.addf %d, %b : tensor<?x12xf32>
    %s = arith.addf %e, %x : tensor<?x12xf32>
    %l = takt.matmul %s, %table transpose_rhs : tensor<?x12xf32>, tensor<24x12xf32> -> tensor<?x24xf32>
    return %l, %s, %ids : tensor<?x24xf32>, tensor<?x12xf32>, tensor<?xi64>
  }
)mlir";

/// A transformer block with an additive mask.
inline constexpr llvm::StringLiteral block = R"mlir(
  takt.dim @seq {typical = 16 : i64}
  takt.weight @wq : tensor<24x24xf32> #takt.source<"w", 0, 2304>
  takt.weight @wk : tensor<24x24xf32> #takt.source<"w", 0, 2304>
  takt.weight @wv : tensor<24x24xf32> #takt.source<"w", 0, 2304>
  takt.weight @wo : tensor<24x24xf32> #takt.source<"w", 0, 2304>
  takt.weight @scale : tensor<24xf32> #takt.source<"w", 0, 96>
  func.func @main(%x: tensor<2x?x24xf32> {takt.name = "x", takt.shape = #takt.shape<["2", "seq", "24"]>},
                  %mask: tensor<2x1x1x?xf32> {takt.name = "mask", takt.shape = #takt.shape<["2", "1", "1", "seq"]>})
      -> (tensor<2x?x24xf32> {takt.name = "y"}) {
    %wq = takt.weight_read @wq : tensor<24x24xf32>
    %wk = takt.weight_read @wk : tensor<24x24xf32>
    %wv = takt.weight_read @wv : tensor<24x24xf32>
    %wo = takt.weight_read @wo : tensor<24x24xf32>
    %scale = takt.weight_read @scale : tensor<24xf32>
    %q0 = takt.matmul %x, %wq : tensor<2x?x24xf32>, tensor<24x24xf32> -> tensor<2x?x24xf32>
    %k0 = takt.matmul %x, %wk : tensor<2x?x24xf32>, tensor<24x24xf32> -> tensor<2x?x24xf32>
    %v0 = takt.matmul %x, %wv : tensor<2x?x24xf32>, tensor<24x24xf32> -> tensor<2x?x24xf32>
    %q1 = takt.reshape %q0 to <["2", "seq", "12", "2"]> : tensor<2x?x24xf32> -> tensor<2x?x12x2xf32>
    %k1 = takt.reshape %k0 to <["2", "seq", "12", "2"]> : tensor<2x?x24xf32> -> tensor<2x?x12x2xf32>
    %v1 = takt.reshape %v0 to <["2", "seq", "12", "2"]> : tensor<2x?x24xf32> -> tensor<2x?x12x2xf32>
    %q = takt.transpose %q1 [0, 2, 1, 3] : tensor<2x?x12x2xf32> -> tensor<2x12x?x2xf32>
    %k = takt.transpose %k1 [0, 2, 1, 3] : tensor<2x?x12x2xf32> -> tensor<2x12x?x2xf32>
    %v = takt.transpose %v1 [0, 2, 1, 3] : tensor<2x?x12x2xf32> -> tensor<2x12x?x2xf32>
    %a = takt.attention %q, %k, %v mask %mask : tensor<2x1x1x?xf32> scale 0.125 : tensor<2x12x?x2xf32>, tensor<2x12x?x2xf32>, tensor<2x12x?x2xf32> -> tensor<2x12x?x2xf32>
    %a1 = takt.transpose %a [0, 2, 1, 3] : tensor<2x12x?x2xf32> -> tensor<2x?x12x2xf32>
    %a2 = takt.reshape %a1 to <["2", "seq", "24"]> : tensor<2x?x12x2xf32> -> tensor<2x?x24xf32>
    %o = takt.matmul %a2, %wo : tensor<2x?x24xf32>, tensor<24x24xf32> -> tensor<2x?x24xf32>
    %r = arith.addf %o, %x : tensor<2x?x24xf32>
    %y = takt.layer_norm %r scale %scale epsilon 1.0e-5 : tensor<2x?x24xf32>, tensor<24xf32> -> tensor<2x?x24xf32>
    return %y : tensor<2x?x24xf32>
  }
)mlir";

struct Context : TestContext {
  Context() { context.printOpOnDiagnostic(false); }
};

/// Integers from -2 to 2 that depend on the weight's name.
inline llvm::Expected<takt::HostTensor> madeUpWeight(takt::WeightOp weight) {
  auto type = mlir::cast<mlir::RankedTensorType>(weight.getType());
  auto tensor = takt::HostTensor::zeros(takt::DType::F32, type.getShape());
  uint64_t state = 7;
  for (char c : weight.getSymName())
    state = state * 31 + c;
  for (int64_t i = 0; i < tensor.numElements(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    tensor.setFloat(i, int64_t((state >> 33) % 5) - 2);
  }
  return tensor;
}

/// Requests of different sizes for any of the models above.
inline llvm::SmallVector<takt::MicroBatch> requests() {
  llvm::SmallVector<takt::MicroBatch> batches(3);
  for (int64_t b = 0; b < 3; ++b) {
    int64_t n = 2 * b + 1;
    takt::MicroBatch &batch = batches[b];
    auto ids = takt::HostTensor::zeros(takt::DType::I64, {n});
    auto x = takt::HostTensor::zeros(takt::DType::F32, {2, n, 24});
    auto mask = takt::HostTensor::zeros(takt::DType::F32, {2, 1, 1, n});
    for (int64_t i = 0; i < n; ++i)
      ids.setInt(i, (i * 7 + b) % 24 - (i % 2 ? 24 : 0));
    for (int64_t i = 0; i < x.numElements(); ++i)
      x.setFloat(i, (i * 5 + b) % 7 - 3);
    for (int64_t i = 1; i < n; ++i)
      mask.setFloat(i, -1e9);
    batch.inputs["ids"] = std::move(ids);
    batch.inputs["x"] = std::move(x);
    batch.inputs["mask"] = std::move(mask);
    batch.dims["batch"] = batch.dims["seq"] = n;
  }
  return batches;
}

#endif
