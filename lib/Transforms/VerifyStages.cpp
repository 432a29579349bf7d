//===- VerifyStages.cpp - what holds after the stage phase ----------------===//
#include "takt/Transforms/Passes.h"
#include "takt/Transforms/StagePorts.h"

namespace takt {
#define GEN_PASS_DEF_VERIFYSTAGESPASS
#include "takt/Transforms/Passes.h.inc"
} // namespace takt

using namespace mlir;
using namespace takt;

/// Every model port is there, outputs once.
static LogicalResult verifyPorts(ModuleOp module, const StagePorts &ports) {
  for (StringRef name : {attr::inputs, attr::outputs})
    if (!module->getAttrOfType<ArrayAttr>(name))
      return module.emitError("module has no '")
             << name << "', expected the names of the model's ports";
  for (Attribute attribute : module->getAttrOfType<ArrayAttr>(attr::inputs)) {
    StringRef name = cast<StringAttr>(attribute).getValue();
    if (!ports.inputs.contains(name))
      return module.emitError("model input '")
             << name << "' is an argument of no stage";
  }
  for (Attribute attribute : module->getAttrOfType<ArrayAttr>(attr::outputs)) {
    StringRef name = cast<StringAttr>(attribute).getValue();
    if (unsigned count = ports.outputs.lookup(name); count != 1)
      return module.emitError("model output '")
             << name << "' is returned " << count << " times, expected once";
  }
  return success();
}

namespace {
struct VerifyStagesPass : takt::impl::VerifyStagesPassBase<VerifyStagesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (Operation &op : module.getBody()->getOperations())
      if (!isa<ModuleOp, DimOp, GuardOp, ChannelOp, RankOp>(op)) {
        op.emitOpError("is left at module level, expected only stage modules, "
                       "dimensions and guards");
        return signalPassFailure();
      }
    FailureOr<StagePorts> ports = StagePorts::read(module);
    if (failed(ports) || failed(verifyPorts(module, *ports)))
      return signalPassFailure();
    for (StagePorts::Stage &stage : ports->stages) {
      WalkResult result = stage.forward.walk([](Operation *op) {
        if (!stageOf(op))
          return WalkResult::advance();
        op->emitOpError("has a stage of its own inside a stage's module");
        return WalkResult::interrupt();
      });
      if (result.wasInterrupted())
        return signalPassFailure();
    }
  }
};
} // namespace
