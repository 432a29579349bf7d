//===- Reduction.cpp - sums, maxima and products --------------------------===//
#include "Reduction.h"

using namespace mlir;
using namespace takt;
using namespace takt::kernels;

template <typename Op>
static std::function<Value(StageBody &, Value, Value)> combineWith() {
  return [](StageBody &body, Value lhs, Value rhs) -> Value {
    return body.builder.create<Op>(body.loc, lhs, rhs);
  };
}

template <typename Op>
static std::function<Value(StageBody &, Value, Value)>
combineWith(arith::FastMathFlagsAttr flags) {
  return [=](StageBody &body, Value lhs, Value rhs) -> Value {
    return body.builder.create<Op>(body.loc, lhs, rhs, flags);
  };
}

static Reduction floatReduction(StringRef kind, FloatType type,
                                arith::FastMathFlagsAttr flags) {
  bool isMaxNum = kind == "maxnum";
  bool isMax = kind == "max" || isMaxNum, isMin = kind == "min";
  double identity = kind == "prod" ? 1 : 0;
  APFloat value = isMax || isMin
                      ? APFloat::getInf(type.getFloatSemantics(), isMax)
                      : APFloat(identity);
  bool losesInfo;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  auto attribute = FloatAttr::get(type, value);
  if (isMaxNum)
    return {attribute, combineWith<arith::MaxNumFOp>()};
  // maximumf keeps NaN, and needs no flag to be seen as a reduction.
  if (isMax)
    return {attribute, combineWith<arith::MaximumFOp>()};
  if (isMin)
    return {attribute, combineWith<arith::MinimumFOp>()};
  if (kind == "prod")
    return {attribute, combineWith<arith::MulFOp>(flags)};
  return {attribute, combineWith<arith::AddFOp>(flags)};
}

static Reduction integerReduction(StringRef kind, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  auto attribute = [&](const APInt &value) {
    return IntegerAttr::get(type, value);
  };
  if (width == 1) // max is or, min and prod are and
    return kind == "max" || kind == "sum"
               ? Reduction{attribute(APInt(1, 0)), combineWith<arith::OrIOp>()}
               : Reduction{attribute(APInt(1, 1)),
                           combineWith<arith::AndIOp>()};
  if (kind == "max")
    return {attribute(APInt::getSignedMinValue(width)),
            combineWith<arith::MaxSIOp>()};
  if (kind == "min")
    return {attribute(APInt::getSignedMaxValue(width)),
            combineWith<arith::MinSIOp>()};
  if (kind == "prod")
    return {attribute(APInt(width, 1)), combineWith<arith::MulIOp>()};
  return {attribute(APInt(width, 0)), combineWith<arith::AddIOp>()};
}

Reduction kernels::reductionOf(StringRef kind, Type type,
                               arith::FastMathFlagsAttr flags) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return floatReduction(kind, floatType, flags);
  return integerReduction(kind, type);
}

SmallVector<bool> kernels::markAxes(unsigned rank, ArrayRef<int64_t> axes) {
  SmallVector<bool> reduced(rank, false);
  for (int64_t axis : axes)
    reduced[axis] = true;
  return reduced;
}

Value kernels::readPoint(StageBody &body, const KernelBuffer &buffer,
                         Type type) {
  return body.convertFloat(body.readBuffer(buffer, body.point()), type);
}

Value kernels::multiplyAdd(StageBody &body, Value sum, Value a, Value b,
                           arith::FastMathFlagsAttr flags) {
  OpBuilder &builder = body.builder;
  Type type = sum.getType();
  if (!isa<FloatType>(type)) {
    Value product = builder.create<arith::MulIOp>(body.loc, a, b);
    return builder.create<arith::AddIOp>(body.loc, sum, product);
  }
  Value product = builder.create<arith::MulFOp>(
      body.loc, body.convertFloat(a, type), body.convertFloat(b, type), flags);
  return builder.create<arith::AddFOp>(body.loc, sum, product, flags);
}
