//===- Epilogue.cpp - the last steps of a library call --------------------===//
#include "takt/Dialect/Takt/Epilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace takt;

/// The vector that `value` repeats along all but the last dimension; null if it
/// is something else.
static Value rowVector(Value value, SizeAnalysis &sizes) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  if (!broadcast || broadcast.getDims() != ArrayRef<int64_t>{rank - 1} ||
      sizes.shape(broadcast.getInput())[0] != sizes.shape(value).back())
    return {};
  return broadcast.getInput();
}

static Value beforeBroadcasts(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getInput();
  return value;
}

static bool isZero(Value value) {
  return matchPattern(beforeBroadcasts(value), m_AnyZeroFloat());
}

static Value otherOperand(Operation *op, Value one) {
  return op->getOperand(op->getOperand(0) == one ? 1 : 0);
}

static bool isRelu(Operation *op) {
  return isa_and_nonnull<arith::MaximumFOp>(op) &&
         (isZero(op->getOperand(0)) || isZero(op->getOperand(1)));
}

/// min(tail, high), where `tail` is a relu and `high` a positive number.
static std::optional<Epilogue> reluCeiling(Operation *op, Value tail) {
  DenseFPElementsAttr data;
  if (!isRelu(tail.getDefiningOp()) ||
      !matchPattern(beforeBroadcasts(otherOperand(op, tail)),
                    m_Constant(&data)) ||
      !data.isSplat())
    return std::nullopt;
  double high = data.getSplatValue<APFloat>().convertToDouble();
  if (!(high > 0) || !std::isfinite(high))
    return std::nullopt;
  return Epilogue{EpilogueKind::ReluCeiling, Value(), high};
}

std::optional<Epilogue> takt::epilogueOf(Operation *op, Value tail,
                                         SizeAnalysis &sizes) {
  if (auto gelu = dyn_cast<GeluOp>(op))
    return Epilogue{gelu.getTanhApproximation() ? EpilogueKind::GeluTanh
                                                : EpilogueKind::GeluErf,
                    Value()};
  if (isa<arith::MinimumFOp>(op))
    return reluCeiling(op, tail);
  if (!isa<arith::AddFOp, arith::MaximumFOp>(op))
    return std::nullopt;
  Value other = otherOperand(op, tail);
  if (isa<arith::AddFOp>(op)) {
    if (Value vector = rowVector(other, sizes))
      return Epilogue{EpilogueKind::Bias, vector};
    return Epilogue{EpilogueKind::Add, other};
  }
  if (!isZero(other))
    return std::nullopt;
  return Epilogue{EpilogueKind::Relu, Value()};
}
