//===- Partition.cpp - each stage becomes the program of one rank ---------===//
#include "LocalizeStage.h"
#include "PartitionSchedule.h"

#include "takt/Transforms/Passes.h"

namespace takt {
#define GEN_PASS_DEF_PARTITIONPASS
#include "takt/Transforms/Passes.h.inc"
} // namespace takt

using namespace mlir;
using namespace takt;

namespace {
struct PartitionPass : takt::impl::PartitionPassBase<PartitionPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<StagePorts> ports = StagePorts::read(module);
    if (failed(ports))
      return signalPassFailure();
    FailureOr<CrossingStates> crossings = chooseCrossingStates(*ports);
    if (failed(crossings))
      return signalPassFailure();
    for (StagePorts::Stage &stage : ports->stages)
      if (failed(localizeStage(stage, *crossings)))
        return signalPassFailure();
    if (failed(addSchedule(module, *ports)))
      signalPassFailure();
  }
};
} // namespace
