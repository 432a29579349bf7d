//===- IndexOps.cpp - tensors made of sizes -------------------------------===//
#include "OpHelpers.h"

using namespace mlir;
using namespace takt;

/// A rule for results that no operand determines: nothing to cut.
static ShardingRule sourceRule(ArrayRef<SymbolicShape> results) {
  return ShardingRule::replicated({}, results);
}

LogicalResult IotaOp::verify() {
  if (auto start = SizeExpr::parse(getStart()); !start)
    return emitOpError("start '")
           << getStart() << "': " << llvm::toString(start.takeError());
  return verifyResultRank(*this, 1);
}

SmallVector<SymbolicShape> IotaOp::inferShapes(ArrayRef<SymbolicShape>) {
  return {getShape().getExprs()};
}

ShardingRule IotaOp::getShardingRule(ArrayRef<SymbolicShape>,
                                     ArrayRef<SymbolicShape> results) {
  return sourceRule(results);
}

SizeExpr IotaOp::getFlops(ArrayRef<SymbolicShape>, ArrayRef<SymbolicShape>) {
  return 0;
}

Evaluated IotaOp::evaluate(ArrayRef<const HostTensor *>,
                           const EvaluationContext &context) {
  llvm::Expected<SizeExpr> startExpr = SizeExpr::parse(getStart());
  if (!startExpr)
    return startExpr.takeError();
  auto start = context.evaluate(*startExpr);
  if (!start)
    return start.takeError();
  auto shape = context.evaluate(getShape().getExprs());
  if (!shape)
    return shape.takeError();
  HostTensor result = HostTensor::zeros(resultDType(*this), *shape);
  for (int64_t i = 0, n = result.numElements(); i < n; ++i)
    result.setInt(i, *start + i * int64_t(getStep()));
  return single(std::move(result));
}

SmallVector<SizeExpr> IotaOp::getOffsets() {
  return {llvm::cantFail(SizeExpr::parse(getStart()))};
}

FusionKind IotaOp::getFusionKind() { return FusionKind::Pointwise; }

SmallVector<SymbolicShape> SizeTensorOp::inferShapes(ArrayRef<SymbolicShape>) {
  // A scalar or a vector: the result's type, always static, tells which.
  return {staticShape(cast<RankedTensorType>(getResult().getType()))};
}

ShardingRule SizeTensorOp::getShardingRule(ArrayRef<SymbolicShape>,
                                           ArrayRef<SymbolicShape> results) {
  return sourceRule(results);
}

SizeExpr SizeTensorOp::getFlops(ArrayRef<SymbolicShape>,
                                ArrayRef<SymbolicShape>) {
  return 0;
}

Evaluated SizeTensorOp::evaluate(ArrayRef<const HostTensor *>,
                                 const EvaluationContext &context) {
  auto sizes = context.evaluate(getSizes().getExprs());
  if (!sizes)
    return sizes.takeError();
  auto type = cast<RankedTensorType>(getResult().getType());
  HostTensor result = HostTensor::zeros(resultDType(*this), type.getShape());
  for (auto [i, size] : llvm::enumerate(*sizes))
    result.setInt(i, size);
  return single(std::move(result));
}

FusionKind SizeTensorOp::getFusionKind() { return FusionKind::Pointwise; }
