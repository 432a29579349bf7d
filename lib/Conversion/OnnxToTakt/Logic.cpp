//===- Logic.cpp - comparisons, booleans, choices -------------------------===//
#include "ElementwiseHelpers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>
#include <functional>

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

static arith::CmpIPredicate unsignedOf(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::slt:
    return arith::CmpIPredicate::ult;
  case arith::CmpIPredicate::sle:
    return arith::CmpIPredicate::ule;
  case arith::CmpIPredicate::sgt:
    return arith::CmpIPredicate::ugt;
  case arith::CmpIPredicate::sge:
    return arith::CmpIPredicate::uge;
  default:
    return predicate;
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
  bool isUnsigned = n.input(0).element.isUnsignedInteger();
  return n.result(n.builder.create<arith::CmpIOp>(
      isUnsigned ? unsignedOf(predicate) : predicate, a, b));
}

/// One op for all integers.
template <typename Op> static LogicalResult elementwise(NodeLowering &n) {
  FailureOr<SmallVector<Value>> inputs = broadcastInputs(n);
  if (failed(inputs))
    return failure();
  return resultAs(n, n.builder.create<Op>((*inputs)[0], (*inputs)[1]),
                  n.input(0).element);
}

/// Bit by bit; booleans have one.
template <typename Op, typename Function>
static LogicalResult bitwise(NodeLowering &n) {
  auto sizes = [](ArrayRef<SizeExpr> e) -> std::optional<SizeExpr> {
    auto a = e[0].constant(), b = e[1].constant();
    return a && b ? std::optional<SizeExpr>(Function()(*a, *b)) : std::nullopt;
  };
  if (mapContent(n, n.input(0).element, sizes))
    return success();
  return elementwise<Op>(n);
}

static LogicalResult bitwiseAnd(NodeLowering &n) {
  return bitwise<arith::AndIOp, std::bit_and<>>(n);
}
static LogicalResult bitwiseOr(NodeLowering &n) {
  return bitwise<arith::OrIOp, std::bit_or<>>(n);
}
static LogicalResult bitwiseXor(NodeLowering &n) {
  return bitwise<arith::XOrIOp, std::bit_xor<>>(n);
}

static LogicalResult logicalNot(NodeLowering &n) {
  auto sizes = [](ArrayRef<SizeExpr> e) -> std::optional<SizeExpr> {
    auto value = e[0].constant();
    return value ? std::optional<SizeExpr>(*value == 0 ? 1 : 0) : std::nullopt;
  };
  if (mapContent(n, n.builder.getI1Type(), sizes))
    return success();
  Value x = n.value(0);
  return n.result(n.builder.create<arith::XOrIOp>(x, n.splatLike(1, x)));
}

static LogicalResult bitwiseNot(NodeLowering &n) {
  FailureOr<SmallVector<Value>> inputs = broadcastInputs(n);
  if (failed(inputs))
    return failure();
  Value x = inputs->front();
  return resultAs(n, n.builder.create<arith::XOrIOp>(x, n.splatLike(-1, x)),
                  n.input(0).element);
}

/// Bits that leave on one side are lost, zeros come in on the other.
static LogicalResult bitShift(NodeLowering &n) {
  std::string direction = n.text("direction", "");
  if (direction == "LEFT")
    return elementwise<arith::ShLIOp>(n);
  if (direction == "RIGHT" && n.input(0).element.isUnsignedInteger())
    return elementwise<arith::ShRUIOp>(n);
  return n.fail("has direction = '" + direction +
                "', expected LEFT, or RIGHT of unsigned integers");
}

static LogicalResult isNaN(NodeLowering &n) {
  Value x = n.value(0);
  return n.result(
      n.builder.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x));
}

/// Of either sign, unless an attribute excludes one.
static LogicalResult isInfinite(NodeLowering &n) {
  FailureOr<Value> x = floatInput(n, 0);
  if (failed(x))
    return failure();
  bool isPositive = n.integer("detect_positive", 1) != 0;
  bool isNegative = n.integer("detect_negative", 1) != 0;
  if (!isPositive && !isNegative)
    return n.result(n.splat(0, n.builder.getI1Type(), n.shape(*x)));
  FloatBuilder b(n, *x);
  Value tested = isPositive && isNegative ? b.abs(*x) : *x;
  double infinity = isPositive ? INFINITY : -INFINITY;
  return n.result(b.equal(tested, b.number(infinity)));
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
  Value limit = n.broadcast(toOrdered(n, bound), n.shape(x));
  if (isa<FloatType>(n.element(x)))
    return isMinimum
               ? n.builder.create<arith::MaximumFOp>(x, limit).getResult()
               : n.builder.create<arith::MinimumFOp>(x, limit).getResult();
  return isMinimum ? n.builder.create<arith::MaxSIOp>(x, limit).getResult()
                   : n.builder.create<arith::MinSIOp>(x, limit).getResult();
}

static LogicalResult clip(NodeLowering &n) {
  Value x = toOrdered(n, n.value(0));
  for (unsigned i : {1u, 2u}) {
    if (!n.has(i))
      continue;
    Value bound = n.value(i);
    if (n.rankOf(bound) != 0)
      bound = n.reshape(bound, {});
    x = bounded(n, x, bound, i == 1);
  }
  return resultOfOrdered(n, x, n.input(0).element);
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
  registry.add("And", bitwiseAnd);
  registry.add("Or", bitwiseOr);
  registry.add("Xor", bitwiseXor);
  registry.add("Not", logicalNot);
  registry.add("BitwiseAnd", bitwiseAnd, 18);
  registry.add("BitwiseOr", bitwiseOr, 18);
  registry.add("BitwiseXor", bitwiseXor, 18);
  registry.add("BitwiseNot", bitwiseNot, 18);
  registry.add("BitShift", bitShift, 11);
  registry.add("IsInf", isInfinite, 10);
  registry.add("IsNaN", isNaN, 9);
  registry.add("Where", where, 9);
  registry.add("Clip", clipByAttributes, 7, 10);
  registry.add("Clip", clip, 11);
}
