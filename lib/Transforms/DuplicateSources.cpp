//===- DuplicateSources.cpp - constants, one copy per use -----------------===//
#include "DuplicateSources.h"

#include "takt/Transforms/PlanAttributes.h"

using namespace mlir;
using namespace takt;

bool takt::isFree(Operation *op, SizeAnalysis &sizes) {
  // Chains of ops on one operand: their copies are linear in their length.
  while (!isSource(op)) {
    auto tensorOp = dyn_cast<TensorOpInterface>(op);
    if (!tensorOp || op->getNumOperands() != 1 || op->getNumResults() != 1 ||
        op->getNumRegions() != 0)
      return false;
    FusionKind kind = tensorOp.getFusionKind();
    if ((kind != FusionKind::Pointwise && kind != FusionKind::View) ||
        !tensorOp.getFlops(sizes.operandShapes(op), sizes.resultShapes(op))
             .isConstant(0))
      return false;
    op = op->getOperand(0).getDefiningOp();
    if (!op)
      return false;
  }
  return true;
}

/// The op that stands in the function's body and holds \p op.
static Operation *topLevel(Operation *op, Block &body) {
  while (op->getBlock() != &body)
    op = op->getParentOp();
  return op;
}

void takt::duplicateFreeOps(func::FuncOp function) {
  SizeAnalysis sizes;
  Block &body = function.getBody().front();
  SmallVector<Operation *> freeOps;
  for (Operation &op : body.without_terminator())
    if (isFree(&op, sizes))
      freeOps.push_back(&op);
  // Users come first: a copy of a user is one more use of its operand.
  for (Operation *op : llvm::reverse(freeOps)) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getUses())
      uses.push_back(&use);
    // Use lists are in reverse order of creation; copies come in program order.
    for (OpOperand *use : llvm::reverse(uses)) {
      OpBuilder builder(topLevel(use->getOwner(), body));
      Operation *copy = builder.clone(*op);
      use->set(copy->getResult(0));
    }
    op->erase();
  }
}
