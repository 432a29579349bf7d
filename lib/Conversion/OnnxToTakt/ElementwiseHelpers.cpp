//===- ElementwiseHelpers.cpp - shared by element-by-element rules --------===//
#include "ElementwiseHelpers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

static Value reinterpret(NodeLowering &n, Value x, Type element) {
  return n.element(x) == element ? x : n.make<ReinterpretOp>(element, x);
}

Value legalize::asSignless(NodeLowering &n, Value x) {
  Type element = n.element(x);
  if (!element.isUnsignedInteger())
    return x;
  return reinterpret(n, x,
                     n.builder.getIntegerType(element.getIntOrFloatBitWidth()));
}

LogicalResult legalize::resultAs(NodeLowering &n, Value x, Type element,
                                 unsigned output) {
  return n.result(reinterpret(n, x, element), output);
}

/// With the sign bit inverted, unsigned numbers order like signed ones.
static Value flipSign(NodeLowering &n, Value bits) {
  double lowest = -std::ldexp(1.0, n.element(bits).getIntOrFloatBitWidth() - 1);
  return n.builder.create<arith::XOrIOp>(bits, n.splatLike(lowest, bits));
}

Value legalize::toOrdered(NodeLowering &n, Value x) {
  return n.element(x).isUnsignedInteger() ? flipSign(n, asSignless(n, x)) : x;
}

LogicalResult legalize::resultOfOrdered(NodeLowering &n, Value x, Type element,
                                        unsigned output) {
  if (element.isUnsignedInteger())
    x = flipSign(n, x);
  return resultAs(n, x, element, output);
}

FailureOr<SmallVector<Value>> legalize::broadcastInputs(NodeLowering &n) {
  SmallVector<Value> values;
  for (unsigned i = 0; i < n.inputCount(); ++i) {
    values.push_back(n.value(i));
    Type element = n.element(values.back());
    if (!dtypeOf(element)) {
      std::string type;
      llvm::raw_string_ostream(type) << element;
      return LogicalResult(n.fail("computes with " + type +
                                  ", expected floats or integers of 8 to 64 "
                                  "bits; insert a Cast"));
    }
    values.back() = asSignless(n, values.back());
  }
  if (failed(n.broadcastTogether(values)))
    return failure();
  return values;
}

FailureOr<Value> legalize::floatInput(NodeLowering &n, unsigned index) {
  if (!isa<FloatType>(n.input(index).element))
    return LogicalResult(
        n.fail("has an integer operand, expected floats; insert a Cast"));
  return n.value(index);
}

Value FloatBuilder::add(Value a, Value b) {
  return n.builder.create<arith::AddFOp>(a, b);
}
Value FloatBuilder::sub(Value a, Value b) {
  return n.builder.create<arith::SubFOp>(a, b);
}
Value FloatBuilder::mul(Value a, Value b) {
  return n.builder.create<arith::MulFOp>(a, b);
}
Value FloatBuilder::div(Value a, Value b) {
  return n.builder.create<arith::DivFOp>(a, b);
}
Value FloatBuilder::max(Value a, Value b) {
  return n.builder.create<arith::MaximumFOp>(a, b);
}
Value FloatBuilder::min(Value a, Value b) {
  return n.builder.create<arith::MinimumFOp>(a, b);
}
Value FloatBuilder::negate(Value x) {
  return n.builder.create<arith::NegFOp>(x);
}
Value FloatBuilder::abs(Value x) { return n.builder.create<math::AbsFOp>(x); }
Value FloatBuilder::exp(Value x) { return n.builder.create<math::ExpOp>(x); }
Value FloatBuilder::log(Value x) { return n.builder.create<math::LogOp>(x); }
Value FloatBuilder::sqrt(Value x) { return n.builder.create<math::SqrtOp>(x); }
Value FloatBuilder::tanh(Value x) { return n.builder.create<math::TanhOp>(x); }
Value FloatBuilder::pow(Value x, Value exponent) {
  return n.builder.create<math::PowFOp>(x, exponent);
}
Value FloatBuilder::less(Value a, Value b) {
  return n.builder.create<arith::CmpFOp>(arith::CmpFPredicate::OLT, a, b);
}
Value FloatBuilder::equal(Value a, Value b) {
  return n.builder.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, a, b);
}
Value FloatBuilder::select(Value condition, Value a, Value b) {
  return n.builder.create<arith::SelectOp>(condition, a, b);
}

Value legalize::meanKept(NodeLowering &n, Value x, ArrayRef<int64_t> axes) {
  SizeExpr count = 1;
  for (int64_t axis : axes)
    count = count * n.shape(x)[axis];
  Value sum = n.reduceKept("sum", x, axes);
  Value divisor = n.broadcast(n.sizeAs(count, n.element(sum)), n.shape(sum));
  return FloatBuilder(n, sum).div(sum, divisor);
}

bool legalize::mapContent(NodeLowering &n, Type element,
                          ContentFunction function) {
  SmallVector<const SizeContent *> inputs;
  SmallVector<SymbolicShape> shapes;
  size_t count = 1, rank = 0;
  for (unsigned i = 0; i < n.inputCount(); ++i) {
    if (!n.has(i) || !n.content(i))
      return false;
    inputs.push_back(n.content(i));
    shapes.push_back(n.input(i).shape);
    rank = std::max(rank, shapes.back().size());
    if (inputs.back()->size() != 1)
      count = inputs.back()->size();
  }
  // The usual broadcasts only: equal shapes, or single elements. A shape of
  // full rank and count is the result's.
  SymbolicShape shape(rank, SizeExpr(1));
  for (auto [input, inputShape] : llvm::zip(inputs, shapes)) {
    if (input->size() == 1)
      continue;
    if (input->size() != count || inputShape.size() != rank ||
        (shape != SymbolicShape(rank, SizeExpr(1)) && shape != inputShape))
      return false;
    shape = inputShape;
  }
  SizeContent content;
  for (size_t i = 0; i < count; ++i) {
    SmallVector<SizeExpr> elements;
    for (const SizeContent *input : inputs)
      elements.push_back((*input)[input->size() == 1 ? 0 : i]);
    std::optional<SizeExpr> expr = function(elements);
    if (!expr || expr->isUndefined())
      return false;
    content.push_back(*expr);
  }
  return succeeded(n.result(shape, element, std::move(content)));
}
