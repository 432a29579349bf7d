//===- FoldScales.cpp - channel scales and offsets go into weights --------===//
#include "takt/Dialect/Takt/SizeAnalysis.h"
#include "takt/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace takt {
#define GEN_PASS_DEF_FOLDSCALESPASS
#include "takt/Transforms/Passes.h.inc"
} // namespace takt

using namespace mlir;
using namespace takt;

/// Whether the packer can compute the value: it depends on weights alone.
static bool isKnownWhenPacking(Value value) {
  // Each op once, however often its result is used on the way.
  SetVector<Operation *> pending;
  auto add = [&](Value operand) {
    Operation *op = operand.getDefiningOp();
    return op && (pending.insert(op), true);
  };
  if (!add(value))
    return false;
  for (size_t i = 0; i < pending.size(); ++i) {
    Operation *op = pending[i];
    if (isa<WeightReadOp, arith::ConstantOp>(op))
      continue;
    if (op->getNumOperands() == 0 || !llvm::all_of(op->getOperands(), add))
      return false;
  }
  return true;
}

/// The vector that `value` repeats along all but its last dimension; null if it
/// is something else.
static Value channelVector(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  int64_t last = cast<RankedTensorType>(value.getType()).getRank() - 1;
  if (!broadcast || broadcast.getDims() != ArrayRef<int64_t>(last) ||
      cast<RankedTensorType>(broadcast.getInput().getType()).getDimSize(0) !=
          cast<RankedTensorType>(value.getType()).getDimSize(last) ||
      !isKnownWhenPacking(broadcast.getInput()))
    return {};
  return broadcast.getInput();
}

/// The channel vector among the operands of `op`; the other operand is left in
/// `rest`.
static Value takeChannelVector(Operation *op, Value &rest) {
  for (unsigned i : {0u, 1u})
    if (Value vector = channelVector(op->getOperand(i))) {
      rest = op->getOperand(1 - i);
      return vector;
    }
  return {};
}

namespace {
class Folder {
public:
  Folder(SizeAnalysis &sizes) : sizes(sizes) {}

  void fold(Operation *op) {
    Value replacement;
    if (isa<arith::MulFOp>(op))
      replacement = foldScale(op);
    else if (isa<arith::AddFOp>(op))
      replacement = foldOffset(op);
    if (replacement)
      op->getResult(0).replaceAllUsesWith(replacement);
  }

private:
  Value foldScale(Operation *op);
  Value foldOffset(Operation *op);
  Value scaled(OpBuilder &builder, Operation *product, Value factor);
  Value repeat(OpBuilder &builder, Value vector, Value like, int64_t dim) {
    return createInferred<BroadcastOp>(
        builder, like.getLoc(), sizes, getElementTypeOrSelf(vector.getType()),
        vector, builder.getDenseI64ArrayAttr(dim),
        ShapeAttr::get(builder.getContext(), sizes.shape(like)));
  }

  SizeAnalysis &sizes;
};
} // namespace

/// A convolution or product by a weight, which nothing else reads; null
/// otherwise.
static Operation *weightedProduct(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !value.hasOneUse() || !isa<ConvOp, MatmulOp>(op) ||
      !isKnownWhenPacking(op->getOperand(1)) || !op->getOperand(1).hasOneUse())
    return nullptr;
  return op;
}

/// The product with its weight's output channels multiplied by `factor`.
Value Folder::scaled(OpBuilder &builder, Operation *product, Value factor) {
  Value weight = product->getOperand(1);
  auto matmul = dyn_cast<MatmulOp>(product);
  int64_t channels = matmul && !matmul.getTransposeRhs() ? 1 : 0;
  Value repeated = repeat(builder, factor, weight, channels);
  Value changed =
      builder.create<arith::MulFOp>(product->getLoc(), weight, repeated);
  Operation *clone = builder.clone(*product);
  clone->setOperand(1, changed);
  return clone->getResult(0);
}

/// (x * w + b) * f = x * (w * f) + b * f, per channel.
Value Folder::foldScale(Operation *op) {
  Value rest;
  Value factor = takeChannelVector(op, rest);
  if (!factor)
    return {};
  OpBuilder builder(op);
  auto isMatrix = [&](Operation *product) {
    return isa<ConvOp>(product) ||
           sizes.shape(product->getOperand(1)).size() == 2;
  };
  if (Operation *product = weightedProduct(rest); product && isMatrix(product))
    return scaled(builder, product, factor);
  auto add = rest.getDefiningOp<arith::AddFOp>();
  Value inner;
  Value offset = add ? takeChannelVector(add, inner) : Value();
  Operation *product =
      offset && rest.hasOneUse() ? weightedProduct(inner) : nullptr;
  if (!product || !isMatrix(product))
    return {};
  Value scaledOffset =
      builder.create<arith::MulFOp>(op->getLoc(), offset, factor);
  Value result = scaled(builder, product, factor);
  int64_t last = sizes.shape(result).size() - 1;
  return builder.create<arith::AddFOp>(
      op->getLoc(), result, repeat(builder, scaledOffset, result, last));
}

/// (x + a) + b = x + (a + b), per channel.
Value Folder::foldOffset(Operation *op) {
  Value rest, inner;
  Value outer = takeChannelVector(op, rest);
  auto add = outer && rest.hasOneUse() ? rest.getDefiningOp<arith::AddFOp>()
                                       : arith::AddFOp();
  Value first = add ? takeChannelVector(add, inner) : Value();
  if (!first || !weightedProduct(inner))
    return {};
  OpBuilder builder(op);
  Value sum = builder.create<arith::AddFOp>(op->getLoc(), first, outer);
  int64_t last = sizes.shape(inner).size() - 1;
  return builder.create<arith::AddFOp>(op->getLoc(), inner,
                                       repeat(builder, sum, inner, last));
}

namespace {
struct FoldScalesPass : takt::impl::FoldScalesPassBase<FoldScalesPass> {
  void runOnOperation() override {
    func::FuncOp main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main)
      return;
    Block &body = main.getBody().front();
    SizeAnalysis sizes;
    Folder folder(sizes);
    for (Operation &op : llvm::make_early_inc_range(body))
      folder.fold(&op);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};
} // namespace
