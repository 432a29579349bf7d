//===- Normalization.cpp - Softmax, LayerNormalization --------------------===//
#include "Registry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

static Value softmaxOf(NodeLowering &n, Value x, int64_t axis) {
  return n.make<SoftmaxOp>(n.element(x), x, axis);
}

/// x - max - log(sum(exp(x - max))), which does not underflow.
static Value logSoftmaxOf(NodeLowering &n, Value x, int64_t axis) {
  SymbolicShape shape = n.shape(x), kept = shape;
  kept[axis] = SizeExpr(1);
  auto reduced = [&](StringRef kind, Value value) {
    Value result = n.make<ReduceOp>(n.element(x), value, kind,
                                    n.builder.getDenseI64ArrayAttr(axis));
    return n.reshape(result, kept);
  };
  Value shifted =
      n.builder.create<arith::SubFOp>(x, n.broadcast(reduced("max", x), shape));
  Value sum = reduced("sum", n.builder.create<math::ExpOp>(shifted));
  Value log = n.builder.create<math::LogOp>(sum);
  return n.builder.create<arith::SubFOp>(shifted, n.broadcast(log, shape));
}

using Normalizer = Value (*)(NodeLowering &, Value, int64_t);

template <Normalizer normalize>
static LogicalResult alongAxis(NodeLowering &n) {
  FailureOr<int64_t> axis = n.axis(n.integer("axis", -1), n.rank(0));
  if (failed(axis))
    return failure();
  return n.result(normalize(n, n.value(0), *axis));
}

/// Until opset 12 all dimensions from axis on are normalised together.
template <Normalizer normalize>
static LogicalResult flattened(NodeLowering &n) {
  FailureOr<int64_t> axis = n.axis(n.integer("axis", 1), n.rank(0));
  if (failed(axis))
    return failure();
  Value x = n.value(0);
  SymbolicShape shape = n.shape(x);
  if (*axis + 1 == int64_t(shape.size()))
    return n.result(normalize(n, x, *axis));
  ArrayRef<SizeExpr> sizes = shape;
  SymbolicShape matrix = {product(sizes.take_front(*axis)),
                          product(sizes.drop_front(*axis))};
  return n.result(n.reshape(normalize(n, n.reshape(x, matrix), 1), shape));
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

static LogicalResult layerNormalization(NodeLowering &n) {
  if (n.isUsed(1) || n.isUsed(2))
    return n.fail(
        "has its mean or deviation used, expected the first output only; "
        "export the model for inference");
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
  return n.result(n.reshape(result, shape));
}

void legalize::registerNormalizations(Registry &registry) {
  registry.add("Softmax", flattened<softmaxOf>, 7, 12);
  registry.add("Softmax", alongAxis<softmaxOf>, 13);
  registry.add("LogSoftmax", flattened<logSoftmaxOf>, 7, 12);
  registry.add("LogSoftmax", alongAxis<logSoftmaxOf>, 13);
  registry.add("LayerNormalization", layerNormalization, 17);
}
