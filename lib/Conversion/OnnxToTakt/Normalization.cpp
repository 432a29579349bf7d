//===- Normalization.cpp - Softmax, LayerNormalization --------------------===//
#include "ElementwiseHelpers.h"
#include "Selection.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

static Value softmaxOf(NodeLowering &n, Value x, int64_t axis) {
  return n.make<SoftmaxOp>(n.element(x), x, axis);
}

/// x - max - log(sum(exp(x - max))), which does not underflow.
static Value logSoftmaxOf(NodeLowering &n, Value x, int64_t axis) {
  SymbolicShape shape = n.shape(x);
  FloatBuilder b(n, x);
  Value shifted = b.sub(x, n.broadcast(n.reduceKept("max", x, axis), shape));
  Value log = b.log(n.reduceKept("sum", b.exp(shifted), axis));
  return b.sub(shifted, n.broadcast(log, shape));
}

/// 1 at the first largest element, 0 elsewhere.
static Value hardmaxOf(NodeLowering &n, Value x, int64_t axis) {
  SymbolicShape shape = n.shape(x);
  Type i64 = n.builder.getI64Type();
  Value best = n.broadcast(indexOfBest(n, x, axis, "max", false), shape);
  Value isBest = n.builder.create<arith::CmpIOp>(
      arith::CmpIPredicate::eq, n.positions(shape, axis, i64), best);
  FloatBuilder b(n, x);
  return b.select(isBest, b.number(1), b.number(0));
}

using Normalizer = Value (*)(NodeLowering &, Value, int64_t);

template <Normalizer normalize>
static LogicalResult alongAxis(NodeLowering &n) {
  FailureOr<int64_t> axis = n.axis(n.integer("axis", -1), n.rank(0));
  FailureOr<Value> x = floatInput(n, 0);
  if (failed(axis) || failed(x))
    return failure();
  return n.result(normalize(n, *x, *axis));
}

/// Until opset 12 all dimensions from axis on are normalised together.
template <Normalizer normalize>
static LogicalResult flattened(NodeLowering &n) {
  FailureOr<int64_t> axis = n.axis(n.integer("axis", 1), n.rank(0));
  FailureOr<Value> x = floatInput(n, 0);
  if (failed(axis) || failed(x))
    return failure();
  SymbolicShape shape = n.shape(*x);
  if (*axis + 1 == int64_t(shape.size()))
    return n.result(normalize(n, *x, *axis));
  ArrayRef<SizeExpr> sizes = shape;
  SymbolicShape matrix = {product(sizes.take_front(*axis)),
                          product(sizes.drop_front(*axis))};
  return n.result(n.reshape(normalize(n, n.reshape(*x, matrix), 1), shape));
}

//===----------------------------------------------------------------------===//
// LayerNormalization
//===----------------------------------------------------------------------===//

/// A parameter as the vector that layer_norm wants: broadcast to the normalised
/// dimensions, then flattened.
static FailureOr<Value> parameter(NodeLowering &n, unsigned index,
                                  ArrayRef<SizeExpr> normalized) {
  SymbolicShape shape = n.input(index).shape;
  if (shape.size() > normalized.size())
    return LogicalResult(n.fail("has a scale or bias of shape " +
                                shapeText(shape) +
                                ", expected one that broadcasts "
                                "to the normalised " +
                                shapeText(normalized)));
  FailureOr<SymbolicShape> common =
      n.commonShape({shape, SymbolicShape(normalized)});
  if (failed(common))
    return failure();
  Value value = n.broadcast(n.value(index), normalized);
  return n.reshape(value, {product(normalized)});
}

/// Outputs 1 and 2: mean and 1 / sqrt(variance + epsilon) over the dimensions
/// from `axis` on, which keep size 1.
static LogicalResult rowStatistics(NodeLowering &n, Value x, int64_t axis) {
  if (!n.element(x).isF32())
    return n.fail("has its mean or deviation used in another type than "
                  "float32; insert a Cast");
  auto axes = llvm::to_vector(llvm::seq<int64_t>(axis, n.rankOf(x)));
  Value mean = meanKept(n, x, axes);
  FloatBuilder b(n, x);
  Value centered = b.sub(x, n.broadcast(mean, n.shape(x)));
  Value variance = meanKept(n, b.mul(centered, centered), axes);
  FloatBuilder rows(n, variance);
  Value deviation =
      rows.sqrt(rows.add(variance, rows.number(n.number("epsilon", 1e-5))));
  if (failed(n.result(mean, 1)))
    return failure();
  return n.node.getNumResults() > 2
             ? n.result(rows.div(rows.number(1), deviation), 2)
             : success();
}

static LogicalResult layerNormalization(NodeLowering &n) {
  FailureOr<int64_t> axis = n.axis(n.integer("axis", -1), n.rank(0));
  if (failed(axis))
    return failure();
  for (unsigned i = 1; i < n.inputCount(); ++i)
    if (n.has(i) && n.input(i).element != n.input(0).element)
      return n.fail(
          "has operands of different types, expected one type; correct "
          "the model");
  Value x = n.value(0);
  SymbolicShape shape = n.shape(x);
  ArrayRef<SizeExpr> outer = ArrayRef<SizeExpr>(shape).take_front(*axis);
  ArrayRef<SizeExpr> normalized = ArrayRef<SizeExpr>(shape).drop_front(*axis);
  FailureOr<Value> scale = parameter(n, 1, normalized), bias = Value();
  if (n.has(2))
    bias = parameter(n, 2, normalized);
  if (failed(scale) || failed(bias))
    return failure();
  SymbolicShape rows(outer);
  rows.push_back(product(normalized));
  Value result =
      n.make<LayerNormOp>(n.element(x), n.reshape(x, rows), *scale, *bias,
                          n.builder.getF64FloatAttr(n.number("epsilon", 1e-5)));
  if ((n.isUsed(1) || n.isUsed(2)) && failed(rowStatistics(n, x, *axis)))
    return failure();
  return n.result(n.reshape(result, shape));
}

void legalize::registerNormalizations(Registry &registry) {
  registry.add("Softmax", flattened<softmaxOf>, 7, 12);
  registry.add("Softmax", alongAxis<softmaxOf>, 13);
  registry.add("LogSoftmax", flattened<logSoftmaxOf>, 7, 12);
  registry.add("LogSoftmax", alongAxis<logSoftmaxOf>, 13);
  registry.add("Hardmax", flattened<hardmaxOf>, 7, 12);
  registry.add("Hardmax", alongAxis<hardmaxOf>, 13);
  registry.add("LayerNormalization", layerNormalization, 17);
}
