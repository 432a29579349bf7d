//===- StageProblem.cpp - a function as the stage cut's problem -----------===//
#include "StageProblem.h"

#include "DuplicateSources.h"

#include "takt/Transforms/FusionGraph.h"

using namespace mlir;
using namespace takt;

/// A unit per dispatch; ops that the fuser does not know, or that no output
/// needs, are units of their own. Free ops go with their users.
void StageProblem::formUnits() {
  FusionGraph graph = FusionGraph::build(body, sizes);
  auto addUnit = [&](ArrayRef<Operation *> ops) {
    for (Operation *op : ops)
      unitOf[op] = units.size();
    units.emplace_back(ops);
  };
  for (const FusionGroup &group : graph.fuse(sizes)) {
    SmallVector<Operation *> ops;
    for (int node : group.nodes)
      if (!isFree(graph.ops[node], sizes) && !unitOf.count(graph.ops[node]))
        ops.push_back(graph.ops[node]);
    if (!ops.empty())
      addUnit(ops);
  }
  for (Operation &op : body.without_terminator())
    if (!isFree(&op, sizes) && !unitOf.count(&op))
      addUnit(&op);
}

double StageProblem::localBytes(Value value, State state, int64_t ways) {
  double bytes = typical.bytes(value, sizes);
  return state.kind == State::Split ? bytes / ways : bytes;
}

/// One dispatch: what its ops compute, and the bytes that enter and leave it.
Cost StageProblem::unitTime(ArrayRef<Operation *> ops,
                            const Shardings &shardings) {
  double flops = 0, bytes = 0;
  DenseSet<Value> read;
  auto isInside = [&](Operation *op) { return llvm::is_contained(ops, op); };
  bool isView = ops.size() == 1;
  for (Operation *op : ops) {
    const Strategy &strategy = shardings.strategies.at(op);
    OpWork work = workOf(op, sizes, typical);
    flops += work.flops / (strategy.factor >= 0 ? shardings.ways : 1);
    SmallVector<Value> used = usedValues(op);
    for (auto [value, state, most] :
         llvm::zip(used, strategy.operands, work.operandBytes))
      if (!isInside(value.getDefiningOp()) && read.insert(value).second)
        bytes += std::min(most, localBytes(value, state, shardings.ways));
    for (auto [result, state] : llvm::zip(op->getResults(), strategy.results))
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !isInside(user); }))
        bytes += localBytes(result, state, shardings.ways);
    auto tensorOp = dyn_cast<TensorOpInterface>(op);
    isView &= tensorOp && tensorOp.getFusionKind() == FusionKind::View;
  }
  return isView ? 0 : model.roofline(flops, bytes);
}

/// Bytes of the weights that the ops read, directly or through free ops. A
/// weight that several units of a stage read counts each time: the limit is
/// then met all the more.
int64_t StageProblem::unitMemory(ArrayRef<Operation *> ops,
                                 const Shardings &shardings) {
  double bytes = 0;
  SmallVector<Operation *> pending(ops);
  while (!pending.empty())
    for (Value value : usedValues(pending.pop_back_val())) {
      Operation *producer = value.getDefiningOp();
      if (!producer || !isFree(producer, sizes))
        continue;
      if (isa<WeightReadOp>(producer))
        bytes += localBytes(value, shardings.stateOfSource(producer),
                            shardings.ways);
      pending.push_back(producer);
    }
  return int64_t(bytes);
}

Cost StageProblem::communication(int unit, const Shardings &shardings) const {
  Cost total = 0;
  for (Operation *op : units[unit])
    for (Value result : op->getResults())
      total = addCosts(total, shardings.conversions.lookup(result));
  return total;
}

/// Values that other units read. They cross whole, in the worst case.
void StageProblem::addTensors(StageCutProblem &problem) {
  for (auto [unit, ops] : llvm::enumerate(units))
    for (Operation *op : ops)
      for (Value result : op->getResults()) {
        SetVector<int> consumers;
        for (Operation *user : result.getUsers()) {
          while (user->getBlock() != &body)
            user = user->getParentOp();
          auto it = unitOf.find(user);
          if (it != unitOf.end() && it->second != int(unit))
            consumers.insert(it->second);
        }
        if (consumers.empty())
          continue;
        StageCutProblem::Tensor tensor;
        tensor.source = unit;
        tensor.consumers.assign(consumers.begin(), consumers.end());
        tensor.transfer = model.send(typical.bytes(result, sizes));
        problem.tensors.push_back(std::move(tensor));
      }
}

/// Puts a unit that takes next to nothing with its only producer or only
/// consumer, so that side branches (masks, outputs of each layer) do not
/// multiply the sets that the search visits. What a unit takes in stays below
/// 1/64 of a stage's share, so the largest load is off by no more.
void StageProblem::joinSmallUnits(StageCutProblem &problem) {
  size_t count = problem.units.size();
  std::vector<SetVector<int>> producers(count), consumers(count);
  for (const StageCutProblem::Tensor &tensor : problem.tensors)
    for (int consumer : tensor.consumers) {
      consumers[tensor.source].insert(consumer);
      producers[consumer].insert(tensor.source);
    }
  Cost total = 0;
  auto time = [&](int unit) { return problem.units[unit].times.front(); };
  for (size_t unit = 0; unit < count; ++unit)
    total = addCosts(total, time(unit));
  Cost share = total / Cost(64 * problem.stageOptions.size());
  // The unit that a unit went to, and what a unit has taken in.
  std::vector<int> joined(count, -1);
  std::vector<Cost> taken(count, 0);
  auto seed = [&](int unit) {
    while (joined[unit] >= 0)
      unit = joined[unit];
    return unit;
  };
  for (size_t unit = 0; unit < count; ++unit) {
    auto &neighbours =
        producers[unit].size() == 1 ? producers[unit] : consumers[unit];
    if (neighbours.size() != 1)
      continue;
    int target = seed(neighbours.front());
    Cost grown = addCosts(taken[target], addCosts(taken[unit], time(unit)));
    if (target == seed(unit) || joined[unit] >= 0 || grown > share)
      continue;
    joined[unit] = target;
    taken[target] = grown;
    problem.together.push_back({int(unit), target});
  }
}

StageCutProblem StageProblem::build(ArrayRef<int64_t> tensor,
                                    const ShardingsByWays &shardings) {
  StageCutProblem problem;
  DenseMap<int64_t, int> optionOf;
  for (const auto &entry : shardings)
    optionOf[entry.first] = optionOf.size();
  for (int64_t ways : tensor)
    problem.stageOptions.push_back(optionOf.lookup(ways));
  for (auto [unit, ops] : llvm::enumerate(units)) {
    StageCutProblem::Unit entry;
    for (const auto &[ways, choice] : shardings) {
      entry.times.push_back(
          addCosts(unitTime(ops, choice), communication(unit, choice)));
      entry.memory.push_back(unitMemory(ops, choice));
    }
    problem.units.push_back(std::move(entry));
  }
  addTensors(problem);
  joinSmallUnits(problem);
  return problem;
}

void StageProblem::assign(ArrayRef<int> stageOfUnit) {
  for (auto [unit, ops] : llvm::enumerate(units))
    for (Operation *op : ops)
      setStage(op, stageOfUnit[unit]);
  // Free ops have one user each, after them; a model output counts as stage 0.
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    if (unitOf.count(&op))
      continue;
    int64_t stage = 0;
    for (Operation *user : op.getUsers()) {
      while (user->getBlock() != &body)
        user = user->getParentOp();
      stage = stageOf(user).value_or(0);
    }
    setStage(&op, stage);
  }
}
