//===- Epilogue.cpp - the last steps of a library call --------------------===//
#include "takt/Dialect/Takt/Epilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

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

static bool isZero(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getInput();
  return matchPattern(value, m_AnyZeroFloat());
}

std::optional<Epilogue> takt::epilogueOf(Operation *op, Value tail,
                                         SizeAnalysis &sizes) {
  if (auto gelu = dyn_cast<GeluOp>(op))
    return Epilogue{gelu.getTanhApproximation() ? EpilogueKind::GeluTanh
                                                : EpilogueKind::GeluErf,
                    Value()};
  if (!isa<arith::AddFOp, arith::MaximumFOp>(op))
    return std::nullopt;
  Value other = op->getOperand(op->getOperand(0) == tail ? 1 : 0);
  if (isa<arith::AddFOp>(op)) {
    if (Value vector = rowVector(other, sizes))
      return Epilogue{EpilogueKind::Bias, vector};
    return Epilogue{EpilogueKind::Add, other};
  }
  if (!isZero(other))
    return std::nullopt;
  return Epilogue{EpilogueKind::Relu, Value()};
}
