//===- RecognizeIdioms.cpp - written-out idioms become ops ----------------===//
#include "RecognizeIdioms.h"

#include "takt/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace takt {
#define GEN_PASS_DEF_RECOGNIZEIDIOMSPASS
#include "takt/Transforms/Passes.h.inc"
} // namespace takt

using namespace mlir;
using namespace takt;
using namespace takt::idioms;

using Recognizer = Value (*)(Recognition &, Operation *);

/// Later ones see what earlier ones made of the ops before.
static constexpr Recognizer recognizers[] = {
    recognizeGelu, recognizeSoftmax, recognizeLayerNorm, recognizeAttention,
    recognizeFlattenedProduct};

static void recognizeIn(Block &block) {
  SizeAnalysis sizes;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    OpBuilder builder(&op);
    Recognition recognition{builder, sizes};
    for (Recognizer recognizer : recognizers)
      if (Value value = recognizer(recognition, &op)) {
        op.getResult(0).replaceAllUsesWith(value);
        break;
      }
  }
  // Only now, since the analysis knows values by address.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

namespace {
struct RecognizeIdiomsPass
    : takt::impl::RecognizeIdiomsPassBase<RecognizeIdiomsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        recognizeIn(block);
  }
};
} // namespace
