//===- Elementwise.cpp - arith and math ops as tensor ops -----------------===//
//
// One model serves all elementwise ops: sizes follow from the operands and
// every dimension is a parallel factor. An op adds the function of one element,
// its cost, and which operands it is linear in.
//
//===----------------------------------------------------------------------===//
#include "ElementwiseFunctions.h"
#include "OpHelpers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace takt;

SmallVector<SymbolicShape>
GeluOp::inferShapes(ArrayRef<SymbolicShape> operands) {
  return {operands[0]};
}
ShardingRule GeluOp::getShardingRule(ArrayRef<SymbolicShape> operands,
                                     ArrayRef<SymbolicShape> results) {
  return ShardingRule::pointwise(operands, results[0]);
}
SizeExpr GeluOp::getFlops(ArrayRef<SymbolicShape>,
                          ArrayRef<SymbolicShape> results) {
  return SizeExpr(20) * product(results[0]);
}
Evaluated GeluOp::evaluate(ArrayRef<const HostTensor *> operands,
                           const EvaluationContext &) {
  HostTensor result = *operands[0];
  for (int64_t i = 0, n = result.numElements(); i < n; ++i) {
    double x = result.getFloat(i);
    double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
    double phi =
        getTanhApproximation() ? std::tanh(inner) : std::erf(x * M_SQRT1_2);
    result.setFloat(i, 0.5 * x * (1 + phi));
  }
  return single(std::move(result));
}
FusionKind GeluOp::getFusionKind() { return FusionKind::Pointwise; }

namespace {

/// Sets of operands that an op is linear in; at most two.
enum class Linearity { None, First, Both, EitherOne, Branches };

/// The interface for an elementwise op of another dialect.
template <typename Op, ElementFunction function, Linearity linearity, int cost>
struct ElementwiseModel
    : TensorOpInterface::ExternalModel<
          ElementwiseModel<Op, function, linearity, cost>, Op> {
  SmallVector<SymbolicShape>
  inferShapes(Operation *, ArrayRef<SymbolicShape> operands) const {
    // A scalar condition of select has no sizes: take the widest operand.
    const SymbolicShape *widest = &operands[0];
    for (const SymbolicShape &operand : operands)
      if (operand.size() > widest->size())
        widest = &operand;
    return {*widest};
  }

  ShardingRule getShardingRule(Operation *, ArrayRef<SymbolicShape> operands,
                               ArrayRef<SymbolicShape> results) const {
    ShardingRule rule = ShardingRule::pointwise(operands, results[0]);
    if (linearity == Linearity::First)
      rule.linearGroups = {{0}};
    else if (linearity == Linearity::Both)
      rule.linearGroups = {{0, 1}};
    else if (linearity == Linearity::EitherOne)
      rule.linearGroups = {{0}, {1}};
    else if (linearity == Linearity::Branches)
      rule.linearGroups = {{1, 2}};
    return rule;
  }

  SizeExpr getFlops(Operation *, ArrayRef<SymbolicShape>,
                    ArrayRef<SymbolicShape> results) const {
    return SizeExpr(cost) * product(results[0]);
  }

  Evaluated evaluate(Operation *op, ArrayRef<const HostTensor *> operands,
                     const EvaluationContext &) const {
    const HostTensor *shape = operands[0];
    for (const HostTensor *operand : operands)
      if (operand->shape.size() > shape->shape.size())
        shape = operand;
    HostTensor result = HostTensor::zeros(resultDType(op), shape->shape);
    for (int64_t i = 0, n = result.numElements(); i < n; ++i)
      function(op, operands, result, i);
    return single(std::move(result));
  }

  FusionKind getFusionKind(Operation *) const { return FusionKind::Pointwise; }

  void localize(Operation *, const Strategy &, int64_t, ArrayRef<SymbolicShape>,
                ArrayRef<SymbolicShape>) const {}
};

} // namespace

template <typename Op, ElementFunction function,
          Linearity linearity = Linearity::None, int cost = 1>
static void attach(MLIRContext *context) {
  Op::template attachInterface<ElementwiseModel<Op, function, linearity, cost>>(
      *context);
}

static void attachArith(MLIRContext *context) {
  using namespace arith;
  using L = Linearity;
  attach<AddFOp, binaryFloat<addFloat>, L::Both>(context);
  attach<SubFOp, binaryFloat<subFloat>, L::Both>(context);
  attach<MulFOp, binaryFloat<mulFloat>, L::EitherOne>(context);
  attach<DivFOp, binaryFloat<divFloat>, L::First, 4>(context);
  attach<RemFOp, binaryFloat<remFloat>, L::None, 10>(context);
  attach<MaximumFOp, binaryFloat<maxFloat>>(context);
  attach<MinimumFOp, binaryFloat<minFloat>>(context);
  attach<NegFOp, unaryFloat<negFloat>, L::First>(context);
  attach<AddIOp, binaryInt<addInt>, L::Both>(context);
  attach<SubIOp, binaryInt<subInt>, L::Both>(context);
  attach<MulIOp, binaryInt<mulInt>, L::EitherOne>(context);
  attach<DivSIOp, binaryInt<divInt>, L::None, 20>(context);
  attach<RemSIOp, binaryInt<remInt>, L::None, 20>(context);
  attach<DivUIOp, binaryUnsigned<divUnsigned>, L::None, 20>(context);
  attach<RemUIOp, binaryUnsigned<remUnsigned>, L::None, 20>(context);
  attach<MaxUIOp, binaryUnsigned<maxUnsigned>>(context);
  attach<MinUIOp, binaryUnsigned<minUnsigned>>(context);
  attach<ShLIOp, binaryUnsigned<shiftLeft>>(context);
  attach<ShRUIOp, binaryUnsigned<shiftRight>>(context);
  attach<FloorDivSIOp, binaryInt<floorDivInt>, L::None, 20>(context);
  attach<MaxSIOp, binaryInt<maxInt>>(context);
  attach<MinSIOp, binaryInt<minInt>>(context);
  attach<AndIOp, binaryInt<andInt>>(context);
  attach<OrIOp, binaryInt<orInt>>(context);
  attach<XOrIOp, binaryInt<xorInt>>(context);
  attach<CmpIOp, compareInt>(context);
  attach<CmpFOp, compareFloat>(context);
  attach<SelectOp, selectElement, L::Branches>(context);
  attach<ExtSIOp, convertInt>(context);
  attach<ExtUIOp, convertUnsigned>(context);
  attach<TruncIOp, convertInt>(context);
  attach<SIToFPOp, intToFloat>(context);
  attach<UIToFPOp, unsignedToFloat>(context);
  attach<FPToSIOp, floatToInt>(context);
  attach<ExtFOp, unaryFloat<sameFloat>, L::First>(context);
  attach<TruncFOp, unaryFloat<sameFloat>>(context);
}

static void attachMath(MLIRContext *context) {
  using namespace math;
  constexpr auto none = Linearity::None;
  attach<ExpOp, unaryFloat<std::exp>, none, 10>(context);
  attach<LogOp, unaryFloat<std::log>, none, 10>(context);
  attach<SqrtOp, unaryFloat<std::sqrt>, none, 4>(context);
  attach<RsqrtOp, unaryFloat<rsqrtFloat>, none, 4>(context);
  attach<TanhOp, unaryFloat<std::tanh>, none, 15>(context);
  attach<ErfOp, unaryFloat<std::erf>, none, 15>(context);
  attach<SinOp, unaryFloat<std::sin>, none, 15>(context);
  attach<CosOp, unaryFloat<std::cos>, none, 15>(context);
  attach<AbsFOp, unaryFloat<std::fabs>>(context);
  attach<FloorOp, unaryFloat<std::floor>>(context);
  attach<CeilOp, unaryFloat<std::ceil>>(context);
  attach<RoundEvenOp, unaryFloat<std::nearbyint>>(context);
  attach<PowFOp, binaryFloat<std::pow>, none, 30>(context);
  attach<AbsIOp, unaryInt<absInt>>(context);
}

void takt::registerElementwiseModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attachArith(context);
  });
  registry.addExtension(
      +[](MLIRContext *context, math::MathDialect *) { attachMath(context); });
}
