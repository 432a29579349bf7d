//===- VerifyPlan.cpp - what holds after the plan phase -------------------===//
#include "takt/Dialect/Takt/SizeAnalysis.h"
#include "takt/Transforms/Passes.h"
#include "takt/Transforms/PlanAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace takt {
#define GEN_PASS_DEF_VERIFYPLANPASS
#include "takt/Transforms/Passes.h.inc"
} // namespace takt

using namespace mlir;
using namespace takt;

/// The stage is one of the plan's and none of the operands comes from a later
/// one.
static LogicalResult verifyStage(Operation *op, const ModulePlan &plan) {
  int64_t count = plan.stages.size();
  std::optional<int64_t> stage = stageOf(op);
  if (!stage || *stage < 0 || *stage >= count)
    return op->emitOpError("has ")
           << (stage ? "stage " + Twine(*stage) : Twine("no stage"))
           << ", expected one from 0 to " << count - 1;
  for (Value value : usedValues(op)) {
    Operation *producer = value.getDefiningOp();
    if (!producer || isSource(producer))
      continue;
    auto source = stageOf(producer);
    if (source && *source > *stage)
      return op->emitOpError("in stage ")
             << *stage << " uses a value of stage " << *source
             << ", expected no later stage than its own";
  }
  return success();
}

/// The state of a tensor when the factor is cut; none where it cannot be,
/// since other factors of its dimension are major to it.
static std::optional<State> stateUnder(int factor,
                                       const TensorFactors &tensor) {
  for (auto [dim, factors] : llvm::enumerate(tensor))
    if (llvm::is_contained(factors, factor))
      return factors.front() == factor ? std::optional(State::split(dim))
                                       : std::nullopt;
  return State::replicated();
}

/// Whether the states are those of a cut along \p factor: derived from the rule
/// alone, not by the enumeration that the solver chose from.
static bool isCutOf(const ShardingRule &rule, int factor, int64_t ways,
                    const Strategy &states) {
  const Factor &cut = rule.factors[factor];
  bool isSum = cut.kind == FactorKind::Sum;
  auto size = cut.size.constant();
  if ((!isSum && cut.kind != FactorKind::Parallel) || !size || *size % ways)
    return false;
  for (auto [tensor, state] : llvm::zip(rule.operands, states.operands))
    if (stateUnder(factor, tensor) != state)
      return false;
  for (auto [tensor, state] : llvm::zip(rule.results, states.results))
    if ((isSum ? State::partial() : stateUnder(factor, tensor)) != state)
      return false;
  return true;
}

static bool isLinearIn(ArrayRef<int> group, const Strategy &states) {
  for (auto [index, state] : llvm::enumerate(states.operands))
    if (state != (llvm::is_contained(group, int(index)) ? State::partial()
                                                        : State::replicated()))
      return false;
  return llvm::all_of(states.results,
                      [](State state) { return state == State::partial(); });
}

static LogicalResult verifyStates(Operation *op, const ModulePlan &plan,
                                  SizeAnalysis &sizes) {
  auto states = statesOf(op);
  if (failed(states))
    return failure();
  int64_t ways = plan.stages[*stageOf(op)].tensorParallel;
  auto isWhole = [](State state) { return state == State::replicated(); };
  if (llvm::all_of(states->operands, isWhole) &&
      llvm::all_of(states->results, isWhole))
    return success();
  if (isSource(op)) {
    auto shape =
        localShape(sizes.shape(op->getResult(0)), states->results[0], ways);
    if (shape && states->results[0].kind != State::Partial)
      return success();
    llvm::consumeError(shape.takeError());
  } else if (auto tensorOp = dyn_cast<TensorOpInterface>(op)) {
    ShardingRule rule = tensorOp.getShardingRule(sizes.operandShapes(op),
                                                 sizes.resultShapes(op));
    for (int factor = 0, end = rule.factors.size(); factor < end; ++factor)
      if (isCutOf(rule, factor, ways, *states))
        return success();
    for (const auto &group : rule.linearGroups)
      if (isLinearIn(group, *states))
        return success();
  }
  return op->emitOpError("has states ")
         << states->str() << ", which its sharding rule does not allow on "
         << ways << " ranks";
}

namespace {
struct VerifyPlanPass : takt::impl::VerifyPlanPassBase<VerifyPlanPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto main = module.lookupSymbol<func::FuncOp>("main");
    FailureOr<ModulePlan> plan = ModulePlan::read(module);
    if (failed(plan) || !main || main.isDeclaration()) {
      if (succeeded(plan))
        module.emitError("module has no function @main");
      return signalPassFailure();
    }
    SizeAnalysis sizes;
    for (Operation &op : main.getBody().front().without_terminator())
      if (failed(verifyStage(&op, *plan)) ||
          failed(verifyStates(&op, *plan, sizes)))
        return signalPassFailure();
  }
};
} // namespace
