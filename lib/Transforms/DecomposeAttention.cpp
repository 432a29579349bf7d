//===- DecomposeAttention.cpp - attention as contractions and a softmax ---===//
#include "takt/Dialect/Takt/SizeAnalysis.h"
#include "takt/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace takt {
#define GEN_PASS_DEF_DECOMPOSEATTENTIONPASS
#include "takt/Transforms/Passes.h.inc"
} // namespace takt

using namespace mlir;
using namespace takt;

/// `value` repeated to `shape`: a scalar, or of the same rank with sizes of 1.
static Value broadcastTo(OpBuilder &builder, Location loc, SizeAnalysis &sizes,
                         Value value, const SymbolicShape &shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (sizes.shape(value) == shape)
    return value;
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < type.getRank(); ++i)
    dims.push_back(i);
  return createInferred<BroadcastOp>(
      builder, loc, sizes, type.getElementType(), value, dims,
      ShapeAttr::get(builder.getContext(), shape));
}

static Value broadcastConstant(OpBuilder &builder, Location loc,
                               SizeAnalysis &sizes, Type element, double number,
                               const SymbolicShape &shape) {
  auto scalar = DenseElementsAttr::get(RankedTensorType::get({}, element),
                                       builder.getFloatAttr(element, number));
  return broadcastTo(builder, loc, sizes,
                     builder.create<arith::ConstantOp>(loc, scalar), shape);
}

/// 0 where `value` is NaN: a row whose scores are all -inf.
static Value zeroNaNs(OpBuilder &builder, Location loc, SizeAnalysis &sizes,
                      Value value, const SymbolicShape &shape) {
  Type element = getElementTypeOrSelf(value.getType());
  Value isNaN = builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNO,
                                              value, value);
  Value zeros = broadcastConstant(builder, loc, sizes, element, 0.0, shape);
  return builder.create<arith::SelectOp>(loc, isNaN, zeros, value);
}

static void decompose(AttentionOp op, SizeAnalysis &sizes) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type element = getElementTypeOrSelf(op.getType());
  auto transposed = builder.getUnitAttr();
  Value scores = createInferred<MatmulOp>(
      builder, loc, sizes, element, op.getQuery(), op.getKey(), transposed);
  SymbolicShape shape = sizes.shape(scores);
  double scale = op.getScale().convertToDouble();
  if (scale != 1.0)
    scores = builder.create<arith::MulFOp>(
        loc, scores,
        broadcastConstant(builder, loc, sizes, element, scale, shape));
  if (Value mask = op.getMask())
    scores = builder.create<arith::AddFOp>(
        loc, scores, broadcastTo(builder, loc, sizes, mask, shape));
  Value weights =
      createInferred<SoftmaxOp>(builder, loc, sizes, element, scores,
                                /*axis=*/3);
  if (op.getMaskedRowsZero())
    weights = zeroNaNs(builder, loc, sizes, weights, shape);
  Value result = createInferred<MatmulOp>(builder, loc, sizes, element, weights,
                                          op.getValue(), UnitAttr());
  op.replaceAllUsesWith(result);
  op.erase();
}

namespace {
struct DecomposeAttention
    : takt::impl::DecomposeAttentionPassBase<DecomposeAttention> {
  void runOnOperation() override {
    // Attention ops are replaced in order, so the analysis never holds a value
    // that is gone: it has only seen what stands before.
    SmallVector<AttentionOp> ops;
    getOperation()->walk([&](AttentionOp op) { ops.push_back(op); });
    SizeAnalysis sizes;
    for (AttentionOp op : ops)
      decompose(op, sizes);
  }
};
} // namespace
