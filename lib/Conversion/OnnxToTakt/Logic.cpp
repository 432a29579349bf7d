//===- Logic.cpp - comparisons, booleans, choices -------------------------===//
#include "ElementwiseHelpers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

static std::optional<SizeExpr> asSize(std::optional<bool> value) {
  if (!value)
    return std::nullopt;
  return SizeExpr(*value ? 1 : 0);
}

static std::optional<bool> holds(arith::CmpIPredicate predicate,
                                 const SizeExpr &a, const SizeExpr &b) {
  auto invert = [](std::optional<bool> value) {
    return value ? std::optional<bool>(!*value) : value;
  };
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return isEqual(a, b);
  case arith::CmpIPredicate::slt:
    return isLess(a, b);
  case arith::CmpIPredicate::sgt:
    return isLess(b, a);
  case arith::CmpIPredicate::sge:
    return invert(isLess(a, b));
  case arith::CmpIPredicate::sle:
    return invert(isLess(b, a));
  default:
    return std::nullopt;
  }
}

/// Comparisons are false where an operand is NaN.
template <arith::CmpFPredicate floatPredicate, arith::CmpIPredicate predicate>
static LogicalResult compare(NodeLowering &n) {
  auto sizes = [](ArrayRef<SizeExpr> e) {
    return asSize(holds(predicate, e[0], e[1]));
  };
  if (mapContent(n, n.builder.getI1Type(), sizes))
    return success();
  FailureOr<SmallVector<Value>> inputs = broadcastInputs(n);
  if (failed(inputs))
    return failure();
  Value a = (*inputs)[0], b = (*inputs)[1];
  if (isa<FloatType>(n.element(a)))
    return n.result(n.builder.create<arith::CmpFOp>(floatPredicate, a, b));
  return n.result(n.builder.create<arith::CmpIOp>(predicate, a, b));
}

template <typename Op> static LogicalResult logical(NodeLowering &n) {
  FailureOr<SmallVector<Value>> inputs = broadcastInputs(n);
  if (failed(inputs))
    return failure();
  return n.result(n.builder.create<Op>((*inputs)[0], (*inputs)[1]));
}

static LogicalResult logicalNot(NodeLowering &n) {
  Value x = n.value(0);
  return n.result(n.builder.create<arith::XOrIOp>(x, n.splatLike(1, x)));
}

static LogicalResult isNaN(NodeLowering &n) {
  Value x = n.value(0);
  return n.result(
      n.builder.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x));
}

static LogicalResult where(NodeLowering &n) {
  auto sizes = [](ArrayRef<SizeExpr> e) -> std::optional<SizeExpr> {
    if (e[1] == e[2])
      return e[1];
    auto condition = e[0].constant();
    return condition ? std::optional(*condition ? e[1] : e[2]) : std::nullopt;
  };
  if (n.has(1) && mapContent(n, n.input(1).element, sizes))
    return success();
  // The branches may have types that arith does not compute with.
  SmallVector<Value> values = {n.value(0), n.value(1), n.value(2)};
  if (failed(n.broadcastTogether(values)))
    return failure();
  return n.result(
      n.builder.create<arith::SelectOp>(values[0], values[1], values[2]));
}

//===----------------------------------------------------------------------===//
// Clip
//===----------------------------------------------------------------------===//

/// x bounded from below (`isMinimum`) or above; NaN stays NaN.
static Value bounded(NodeLowering &n, Value x, Value bound, bool isMinimum) {
  Value limit = n.broadcast(bound, n.shape(x));
  if (isa<FloatType>(n.element(x)))
    return isMinimum
               ? n.builder.create<arith::MaximumFOp>(x, limit).getResult()
               : n.builder.create<arith::MinimumFOp>(x, limit).getResult();
  return isMinimum ? n.builder.create<arith::MaxSIOp>(x, limit).getResult()
                   : n.builder.create<arith::MinSIOp>(x, limit).getResult();
}

static LogicalResult clip(NodeLowering &n) {
  Value x = n.value(0);
  for (unsigned i : {1u, 2u}) {
    if (!n.has(i))
      continue;
    Value bound = n.value(i);
    if (n.rankOf(bound) != 0)
      bound = n.reshape(bound, {});
    x = bounded(n, x, bound, i == 1);
  }
  return n.result(x);
}

/// Until opset 10 the bounds are attributes.
static LogicalResult clipByAttributes(NodeLowering &n) {
  Value x = n.value(0);
  if (n.node.attribute("min"))
    x = bounded(n, x, n.constant(n.number("min", 0), n.element(x)), true);
  if (n.node.attribute("max"))
    x = bounded(n, x, n.constant(n.number("max", 0), n.element(x)), false);
  return n.result(x);
}

void legalize::registerLogic(Registry &registry) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  registry.add("Equal", compare<F::OEQ, I::eq>);
  registry.add("Less", compare<F::OLT, I::slt>);
  registry.add("Greater", compare<F::OGT, I::sgt>);
  registry.add("LessOrEqual", compare<F::OLE, I::sle>, 12);
  registry.add("GreaterOrEqual", compare<F::OGE, I::sge>, 12);
  registry.add("And", logical<arith::AndIOp>);
  registry.add("Or", logical<arith::OrIOp>);
  registry.add("Xor", logical<arith::XOrIOp>);
  registry.add("Not", logicalNot);
  registry.add("IsNaN", isNaN, 9);
  registry.add("Where", where, 9);
  registry.add("Clip", clipByAttributes, 7, 10);
  registry.add("Clip", clip, 11);
}
