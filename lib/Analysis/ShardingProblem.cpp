//===- ShardingProblem.cpp - checks, costs and evaluation -----------------===//
#include "takt/Analysis/ShardingSolver.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace takt;

//===----------------------------------------------------------------------===//
// Check
//===----------------------------------------------------------------------===//

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "sharding problem: " + message);
}

static llvm::Error checkOp(const ShardingProblem &problem,
                           const ShardingOp &op) {
  if (op.strategies.empty() || op.strategies.size() != op.costs.size())
    return fail("op '" + op.name + "' has " +
                llvm::Twine(op.strategies.size()) + " strategies and " +
                llvm::Twine(op.costs.size()) +
                " costs; expected equal counts above 0");
  for (const Strategy &strategy : op.strategies)
    if (strategy.operands.size() != op.operands.size() ||
        strategy.results.size() != op.results.size())
      return fail("op '" + op.name + "': strategy " + strategy.str() +
                  " does not match its " + llvm::Twine(op.operands.size()) +
                  " operands and " + llvm::Twine(op.results.size()) +
                  " results");
  for (const auto &ids :
       {llvm::ArrayRef<int>(op.operands), llvm::ArrayRef<int>(op.results)})
    for (int id : ids)
      if (id < 0 || id >= int(problem.values.size()))
        return fail("op '" + op.name + "' names value " + llvm::Twine(id) +
                    " of " + llvm::Twine(problem.values.size()));
  return llvm::Error::success();
}

llvm::Error ShardingProblem::check() const {
  if (ways < 1)
    return fail("ways is " + llvm::Twine(ways) + "; expected at least 1");
  std::vector<int> producers(values.size(), 0);
  for (const ShardingOp &op : ops) {
    if (llvm::Error error = checkOp(*this, op))
      return error;
    for (int id : op.results)
      ++producers[id];
  }
  for (auto [value, count] : llvm::zip_equal(values, producers))
    if (count != (value.kind == ShardingValue::Computed ? 1 : 0))
      return fail("value '" + value.name + "' has " + llvm::Twine(count) +
                  " producers");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

Cost takt::strategyCost(const CostModel &model, const Strategy &strategy,
                        int64_t ways, double flops,
                        llvm::ArrayRef<double> operandBytes,
                        llvm::ArrayRef<double> resultBytes) {
  double bytes = 0;
  auto add = [&](const State &state, double whole) {
    bytes += state.kind == State::Split ? whole / double(ways) : whole;
  };
  for (auto [state, whole] : llvm::zip_equal(strategy.operands, operandBytes))
    add(state, whole);
  for (auto [state, whole] : llvm::zip_equal(strategy.results, resultBytes))
    add(state, whole);
  return model.roofline(strategy.factor >= 0 ? flops / double(ways) : flops,
                        bytes);
}

Cost takt::conversionCost(const CostModel &model, const State &from,
                          const State &to, int64_t bytes, int64_t ways) {
  if (from == to)
    return 0;
  if (to.kind == State::Partial)
    return infiniteCost;
  // A local slice fuses with its consumer. It is not free all the same: a part
  // that can be made directly (a repeated vector) must not be cut out of a
  // whole.
  if (from.kind == State::Replicated)
    return 1;
  double whole = double(bytes), part = whole / double(ways);
  if (from.kind == State::Split)
    return addCosts(model.allGather(whole, ways),
                    model.roofline(0, part + whole));
  if (to.kind == State::Replicated)
    return addCosts(model.allReduce(whole, ways),
                    model.roofline(0, whole + whole));
  return addCosts(model.reduceScatter(whole, ways),
                  model.roofline(0, whole + part));
}

Cost takt::weightCost(const CostModel &model, const State &state, int64_t bytes,
                      int64_t ways) {
  if (state.kind == State::Partial)
    return infiniteCost;
  return model.memoryTime(state.kind == State::Split
                              ? double(bytes) / double(ways)
                              : double(bytes));
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// Least cost over all ways to give each state but the first a parent, such
/// that every state leads back to the first.
static Cost cheapestTree(llvm::ArrayRef<State> states, int64_t bytes,
                         int64_t ways, const CostModel &model) {
  size_t count = states.size();
  std::vector<size_t> parent(count, 0);
  Cost best = infiniteCost;
  while (true) {
    Cost cost = 0;
    bool isTree = true;
    for (size_t i = 1; i < count; ++i) {
      size_t root = i;
      for (size_t step = 0; step < count && root != 0; ++step)
        root = parent[root];
      isTree &= root == 0;
      cost = addCosts(cost, conversionCost(model, states[parent[i]], states[i],
                                           bytes, ways));
    }
    if (isTree)
      best = std::min(best, cost);
    size_t i = 1;
    while (i < count && ++parent[i] == count)
      parent[i++] = 0;
    if (i >= count)
      return best;
  }
}

static Cost valueCost(const ShardingValue &value, const State &produced,
                      std::set<State> used, int64_t ways,
                      const CostModel &model) {
  if (value.kind == ShardingValue::Weight) {
    Cost cost = 0;
    for (const State &state : used)
      cost = addCosts(cost, weightCost(model, state, value.bytes, ways));
    return cost;
  }
  used.erase(produced);
  llvm::SmallVector<State> states = {produced};
  states.append(used.begin(), used.end());
  Cost cost = cheapestTree(states, value.bytes, ways, model);
  // Making the whole value first may pay although no one uses it.
  if (!llvm::is_contained(states, State::replicated())) {
    states.push_back(State::replicated());
    cost = std::min(cost, cheapestTree(states, value.bytes, ways, model));
  }
  return cost;
}

Cost takt::evaluateSharding(const ShardingProblem &problem,
                            const CostModel &model,
                            llvm::ArrayRef<int> strategies) {
  Cost cost = 0;
  std::vector<State> produced(problem.values.size());
  std::vector<std::set<State>> used(problem.values.size());
  for (auto [op, choice] : llvm::zip_equal(problem.ops, strategies)) {
    const Strategy &strategy = op.strategies[choice];
    cost = addCosts(cost, op.costs[choice]);
    for (auto [id, state] : llvm::zip_equal(op.operands, strategy.operands))
      used[id].insert(state);
    for (auto [id, state] : llvm::zip_equal(op.results, strategy.results))
      produced[id] = state;
  }
  for (auto [id, value] : llvm::enumerate(problem.values)) {
    if (value.isOutput)
      used[id].insert(State::replicated());
    cost = addCosts(
        cost, valueCost(value, produced[id], used[id], problem.ways, model));
  }
  return cost;
}
