//===- RowNormalization.cpp - RMS, Lp, mean-variance, local response ------===//
#include "ElementwiseHelpers.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

/// x / sqrt(mean(x^2) + epsilon) * scale over the dimensions from axis on; the
/// part before the scale in float32 (stash_type 1).
static LogicalResult rmsNormalization(NodeLowering &n) {
  FailureOr<int64_t> axis = n.axis(n.integer("axis", -1), n.rank(0));
  FailureOr<Value> input = floatInput(n, 0);
  if (failed(axis) || failed(input))
    return failure();
  if (n.integer("stash_type", 1) != 1)
    return n.fail("has stash_type = " + Twine(n.integer("stash_type", 1)) +
                  ", expected 1 (float32)");
  Type element = n.element(*input);
  bool isNarrow = element.getIntOrFloatBitWidth() < 32;
  Value x = isNarrow ? convertTo(n, *input, n.builder.getF32Type()) : *input;
  SymbolicShape shape = n.shape(x);
  auto axes = llvm::to_vector(llvm::seq<int64_t>(*axis, shape.size()));
  FloatBuilder b(n, x);
  Value mean = meanKept(n, b.mul(x, x), axes);
  FloatBuilder rows(n, mean);
  Value deviation =
      rows.sqrt(rows.add(mean, rows.number(n.number("epsilon", 1e-5))));
  Value normalized = b.div(x, n.broadcast(deviation, shape));
  if (isNarrow)
    normalized = convertTo(n, normalized, element);
  Value scale = convertTo(n, n.value(1), element);
  if (failed(n.commonShape({shape, n.shape(scale)})))
    return failure();
  if (n.rankOf(scale) > int64_t(shape.size()))
    return n.fail("has a scale of higher rank than its input; correct the "
                  "model");
  return n.result(b.mul(normalized, n.broadcast(scale, shape)));
}

/// (x - mean) / (deviation + 1e-9).
static LogicalResult meanVarianceNormalization(NodeLowering &n) {
  FailureOr<Value> x = floatInput(n, 0);
  auto axes = n.axes(n.integers("axes").value_or(SmallVector<int64_t>{0, 2, 3}),
                     n.rank(0));
  if (failed(x) || failed(axes))
    return failure();
  SymbolicShape shape = n.shape(*x);
  FloatBuilder b(n, *x);
  Value centered = b.sub(*x, n.broadcast(meanKept(n, *x, *axes), shape));
  Value variance = meanKept(n, b.mul(centered, centered), *axes);
  FloatBuilder rows(n, variance);
  Value deviation = rows.add(rows.sqrt(variance), rows.number(1e-9));
  return n.result(b.div(centered, n.broadcast(deviation, shape)));
}

/// x over its L1 or L2 norm along one dimension; 0 where that is 0.
static LogicalResult lpNormalization(NodeLowering &n) {
  FailureOr<int64_t> axis = n.axis(n.integer("axis", -1), n.rank(0));
  FailureOr<Value> x = floatInput(n, 0);
  if (failed(axis) || failed(x))
    return failure();
  int64_t p = n.integer("p", 2);
  if (p != 1 && p != 2)
    return n.fail("has p = " + Twine(p) + ", expected 1 or 2");
  FloatBuilder b(n, *x);
  Value norm = n.reduceKept("sum", p == 1 ? b.abs(*x) : b.mul(*x, *x), *axis);
  FloatBuilder rows(n, norm);
  if (p == 2)
    norm = rows.sqrt(norm);
  // A norm of 0 has only zeros to divide.
  norm = rows.select(rows.equal(norm, rows.number(0)), rows.number(1), norm);
  return n.result(b.div(*x, n.broadcast(norm, n.shape(*x))));
}

/// x / (bias + alpha / size * sum of squares)^beta, where the sum is over
/// `size` channels around each.
static LogicalResult localResponseNormalization(NodeLowering &n) {
  FailureOr<Value> x = floatInput(n, 0);
  if (failed(x))
    return failure();
  int64_t size = n.integer("size", 0);
  if (n.rank(0) < 2 || size < 1 || size > 64)
    return n.fail("sums " + Twine(size) + " channels of " +
                  shapeText(n.input(0).shape) +
                  ", expected 1 to 64 of [N, C, ..]");
  SymbolicShape shape = n.shape(*x), before = shape, after = shape;
  before[1] = SizeExpr((size - 1) / 2);
  after[1] = SizeExpr(size / 2);
  FloatBuilder b(n, *x);
  Type element = n.element(*x);
  Value padded = n.concat(
      {n.splat(0, element, before), b.mul(*x, *x), n.splat(0, element, after)},
      1);
  Value sum = n.part(padded, 1, 0, shape[1]);
  for (int64_t i = 1; i < size; ++i)
    sum = b.add(sum, n.part(padded, 1, i, shape[1]));
  Value scaled = b.mul(sum, b.number(n.number("alpha", 1e-4) / size));
  Value base = b.add(b.number(n.number("bias", 1)), scaled);
  return n.result(b.div(*x, b.pow(base, b.number(n.number("beta", 0.75)))));
}

void legalize::registerRowNormalizations(Registry &registry) {
  registry.add("RMSNormalization", rmsNormalization, 23);
  registry.add("MeanVarianceNormalization", meanVarianceNormalization, 9);
  registry.add("LpNormalization", lpNormalization);
  registry.add("LRN", localResponseNormalization);
}
