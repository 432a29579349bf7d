//===- PropagateTransposes.cpp - keep one layout between convolutions -----===//
#include "SinkTranspose.h"

#include "takt/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace takt {
#define GEN_PASS_DEF_PROPAGATETRANSPOSESPASS
#include "takt/Transforms/Passes.h.inc"
} // namespace takt

using namespace mlir;
using namespace takt;

/// A transpose of a transpose reads the first one's operand; one that moves
/// nothing goes.
static void compose(TransposeOp op) {
  SmallVector<OpFoldResult> folded;
  while (succeeded(op->fold(folded)))
    if (!folded.empty())
      return op.getResult().replaceAllUsesWith(cast<Value>(folded.front()));
}

namespace {
struct PropagateTransposesPass
    : takt::impl::PropagateTransposesPassBase<PropagateTransposesPass> {
  void runOnOperation() override {
    func::FuncOp main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main || !hasWindows(main))
      return;
    Block &body = main.getBody().front();
    SizeAnalysis sizes;
    // In order, so that a transpose behind an op meets the op's users.
    for (Operation &op : llvm::make_early_inc_range(body)) {
      if (auto transpose = dyn_cast<TransposeOp>(op))
        compose(transpose);
      else
        sinkTranspose(&op, sizes);
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

private:
  static bool hasWindows(func::FuncOp main) {
    return main
        .walk([](Operation *op) {
          return isa<ConvOp, PoolOp>(op) ? WalkResult::interrupt()
                                         : WalkResult::advance();
        })
        .wasInterrupted();
  }
};
} // namespace
