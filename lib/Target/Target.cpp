//===- Target.cpp - compiling a stage for a target ------------------------===//
#include "StageBuilder.h"

using namespace mlir;
using namespace takt;

Target::~Target() = default;

llvm::Expected<StageObject>
takt::compileStage(ModuleOp stage, ValueTable &values, Target &target) {
  return StageBuilder(stage, values, target).build();
}

llvm::Expected<StageObject> takt::compileStage(ModuleOp stage,
                                               ValueTable &values,
                                               const TargetOptions &options) {
  auto target = createTarget(options);
  if (!target)
    return target.takeError();
  return compileStage(stage, values, **target);
}
