//===- VerifyDispatches.cpp - what holds after the dispatch phase ---------===//
#include "takt/Dialect/Takt/SizeAnalysis.h"
#include "takt/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace takt {
#define GEN_PASS_DEF_VERIFYDISPATCHESPASS
#include "takt/Transforms/Passes.h.inc"
} // namespace takt

using namespace mlir;
using namespace takt;

/// How many ops of this fusion kind the region holds.
static int64_t countKind(DispatchOp dispatch, FusionKind kind) {
  return llvm::count_if(dispatch.getBody().front(), [&](Operation &op) {
    auto tensorOp = dyn_cast<TensorOpInterface>(op);
    return tensorOp && tensorOp.getFusionKind() == kind;
  });
}

static LogicalResult verifyKind(DispatchOp dispatch) {
  StringRef kind = dispatch.getKind();
  int64_t libraries = countKind(dispatch, FusionKind::Library);
  int64_t collectives = countKind(dispatch, FusionKind::Collective);
  int64_t views = countKind(dispatch, FusionKind::View);
  bool isRight;
  if (kind == "kernel")
    isRight = libraries == 0 && collectives == 0;
  else if (kind == "library")
    isRight = libraries == 1 && collectives == 0;
  else if (kind == "collective")
    isRight = collectives == 1 &&
              dispatch.getBody().front().getOperations().size() == 2;
  else if (kind == "view")
    isRight =
        views == 1 && dispatch.getBody().front().getOperations().size() == 2;
  else
    return dispatch.emitOpError("has kind '")
           << kind << "', expected kernel, library, view or collective";
  if (!isRight)
    return dispatch.emitOpError("of kind '") << kind << "' holds other ops";
  return success();
}

static LogicalResult verifySizes(DispatchOp dispatch, SizeAnalysis &sizes) {
  for (auto [operand, attribute] :
       llvm::zip_equal(dispatch.getInputs(), dispatch.getInputShapes()))
    if (sizes.shape(operand) != cast<ShapeAttr>(attribute).getExprs())
      return dispatch.emitOpError("states operand sizes ")
             << attribute << ", but they are "
             << shapeText(sizes.shape(operand));
  return success();
}

namespace {
struct VerifyDispatches
    : takt::impl::VerifyDispatchesPassBase<VerifyDispatches> {
  void runOnOperation() override {
    SizeAnalysis sizes;
    WalkResult result = getOperation()->walk([&](func::FuncOp function) {
      for (Operation &op : function.getBody().front()) {
        if (auto dispatch = dyn_cast<DispatchOp>(op)) {
          if (failed(verifyKind(dispatch)) ||
              failed(verifySizes(dispatch, sizes)))
            return WalkResult::interrupt();
        } else if (!isa<WeightReadOp, func::ReturnOp>(op)) {
          op.emitOpError("stands outside of a dispatch");
          return WalkResult::interrupt();
        }
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
