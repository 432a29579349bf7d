//===- StagePorts.cpp - what stages receive, send, read and return --------===//
#include "takt/Transforms/StagePorts.h"

using namespace mlir;
using namespace takt;

static FailureOr<StagePorts::Stage> readStage(ModuleOp module, int64_t index,
                                              const ModulePlan &plan) {
  if (stageOf(module) != index)
    return module.emitError("stage module ")
           << index << " has no '" << attr::stage << "' = " << index
           << ": expected the stages in order";
  if (index >= int64_t(plan.stages.size()))
    return module.emitError("stage ")
           << index << " is not in the plan, which has " << plan.stages.size()
           << " stages";
  auto tensor = module->getAttrOfType<IntegerAttr>(attr::tensorParallel);
  int64_t planned = plan.stages[index].tensorParallel;
  if (!tensor || tensor.getInt() != planned)
    return module.emitError("stage ")
           << index << " needs '" << attr::tensorParallel << "' = " << planned
           << ", as the plan says";
  auto forward = module.lookupSymbol<func::FuncOp>("forward");
  if (!forward || !forward.getBody().hasOneBlock())
    return module.emitError("stage ")
           << index << " has no function @forward of one block";
  return StagePorts::Stage{module, forward, planned};
}

/// Records one argument or result.
static LogicalResult readPort(StagePorts &ports, StagePorts::Stage &stage,
                              unsigned index, bool isArgument) {
  auto forward = stage.forward;
  auto attribute = [&](StringRef name) {
    return isArgument ? forward.getArgAttr(index, name)
                      : forward.getResultAttr(index, name);
  };
  StringRef what = isArgument ? "argument " : "result ";
  if (isArgument && !isa_and_nonnull<ShapeAttr>(attribute(attr::shape)))
    return forward.emitOpError("argument ")
           << index << " has no '" << attr::shape << "'";
  if (auto name = dyn_cast_or_null<StringAttr>(attribute(attr::name))) {
    ++(isArgument ? ports.inputs : ports.outputs)[name.getValue()];
    return success();
  }
  auto number = dyn_cast_or_null<IntegerAttr>(attribute(attr::channel));
  if (!number)
    return forward.emitOpError(what) << index << " has neither '" << attr::name
                                     << "' nor '" << attr::channel << "'";
  StagePorts::Channel &channel = ports.channels[number.getInt()];
  auto &end = isArgument ? channel.target : channel.source;
  if (end)
    return forward.emitOpError(what)
           << index << " is a second one of channel " << number.getInt()
           << ", expected one per channel";
  end = StagePorts::End{int64_t(ports.stages.size()), index,
                        isArgument ? forward.getArgumentTypes()[index]
                                   : forward.getResultTypes()[index]};
  return success();
}

/// Each channel has both ends, of one type, and leads to a later stage.
static LogicalResult verifyChannels(ModuleOp module, const StagePorts &ports) {
  for (const auto &[number, ends] : ports.channels) {
    if (!ends.source || !ends.target)
      return module.emitError("channel ")
             << number << " has no " << (ends.source ? "argument" : "result")
             << " in any stage, expected one of each";
    if (ends.source->stage >= ends.target->stage)
      return module.emitError("channel ")
             << number << " leads from stage " << ends.source->stage
             << " to stage " << ends.target->stage
             << ", expected a later stage";
    if (ends.source->type != ends.target->type)
      return module.emitError("channel ")
             << number << " has type " << ends.source->type
             << " as a result and " << ends.target->type << " as an argument";
  }
  return success();
}

FailureOr<StagePorts> StagePorts::read(ModuleOp module) {
  FailureOr<ModulePlan> plan = ModulePlan::read(module);
  if (failed(plan))
    return failure();
  StagePorts ports;
  for (auto stageModule : module.getOps<ModuleOp>()) {
    auto stage = readStage(stageModule, ports.stages.size(), *plan);
    if (failed(stage))
      return failure();
    for (unsigned i = 0; i < stage->forward.getNumArguments(); ++i)
      if (failed(readPort(ports, *stage, i, /*isArgument=*/true)))
        return failure();
    for (unsigned i = 0; i < stage->forward.getNumResults(); ++i)
      if (failed(readPort(ports, *stage, i, /*isArgument=*/false)))
        return failure();
    ports.stages.push_back(*stage);
  }
  if (ports.stages.size() != plan->stages.size())
    return module.emitError("module has ")
           << ports.stages.size() << " stage modules, expected "
           << plan->stages.size() << " as in the plan";
  if (failed(verifyChannels(module, ports)))
    return failure();
  return ports;
}
