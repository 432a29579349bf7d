//===- MovementCanonicalize.cpp - folds of ops that move data -------------===//
#include "OpHelpers.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace takt;

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  auto in = cast<RankedTensorType>(getInput().getType());
  if (in == getResult().getType() && in.hasStaticShape())
    return getInput();
  return {};
}

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  auto in = cast<RankedTensorType>(getInput().getType());
  if (in == getResult().getType() && in.hasStaticShape())
    return getInput();
  return {};
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  auto in = cast<RankedTensorType>(getInput().getType());
  if (in != getResult().getType() || !in.hasStaticShape())
    return {};
  for (const SizeExpr &start : getStarts().getExprs())
    if (!start.isConstant(0))
      return {};
  if (llvm::any_of(getStrides(), [](int64_t stride) { return stride != 1; }))
    return {};
  return getInput();
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (isIdentityPermutation(permutation))
    return getInput();
  auto inner = getInput().getDefiningOp<TransposeOp>();
  if (!inner)
    return {};
  // result[i] = inner[p[i]] = input[q[p[i]]]
  SmallVector<int64_t> composed;
  for (int64_t dim : permutation)
    composed.push_back(inner.getPermutation()[dim]);
  setPermutation(composed);
  getInputMutable().set(inner.getInput());
  return getResult();
}

namespace {
/// reshape(reshape(x)) = reshape(x).
struct MergeReshapes : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<ReshapeOp>();
    if (!inner)
      return failure();
    rewriter.modifyOpInPlace(
        op, [&] { op.getInputMutable().set(inner.getInput()); });
    return success();
  }
};
} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<MergeReshapes>(context);
}
