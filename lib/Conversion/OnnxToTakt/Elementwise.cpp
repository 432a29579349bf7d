//===- Elementwise.cpp - arithmetic, element by element -------------------===//
#include "ElementwiseHelpers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

//===----------------------------------------------------------------------===//
// Two and more operands
//===----------------------------------------------------------------------===//

/// Folds the inputs from the left: Add, but also Max of five tensors.
template <typename FloatOp, typename IntegerOp, typename UnsignedOp = IntegerOp>
static LogicalResult fold(NodeLowering &n) {
  FailureOr<SmallVector<Value>> inputs = broadcastInputs(n);
  if (failed(inputs))
    return failure();
  Type element = n.input(0).element;
  Value result = inputs->front();
  for (Value input : ArrayRef<Value>(*inputs).drop_front())
    if (isa<FloatType>(element))
      result = n.builder.create<FloatOp>(result, input);
    else if (element.isUnsignedInteger())
      result = n.builder.create<UnsignedOp>(result, input);
    else
      result = n.builder.create<IntegerOp>(result, input);
  return resultAs(n, result, element);
}

template <typename FloatOp, typename IntegerOp, typename UnsignedOp = IntegerOp>
static LogicalResult foldSizes(
    NodeLowering &n,
    std::optional<SizeExpr> (*combine)(const SizeExpr &, const SizeExpr &)) {
  auto function = [&](ArrayRef<SizeExpr> elements) -> std::optional<SizeExpr> {
    std::optional<SizeExpr> result = elements.front();
    for (const SizeExpr &element : elements.drop_front())
      if (result)
        result = combine(*result, element);
    return result;
  };
  if (n.has(0) && mapContent(n, n.input(0).element, function))
    return success();
  return fold<FloatOp, IntegerOp, UnsignedOp>(n);
}

static LogicalResult add(NodeLowering &n) {
  return foldSizes<arith::AddFOp, arith::AddIOp>(
      n, [](const SizeExpr &a, const SizeExpr &b) {
        return std::optional(a + b);
      });
}

static LogicalResult subtract(NodeLowering &n) {
  return foldSizes<arith::SubFOp, arith::SubIOp>(
      n, [](const SizeExpr &a, const SizeExpr &b) {
        return std::optional(a - b);
      });
}

static LogicalResult multiply(NodeLowering &n) {
  return foldSizes<arith::MulFOp, arith::MulIOp>(
      n, [](const SizeExpr &a, const SizeExpr &b) {
        return std::optional(a * b);
      });
}

/// Sizes of strided windows: (name - k) / c. Requests in which the name is
/// below k make no sense, and are refused.
static std::optional<SizeExpr> dividedName(NodeLowering &n, const SizeExpr &lhs,
                                           const SizeExpr &rhs) {
  auto divisor = rhs.constant();
  for (int64_t k = 1; divisor && *divisor > 0 && k <= *divisor; ++k)
    if (SizeExpr name = lhs + SizeExpr(k); name.symbolName())
      return n.state.requireAtLeast(name, k) ? std::optional(lhs.floorDiv(rhs))
                                             : std::nullopt;
  return std::nullopt;
}

static LogicalResult divide(NodeLowering &n) {
  auto sizes = [&](ArrayRef<SizeExpr> e) -> std::optional<SizeExpr> {
    std::optional<SizeExpr> quotient = truncatedDiv(e[0], e[1]);
    return quotient ? quotient : dividedName(n, e[0], e[1]);
  };
  if (n.has(0) && mapContent(n, n.input(0).element, sizes))
    return success();
  return fold<arith::DivFOp, arith::DivSIOp, arith::DivUIOp>(n);
}

static LogicalResult maximum(NodeLowering &n) {
  return foldSizes<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(
      n, [](const SizeExpr &a, const SizeExpr &b) {
        return std::optional(larger(a, b));
      });
}

static LogicalResult minimum(NodeLowering &n) {
  return foldSizes<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(
      n, [](const SizeExpr &a, const SizeExpr &b) {
        return std::optional(smaller(a, b));
      });
}

static LogicalResult mean(NodeLowering &n) {
  if (failed((fold<arith::AddFOp, arith::AddIOp>(n))))
    return failure();
  Value sum = n.state.lookup(n.node.getResult(0)).value;
  return n.result(
      n.builder.create<arith::DivFOp>(sum, n.splatLike(n.inputCount(), sum)));
}

/// With fmod the sign is the dividend's, without the divisor's.
static LogicalResult modulo(NodeLowering &n) {
  bool isFmod = n.integer("fmod", 0) != 0;
  auto sizes = [&](ArrayRef<SizeExpr> e) -> std::optional<SizeExpr> {
    bool sameSign = isNonNegative(e[0]) && isNonNegative(e[1]);
    if (e[1].isConstant(0) || (isFmod && !sameSign))
      return std::nullopt;
    return SizeExpr::mod(e[0], e[1]);
  };
  if (mapContent(n, n.input(0).element, sizes))
    return success();
  FailureOr<SmallVector<Value>> inputs = broadcastInputs(n);
  if (failed(inputs))
    return failure();
  Value a = (*inputs)[0], b = (*inputs)[1];
  if (isa<FloatType>(n.element(a))) {
    if (!isFmod)
      return n.fail(
          "has fmod = 0 on floats, expected 1; ONNX defines only that");
    return n.result(n.builder.create<arith::RemFOp>(a, b));
  }
  Type element = n.input(0).element;
  if (element.isUnsignedInteger())
    return resultAs(n, n.builder.create<arith::RemUIOp>(a, b), element);
  Value rest = n.builder.create<arith::RemSIOp>(a, b);
  if (isFmod)
    return n.result(rest);
  Value zero = n.splatLike(0, rest);
  Value signs = n.builder.create<arith::XOrIOp>(rest, b);
  Value differ =
      n.builder.create<arith::CmpIOp>(arith::CmpIPredicate::slt, signs, zero);
  Value isRest =
      n.builder.create<arith::CmpIOp>(arith::CmpIPredicate::ne, rest, zero);
  Value moves = n.builder.create<arith::AndIOp>(differ, isRest);
  Value moved = n.builder.create<arith::AddIOp>(rest, b);
  return n.result(n.builder.create<arith::SelectOp>(moves, moved, rest));
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

/// Ops of math and arith that take floats only.
template <typename FloatOp> static LogicalResult floatUnary(NodeLowering &n) {
  FailureOr<Value> x = floatInput(n, 0);
  if (failed(x))
    return failure();
  return n.result(n.builder.create<FloatOp>(*x));
}

static LogicalResult tangent(NodeLowering &n) {
  FailureOr<Value> x = floatInput(n, 0);
  if (failed(x))
    return failure();
  return n.result(n.builder.create<arith::DivFOp>(
      n.builder.create<math::SinOp>(*x), n.builder.create<math::CosOp>(*x)));
}

/// (exp(x) + exp(-x)) / 2, or their difference.
template <bool isSinh> static LogicalResult hyperbolic(NodeLowering &n) {
  FailureOr<Value> x = floatInput(n, 0);
  if (failed(x))
    return failure();
  FloatBuilder b(n, *x);
  Value rising = b.exp(*x), falling = b.exp(b.negate(*x));
  Value both = isSinh ? b.sub(rising, falling) : b.add(rising, falling);
  return n.result(b.mul(both, b.number(0.5)));
}

static LogicalResult negate(NodeLowering &n) {
  if (mapContent(n, n.input(0).element,
                 [](ArrayRef<SizeExpr> e) { return std::optional(-e[0]); }))
    return success();
  Value x = n.value(0);
  if (isa<FloatType>(n.element(x)))
    return n.result(n.builder.create<arith::NegFOp>(x));
  return n.result(n.builder.create<arith::SubIOp>(n.splatLike(0, x), x));
}

static LogicalResult absolute(NodeLowering &n) {
  if (n.input(0).element.isUnsignedInteger())
    return n.forward(0);
  Value x = n.value(0);
  if (isa<FloatType>(n.element(x)))
    return n.result(n.builder.create<math::AbsFOp>(x));
  Value negative = n.builder.create<arith::SubIOp>(n.splatLike(0, x), x);
  return n.result(n.builder.create<arith::MaxSIOp>(x, negative));
}

static LogicalResult reciprocal(NodeLowering &n) {
  Value x = n.value(0);
  return n.result(n.builder.create<arith::DivFOp>(n.splatLike(1, x), x));
}

/// -1, 0 or 1; NaN stays NaN.
static LogicalResult sign(NodeLowering &n) {
  Type element = n.input(0).element;
  Value x = asSignless(n, n.value(0)), one = n.splatLike(1, x);
  if (element.isUnsignedInteger())
    return resultAs(n, n.builder.create<arith::MinUIOp>(x, one), element);
  Value minusOne = n.splatLike(-1, x);
  if (!isa<FloatType>(n.element(x))) {
    Value atMost = n.builder.create<arith::MinSIOp>(x, one);
    return n.result(n.builder.create<arith::MaxSIOp>(atMost, minusOne));
  }
  FloatBuilder b(n, x);
  Value zero = b.number(0);
  Value upper = b.select(b.less(zero, x), one, x);
  return n.result(b.select(b.less(x, zero), minusOne, upper));
}

void legalize::registerElementwise(Registry &registry) {
  registry.add("Add", add);
  registry.add("Sub", subtract);
  registry.add("Mul", multiply);
  registry.add("Div", divide);
  registry.add("Sum", add);
  registry.add("Mean", mean);
  registry.add("Max", maximum);
  registry.add("Min", minimum);
  registry.add("Mod", modulo, 10);
  registry.add("Neg", negate);
  registry.add("Abs", absolute);
  registry.add("Reciprocal", reciprocal);
  registry.add("Sign", sign, 9);
  registry.add("Round", floatUnary<math::RoundEvenOp>, 11);
  registry.add("Sqrt", floatUnary<math::SqrtOp>);
  registry.add("Exp", floatUnary<math::ExpOp>);
  registry.add("Log", floatUnary<math::LogOp>);
  registry.add("Tanh", floatUnary<math::TanhOp>);
  registry.add("Erf", floatUnary<math::ErfOp>, 9);
  registry.add("Sin", floatUnary<math::SinOp>);
  registry.add("Cos", floatUnary<math::CosOp>);
  registry.add("Tan", tangent);
  registry.add("Sinh", hyperbolic<true>, 9);
  registry.add("Cosh", hyperbolic<false>, 9);
  registry.add("Floor", floatUnary<math::FloorOp>);
  registry.add("Ceil", floatUnary<math::CeilOp>);
}
