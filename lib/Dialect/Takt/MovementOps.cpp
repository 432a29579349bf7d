//===- MovementOps.cpp - reshape, broadcast, transpose --------------------===//
#include "OpHelpers.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace takt;

static RankedTensorType ranked(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  auto in = ranked(getInput()), out = ranked(getResult());
  if (out.getRank() != int64_t(getShape().getSizes().size()))
    return emitOpError("names ")
           << getShape().getSizes().size() << " sizes, but its result has rank "
           << out.getRank();
  if (in.hasStaticShape() && out.hasStaticShape() &&
      in.getNumElements() != out.getNumElements())
    return emitOpError("turns ")
           << in.getNumElements() << " elements into " << out.getNumElements();
  return success();
}

SmallVector<SymbolicShape> ReshapeOp::inferShapes(ArrayRef<SymbolicShape>) {
  return {getShape().getExprs()};
}

ShardingRule ReshapeOp::getShardingRule(ArrayRef<SymbolicShape> operands,
                                        ArrayRef<SymbolicShape> results) {
  return reshapeRule(operands[0], results[0]);
}

SizeExpr ReshapeOp::getFlops(ArrayRef<SymbolicShape>, ArrayRef<SymbolicShape>) {
  return 0;
}

Evaluated ReshapeOp::evaluate(ArrayRef<const HostTensor *> operands,
                              const EvaluationContext &context) {
  auto shape = context.evaluate(getShape().getExprs());
  if (!shape)
    return shape.takeError();
  HostTensor result = *operands[0];
  result.shape.assign(shape->begin(), shape->end());
  if (result.numElements() != operands[0]->numElements())
    return evaluationFailure("a reshape changes the number of elements");
  return single(std::move(result));
}

FusionKind ReshapeOp::getFusionKind() { return FusionKind::View; }

void ReshapeOp::localize(const Strategy &, int64_t, ArrayRef<SymbolicShape>,
                         ArrayRef<SymbolicShape> localResults) {
  setShapeAttr(ShapeAttr::get(getContext(), localResults[0]));
}

//===----------------------------------------------------------------------===//
// broadcast
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  auto in = ranked(getInput()), out = ranked(getResult());
  ArrayRef<int64_t> dims = getDims();
  if (in.getRank() != int64_t(dims.size()))
    return emitOpError("maps ")
           << dims.size() << " dimensions of an operand of rank "
           << in.getRank();
  if (out.getRank() != int64_t(getShape().getSizes().size()))
    return emitOpError("names ")
           << getShape().getSizes().size() << " sizes, but its result has rank "
           << out.getRank();
  int64_t last = -1;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim <= last || dim >= out.getRank())
      return emitOpError("dims must rise and name result dimensions, found ")
             << dim;
    last = dim;
    if (in.getDimSize(i) != 1 &&
        !mayEqual(in.getDimSize(i), out.getDimSize(dim)))
      return emitOpError("repeats dimension ")
             << i << " of size " << in.getDimSize(i) << " to "
             << out.getDimSize(dim) << "; only size 1 repeats";
  }
  return success();
}

SmallVector<SymbolicShape> BroadcastOp::inferShapes(ArrayRef<SymbolicShape>) {
  return {getShape().getExprs()};
}

ShardingRule BroadcastOp::getShardingRule(ArrayRef<SymbolicShape> operands,
                                          ArrayRef<SymbolicShape> results) {
  RuleBuilder rule;
  SmallVector<std::string> names = declareFactors(rule, "d", results[0]);
  SmallVector<std::string> operand;
  for (auto [i, dim] : llvm::enumerate(getDims())) {
    bool repeats =
        operands[0][i].isConstant(1) && !results[0][dim].isConstant(1);
    operand.push_back(repeats ? "1" : names[dim]);
  }
  return rule.operand(operand).result(names).linear({0}).build();
}

SizeExpr BroadcastOp::getFlops(ArrayRef<SymbolicShape>,
                               ArrayRef<SymbolicShape>) {
  return 0;
}

Evaluated BroadcastOp::evaluate(ArrayRef<const HostTensor *> operands,
                                const EvaluationContext &context) {
  auto shape = context.evaluate(getShape().getExprs());
  if (!shape)
    return shape.takeError();
  const HostTensor &in = *operands[0];
  SmallVector<int64_t> inStrides = rowMajorStrides(in.shape);
  SmallVector<int64_t> strides(shape->size(), 0);
  for (auto [i, dim] : llvm::enumerate(getDims())) {
    if (in.shape[i] != 1 && in.shape[i] != (*shape)[dim])
      return evaluationFailure("a broadcast repeats a size other than 1");
    if (in.shape[i] != 1)
      strides[dim] = inStrides[i];
  }
  return single(stridedCopy(in, 0, strides, *shape));
}

FusionKind BroadcastOp::getFusionKind() { return FusionKind::Pointwise; }

void BroadcastOp::localize(const Strategy &, int64_t, ArrayRef<SymbolicShape>,
                           ArrayRef<SymbolicShape> localResults) {
  setShapeAttr(ShapeAttr::get(getContext(), localResults[0]));
}

//===----------------------------------------------------------------------===//
// transpose
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::verify() {
  auto in = ranked(getInput()), out = ranked(getResult());
  ArrayRef<int64_t> permutation = getPermutation();
  if (in.getRank() != int64_t(permutation.size()) ||
      !isPermutationVector(permutation))
    return emitOpError("needs a permutation of ")
           << in.getRank() << " dimensions";
  if (failed(verifyResultRank(*this, in.getRank())))
    return failure();
  for (auto [i, dim] : llvm::enumerate(permutation))
    if (!mayEqual(out.getDimSize(i), in.getDimSize(dim)))
      return emitOpError("has result size ")
             << out.getDimSize(i) << " where " << in.getDimSize(dim)
             << " follows";
  return success();
}

SmallVector<SymbolicShape>
TransposeOp::inferShapes(ArrayRef<SymbolicShape> operands) {
  SymbolicShape result;
  for (int64_t dim : getPermutation())
    result.push_back(operands[0][dim]);
  return {result};
}

ShardingRule TransposeOp::getShardingRule(ArrayRef<SymbolicShape> operands,
                                          ArrayRef<SymbolicShape>) {
  RuleBuilder rule;
  SmallVector<std::string> names = declareFactors(rule, "d", operands[0]);
  SmallVector<std::string> permuted;
  for (int64_t dim : getPermutation())
    permuted.push_back(names[dim]);
  return rule.operand(names).result(permuted).linear({0}).build();
}

SizeExpr TransposeOp::getFlops(ArrayRef<SymbolicShape>,
                               ArrayRef<SymbolicShape>) {
  return 0;
}

Evaluated TransposeOp::evaluate(ArrayRef<const HostTensor *> operands,
                                const EvaluationContext &) {
  const HostTensor &in = *operands[0];
  SmallVector<int64_t> inStrides = rowMajorStrides(in.shape), strides, shape;
  for (int64_t dim : getPermutation()) {
    strides.push_back(inStrides[dim]);
    shape.push_back(in.shape[dim]);
  }
  return single(stridedCopy(in, 0, strides, shape));
}

FusionKind TransposeOp::getFusionKind() { return FusionKind::Pointwise; }
