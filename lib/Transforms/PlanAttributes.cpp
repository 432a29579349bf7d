//===- PlanAttributes.cpp - the plan as attributes of the IR --------------===//
#include "takt/Transforms/PlanAttributes.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace takt;

//===----------------------------------------------------------------------===//
// takt.plan
//===----------------------------------------------------------------------===//

int64_t ModulePlan::ranksPerReplica() const {
  int64_t count = idleRanks;
  for (const StageRecord &stage : stages)
    count += stage.tensorParallel;
  return count;
}

void ModulePlan::write(ModuleOp module) const {
  Builder b(module.getContext());
  SmallVector<Attribute> list;
  for (const StageRecord &stage : stages)
    list.push_back(b.getDictionaryAttr({
        b.getNamedAttr("ranks", b.getDenseI64ArrayAttr(stage.ranks)),
        b.getNamedAttr("tensor_parallel",
                       b.getI64IntegerAttr(stage.tensorParallel)),
        b.getNamedAttr("predicted_seconds", b.getF64FloatAttr(stage.seconds)),
        b.getNamedAttr("predicted_communication_seconds",
                       b.getF64FloatAttr(stage.communicationSeconds)),
        b.getNamedAttr("weight_bytes", b.getI64IntegerAttr(stage.weightBytes)),
    }));
  module->setAttr(
      attr::plan,
      b.getDictionaryAttr({
          b.getNamedAttr("data_parallel", b.getI64IntegerAttr(dataParallel)),
          b.getNamedAttr("idle_ranks", b.getI64IntegerAttr(idleRanks)),
          b.getNamedAttr("stages", b.getArrayAttr(list)),
      }));
}

static std::optional<int64_t> integer(DictionaryAttr dict, StringRef name,
                                      int64_t minimum) {
  auto value = dict.getAs<IntegerAttr>(name);
  if (!value || value.getInt() < minimum)
    return std::nullopt;
  return value.getInt();
}

static double number(DictionaryAttr dict, StringRef name) {
  auto value = dict.getAs<FloatAttr>(name);
  return value ? value.getValueAsDouble() : 0;
}

static std::optional<StageRecord> readStage(Attribute attribute) {
  auto dict = dyn_cast<DictionaryAttr>(attribute);
  if (!dict)
    return std::nullopt;
  auto ranks = dict.getAs<DenseI64ArrayAttr>("ranks");
  auto tensor = integer(dict, "tensor_parallel", 1);
  if (!ranks || !tensor || ranks.size() != *tensor)
    return std::nullopt;
  StageRecord stage;
  stage.ranks.assign(ranks.asArrayRef().begin(), ranks.asArrayRef().end());
  stage.tensorParallel = *tensor;
  stage.seconds = number(dict, "predicted_seconds");
  stage.communicationSeconds = number(dict, "predicted_communication_seconds");
  stage.weightBytes = integer(dict, "weight_bytes", 0).value_or(0);
  return stage;
}

FailureOr<ModulePlan> ModulePlan::read(ModuleOp module) {
  auto dict = module->getAttrOfType<DictionaryAttr>(attr::plan);
  if (!dict)
    return module.emitError("module has no '")
           << attr::plan << "'; run takt-plan before this pass";
  auto malformed = [&](const Twine &what) -> FailureOr<ModulePlan> {
    return module.emitError("module's '") << attr::plan << "' " << what;
  };
  ModulePlan plan;
  auto replicas = integer(dict, "data_parallel", 1);
  auto idle = integer(dict, "idle_ranks", 0);
  auto stages = dict.getAs<ArrayAttr>("stages");
  if (!replicas || !idle || !stages || stages.empty())
    return malformed("needs data_parallel >= 1, idle_ranks >= 0 and stages");
  plan.dataParallel = *replicas;
  plan.idleRanks = *idle;
  int64_t next = 0;
  for (auto [index, attribute] : llvm::enumerate(stages)) {
    auto stage = readStage(attribute);
    if (!stage)
      return malformed("stage " + Twine(index) +
                       " needs tensor_parallel >= 1 and as many ranks");
    for (int64_t rank : stage->ranks)
      if (rank != next++)
        return malformed("stage " + Twine(index) + " has rank " + Twine(rank) +
                         ", expected " + Twine(next - 1) +
                         ": ranks are numbered in order of stage and shard");
    plan.stages.push_back(std::move(*stage));
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// Stages and states of ops
//===----------------------------------------------------------------------===//

std::optional<int64_t> takt::stageOf(Operation *op) {
  auto stage = op->getAttrOfType<IntegerAttr>(attr::stage);
  if (!stage)
    return std::nullopt;
  return stage.getInt();
}

void takt::setStage(Operation *op, int64_t stage) {
  op->setAttr(attr::stage, Builder(op->getContext()).getI64IntegerAttr(stage));
}

static LogicalResult readStates(Operation *op, StringRef name, size_t count,
                                SmallVectorImpl<State> &states) {
  auto list = op->getAttrOfType<ArrayAttr>(name);
  if (!list) {
    states.assign(count, State::replicated());
    return success();
  }
  if (list.size() != count)
    return op->emitOpError("has ")
           << list.size() << " states in '" << name << "', expected " << count;
  for (Attribute attribute : list) {
    auto sharding = dyn_cast<ShardingAttr>(attribute);
    if (!sharding)
      return op->emitOpError("has ")
             << attribute << " in '" << name << "', expected #takt.sharding";
    states.push_back(sharding.getState());
  }
  return success();
}

FailureOr<Strategy> takt::statesOf(Operation *op) {
  Strategy strategy;
  if (failed(readStates(op, attr::operandStates, op->getNumOperands(),
                        strategy.operands)) ||
      failed(readStates(op, attr::resultStates, op->getNumResults(),
                        strategy.results)))
    return failure();
  return strategy;
}

void takt::setStates(Operation *op, const Strategy &strategy) {
  auto list = [&](ArrayRef<State> states) {
    SmallVector<Attribute> attributes;
    for (const State &state : states)
      attributes.push_back(ShardingAttr::get(op->getContext(), state));
    return ArrayAttr::get(op->getContext(), attributes);
  };
  op->setAttr(attr::operandStates, list(strategy.operands));
  op->setAttr(attr::resultStates, list(strategy.results));
}

bool takt::isSource(Operation *op) {
  return op->getNumOperands() == 0 && op->getNumRegions() == 0 &&
         op->getNumResults() == 1 && isPure(op);
}

SmallVector<Value> takt::usedValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  if (op->getNumRegions() == 0)
    return values;
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  values.append(captured.begin(), captured.end());
  return values;
}
