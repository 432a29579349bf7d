//===- VerifySimplified.cpp - what holds after the simplify phase ---------===//
#include "HoistWeights.h"
#include "VerifyLegalized.h"

#include "takt/Transforms/Passes.h"

namespace takt {
#define GEN_PASS_DEF_VERIFYSIMPLIFIEDPASS
#include "takt/Transforms/Passes.h.inc"
} // namespace takt

using namespace mlir;
using namespace takt;

namespace {
struct VerifySimplifiedPass
    : takt::impl::VerifySimplifiedPassBase<VerifySimplifiedPass> {
  void runOnOperation() override {
    func::FuncOp function = verifyTensorProgram(getOperation());
    if (!function)
      return signalPassFailure();
    Block &block = function.getBody().front();
    FixedValues values(block);
    for (Operation &op : block)
      if (op.getNumResults() == 1 && !op.use_empty() &&
          values.worthHoisting(op.getResult(0)) == op.getResult(0)) {
        op.emitOpError(
            "depends on weights and constants alone, expected it in a "
            "weight's initializer; run takt-hoist-weights");
        return signalPassFailure();
      }
  }
};
} // namespace
