//===- ReinterpretOp.cpp - the same bits as another integer type ----------===//
#include "OpHelpers.h"

using namespace mlir;
using namespace takt;

LogicalResult ReinterpretOp::verify() {
  auto from = dyn_cast<IntegerType>(getElementTypeOrSelf(getInput().getType()));
  auto to = dyn_cast<IntegerType>(getElementTypeOrSelf(getType()));
  if (!from || !to || from.getWidth() != to.getWidth() || from.getWidth() < 8)
    return emitOpError("reads ")
           << getInput().getType() << " as " << getType()
           << ", expected integers of one width of 8 bits or more";
  return success();
}

/// There and back.
OpFoldResult ReinterpretOp::fold(FoldAdaptor) {
  auto inner = getInput().getDefiningOp<ReinterpretOp>();
  return inner && inner.getInput().getType() == getType() ? inner.getInput()
                                                          : Value();
}

SmallVector<SymbolicShape>
ReinterpretOp::inferShapes(ArrayRef<SymbolicShape> operands) {
  return {operands[0]};
}

ShardingRule ReinterpretOp::getShardingRule(ArrayRef<SymbolicShape> operands,
                                            ArrayRef<SymbolicShape> results) {
  return ShardingRule::pointwise(operands, results[0]);
}

SizeExpr ReinterpretOp::getFlops(ArrayRef<SymbolicShape>,
                                 ArrayRef<SymbolicShape>) {
  return 0;
}

Evaluated ReinterpretOp::evaluate(ArrayRef<const HostTensor *> operands,
                                  const EvaluationContext &) {
  HostTensor result = *operands[0];
  result.dtype = resultDType(*this);
  return single(std::move(result));
}

FusionKind ReinterpretOp::getFusionKind() { return FusionKind::Pointwise; }
