//===- ShardingSolver.cpp - shardings as a cost network -------------------===//
// One node per op (its strategies) and one per value: the state it is produced
// in together with the set of states made from it. Edges only forbid; so a
// state that two consumers share is paid once.
#include "takt/Analysis/ShardingSolver.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

using namespace takt;

namespace {

using StateList = llvm::SmallVector<State, 6>;

/// A strategy of a value node; `available` are bits over the value's states.
struct ValueChoice {
  int produced; // -1 for weights
  unsigned available;
  Cost cost;
};

/// The cheapest conversions from one state to each set of states that holds it.
class ConversionTable {
public:
  ConversionTable(const CostModel &model, llvm::ArrayRef<State> states,
                  int root, int64_t bytes, int64_t ways)
      : states(states), model(model), bytes(bytes), ways(ways),
        costs(size_t(1) << states.size(), infiniteCost), last(costs.size()) {
    costs[1u << root] = 0;
    // A set arises from a smaller one by one conversion, so ascending works.
    for (unsigned set = 0; set < costs.size(); ++set)
      for (unsigned to = 0; costs[set] != infiniteCost && to < states.size();
           ++to)
        extend(set, to);
  }

  Cost cost(unsigned set) const { return costs[set]; }

  /// The conversions that make \p set, in an order that works.
  llvm::SmallVector<Conversion> conversions(unsigned set) const {
    llvm::SmallVector<Conversion> result;
    while (llvm::popcount(set) > 1) {
      auto [from, to] = last[set];
      result.push_back({states[from], states[to], price(from, to)});
      set &= ~(1u << to);
    }
    std::reverse(result.begin(), result.end());
    return result;
  }

private:
  Cost price(int from, int to) const {
    return conversionCost(model, states[from], states[to], bytes, ways);
  }

  void extend(unsigned set, unsigned to) {
    if (set >> to & 1)
      return;
    for (unsigned from = 0; from < states.size(); ++from) {
      unsigned larger = set | 1u << to;
      Cost total = addCosts(costs[set], price(from, to));
      if ((set >> from & 1) && total < costs[larger]) {
        costs[larger] = total;
        last[larger] = {from, to};
      }
    }
  }

  llvm::ArrayRef<State> states;
  const CostModel &model;
  int64_t bytes, ways;
  std::vector<Cost> costs;
  std::vector<std::pair<int, int>> last;
};

class Builder {
public:
  Builder(const ShardingProblem &problem, const CostModel &model)
      : problem(problem), model(model), states(problem.values.size()),
        choices(problem.values.size()) {}

  llvm::Expected<ShardingSolution> run(const CostNetworkOptions &options);

private:
  void collectStates();
  void addChoices(int value);
  void addWeightChoices(int value);
  void addEdges(int op);
  ShardingSolution read(const CostNetworkSolution &answer) const;
  ShardingSolution::Value readValue(int value, const ValueChoice &choice,
                                    const std::set<State> &used) const;

  int indexOf(int value, const State &state) const {
    return llvm::find(states[value], state) - states[value].begin();
  }

  const ShardingProblem &problem;
  const CostModel &model;
  std::vector<StateList> states;             // per value, ascending
  std::vector<std::set<int>> producedStates; // per value, indices
  std::vector<std::vector<ValueChoice>> choices;
  CostNetwork network; // nodes: ops, then values
};
} // namespace

/// All states in which a value is produced or wanted; replicated always, since
/// it may be a step on the way.
void Builder::collectStates() {
  std::vector<std::set<State>> all(problem.values.size(),
                                   {State::replicated()});
  for (const ShardingOp &op : problem.ops)
    for (const Strategy &strategy : op.strategies) {
      for (auto [id, state] : llvm::zip_equal(op.operands, strategy.operands))
        all[id].insert(state);
      for (auto [id, state] : llvm::zip_equal(op.results, strategy.results))
        all[id].insert(state);
    }
  producedStates.resize(problem.values.size());
  for (auto [id, set] : llvm::enumerate(all)) {
    states[id].assign(set.begin(), set.end());
    if (problem.values[id].kind == ShardingValue::Input)
      producedStates[id].insert(indexOf(id, State::replicated()));
  }
  for (const ShardingOp &op : problem.ops)
    for (const Strategy &strategy : op.strategies)
      for (auto [id, state] : llvm::zip_equal(op.results, strategy.results))
        producedStates[id].insert(indexOf(id, state));
}

/// Drops choices that offer no state which a choice of no higher cost lacks.
/// Costs that slices alone make (1 ps each) do not count: a whole value that
/// all layers read (a mask, a table of angles) would else keep a choice for
/// each set of its parts, and such values together make the network hard.
static void dropDominated(std::vector<ValueChoice> &choices, Cost slices) {
  std::vector<ValueChoice> kept;
  for (auto [i, a] : llvm::enumerate(choices)) {
    bool dominated = false;
    for (auto [j, b] : llvm::enumerate(choices)) {
      bool covers = a.produced == b.produced &&
                    (a.available & ~b.available) == 0 &&
                    b.cost <= addCosts(a.cost, slices);
      bool equal = a.available == b.available;
      dominated |= i != j && covers && (!equal || j < i);
    }
    if (!dominated)
      kept.push_back(a);
  }
  choices = std::move(kept);
}

void Builder::addChoices(int value) {
  unsigned count = states[value].size();
  for (int produced : producedStates[value]) {
    ConversionTable table(model, states[value], produced,
                          problem.values[value].bytes, problem.ways);
    for (unsigned set = 0; set < 1u << count; ++set)
      if (table.cost(set) != infiniteCost)
        choices[value].push_back({produced, set, table.cost(set)});
  }
}

void Builder::addWeightChoices(int value) {
  unsigned count = states[value].size();
  for (unsigned set = 0; set < 1u << count; ++set) {
    Cost cost = 0;
    for (unsigned i = 0; i < count; ++i)
      if (set >> i & 1)
        cost = addCosts(cost,
                        weightCost(model, states[value][i],
                                   problem.values[value].bytes, problem.ways));
    if (cost != infiniteCost)
      choices[value].push_back({-1, set, cost});
  }
}

/// Forbids the pairs of an op's strategy and a value's choice that do not fit.
void Builder::addEdges(int op) {
  const ShardingOp &source = problem.ops[op];
  auto add = [&](int value, auto fits) {
    std::vector<Cost> costs;
    for (const Strategy &strategy : source.strategies)
      for (const ValueChoice &choice : choices[value])
        costs.push_back(fits(strategy, choice) ? 0 : infiniteCost);
    network.addEdge(op, int(problem.ops.size()) + value, std::move(costs));
  };
  for (auto [i, value] : llvm::enumerate(source.operands))
    add(value, [&, i = i, value = value](const Strategy &strategy,
                                         const ValueChoice &choice) {
      return choice.available >> indexOf(value, strategy.operands[i]) & 1;
    });
  for (auto [i, value] : llvm::enumerate(source.results))
    add(value, [&, i = i, value = value](const Strategy &strategy,
                                         const ValueChoice &choice) {
      return choice.produced == indexOf(value, strategy.results[i]);
    });
}

llvm::Expected<ShardingSolution>
Builder::run(const CostNetworkOptions &options) {
  collectStates();
  for (const ShardingOp &op : problem.ops)
    network.addNode({op.costs.begin(), op.costs.end()});
  for (auto [id, value] : llvm::enumerate(problem.values)) {
    if (states[id].size() > 12)
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "sharding problem: value '" + value.name + "' has " +
              llvm::Twine(states[id].size()) + " states; expected at most 12");
    if (value.kind == ShardingValue::Weight)
      addWeightChoices(id);
    else
      addChoices(id);
    if (value.isOutput)
      llvm::erase_if(choices[id], [&, id = id](const ValueChoice &choice) {
        return !(choice.available >> indexOf(id, State::replicated()) & 1);
      });
    // Weights pay for each part that they are stored in.
    dropDominated(choices[id],
                  value.kind == ShardingValue::Weight ? 0 : states[id].size());
    std::vector<Cost> costs;
    for (const ValueChoice &choice : choices[id])
      costs.push_back(choice.cost);
    network.addNode(std::move(costs));
  }
  for (int op = 0, end = problem.ops.size(); op < end; ++op)
    addEdges(op);
  if (llvm::Error error = network.check())
    return std::move(error);
  CostNetworkSolution answer = solve(network, options);
  if (answer.choices.empty())
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "sharding problem: no choice of strategies fits together; expected "
        "each op to offer the replicated strategy");
  return read(answer);
}

ShardingSolution::Value Builder::readValue(int value, const ValueChoice &choice,
                                           const std::set<State> &used) const {
  ShardingSolution::Value result;
  result.used.assign(used.begin(), used.end());
  if (choice.produced < 0) {
    result.produced = used.empty() ? State::replicated() : *used.begin();
    return result;
  }
  result.produced = states[value][choice.produced];
  // Of the available states keep those used, and replicated if it pays as a
  // step between.
  unsigned set = 1u << choice.produced;
  for (const State &state : used)
    set |= 1u << indexOf(value, state);
  unsigned whole = set | 1u << indexOf(value, State::replicated());
  ConversionTable table(model, states[value], choice.produced,
                        problem.values[value].bytes, problem.ways);
  result.conversions =
      table.conversions(table.cost(whole) < table.cost(set) ? whole : set);
  return result;
}

ShardingSolution Builder::read(const CostNetworkSolution &answer) const {
  ShardingSolution solution;
  solution.proven = answer.proven;
  size_t ops = problem.ops.size();
  solution.strategies.assign(answer.choices.begin(),
                             answer.choices.begin() + ops);
  solution.cost = evaluateSharding(problem, model, solution.strategies);
  std::vector<std::set<State>> used(problem.values.size());
  for (auto [op, choice] : llvm::zip_equal(problem.ops, solution.strategies))
    for (auto [id, state] :
         llvm::zip_equal(op.operands, op.strategies[choice].operands))
      used[id].insert(state);
  for (auto [id, value] : llvm::enumerate(problem.values)) {
    if (value.isOutput)
      used[id].insert(State::replicated());
    solution.values.push_back(
        readValue(id, choices[id][answer.choices[ops + id]], used[id]));
  }
  return solution;
}

llvm::Expected<ShardingSolution>
takt::solveSharding(const ShardingProblem &problem, const CostModel &model,
                    const CostNetworkOptions &options) {
  if (llvm::Error error = problem.check())
    return std::move(error);
  return Builder(problem, model).run(options);
}
