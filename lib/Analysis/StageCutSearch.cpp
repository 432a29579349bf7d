//===- StageCutSearch.cpp - exact cuts by search over downsets ------------===//
// A cut is a chain of downsets: what lies before stage s. The search takes the
// downsets by size. From each that a partial cut reaches in time it walks over
// those above it, as far as one stage can do what lies between: times only grow
// on the way, transfers may shrink and so end no walk.
#include "StageCutSearch.h"
#include "StageStates.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace takt;
using namespace takt::detail;

namespace {

class Search {
public:
  Search(const CutGraph &graph, const StageCutOptions &options, StageCut &best)
      : graph(graph), options(options), best(best), states(graph),
        downsets(graph) {}

  void run();

private:
  using Wide = __int128; // a sum of differences must not saturate
  struct Visit {
    int downset;
    Wide transfers; // of the stage from the walk's start to here
  };

  void passEmptyStages(int id);
  bool isInTime(int id, int state);
  void walk(int from);
  Cost timeBetween(int from, int to, int option);
  bool canHold(int from, int to);
  Wide change(const Set &from, const Set &before, const Set &after, int unit);
  void relax(int from, const Visit &visit);
  bool improve(int id, int state, Cost load, std::pair<int, int> parent);
  void finish();
  void readStages(llvm::ArrayRef<std::pair<int, int>> chain);

  bool limitHit() const {
    return downsets.size() > options.idealLimit || pairs > options.pairLimit;
  }

  const CutGraph &graph;
  const StageCutOptions &options;
  StageCut &best;
  StageStates states;
  Downsets downsets;
  std::vector<int> seen; // by downset: the last walk that came by
  std::vector<int> active;
  int64_t pairs = 0;
};
} // namespace

/// Keeps the load if it is the least of its state, and no more than the best
/// known takt.
bool Search::improve(int id, int state, Cost load, std::pair<int, int> parent) {
  Downset &downset = downsets[id];
  if (load > best.takt || load == infiniteCost)
    return false;
  if (downset.loads.empty()) {
    downset.loads.assign(states.size(), infiniteCost);
    downset.parents.assign(states.size(), {-1, -1});
  }
  if (load >= downset.loads[state])
    return false;
  downset.loads[state] = load;
  downset.parents[state] = parent;
  return true;
}

/// What is left must fit on the stages that are left.
bool Search::isInTime(int id, int state) {
  return downsets[id].loads[state] <= best.takt &&
         downsets[id].loads[state] != infiniteCost &&
         double(downsets[id].rest) <= states.capacity(state, best.takt);
}

void Search::passEmptyStages(int id) {
  for (int state = 0; state < states.size(); ++state)
    for (const StageStates::Step &step : states.steps(state))
      if (step.option < 0 && downsets[id].loads[state] != infiniteCost)
        improve(id, step.next, downsets[id].loads[state],
                downsets[id].parents[state]);
}

Cost Search::timeBetween(int from, int to, int option) {
  const Totals &low = downsets[from].totals[option],
               &high = downsets[to].totals[option];
  bool isAllowed = low.forbidden == high.forbidden &&
                   (!graph.hasLimit(option) ||
                    high.memory - low.memory <= graph.problem.memoryLimit);
  return isAllowed ? high.time - low.time : infiniteCost;
}

/// Whether some stage does what lies between in time.
bool Search::canHold(int from, int to) {
  return llvm::any_of(graph.problem.stageOptions, [&](int option) {
    Cost time = timeBetween(from, to, option);
    return time <= best.takt && time != infiniteCost;
  });
}

/// By how much the transfers of the stage [from, before) change when \p unit
/// joins it: a tensor that touches the stage costs unless all of it is inside.
Search::Wide Search::change(const Set &from, const Set &before,
                            const Set &after, int unit) {
  Wide sum = 0;
  for (int id : graph.tensorsOf[unit]) {
    const StageCutProblem::Tensor &tensor = graph.problem.tensors[id];
    bool touched = false, inside = true;
    auto look = [&](int member) {
      bool isBelow = contains(from, member);
      touched |= !isBelow && contains(before, member);
      inside &= !isBelow && contains(after, member);
    };
    look(tensor.source);
    for (int consumer : tensor.consumers)
      look(consumer);
    sum += (inside ? 0 : Wide(tensor.transfer)) -
           (touched ? Wide(tensor.transfer) : 0);
  }
  return sum;
}

/// Ends a stage at the visited downset, for every state that is in time.
void Search::relax(int from, const Visit &visit) {
  Cost transfers = Cost(std::min<Wide>(visit.transfers, infiniteCost));
  for (int state : active)
    for (const StageStates::Step &step : states.steps(state)) {
      if (step.option < 0)
        continue;
      Cost load = timeBetween(from, visit.downset, step.option);
      if (!graph.problem.isHost(step.option))
        load = addCosts(load, transfers);
      load = std::max(load, downsets[from].loads[state]);
      if (load > best.takt || double(downsets[visit.downset].rest) >
                                  states.capacity(step.next, best.takt))
        continue;
      if (improve(visit.downset, step.next, load, {from, state}) &&
          downsets[visit.downset].size == graph.size())
        best.takt = load;
    }
}

void Search::walk(int from) {
  std::vector<Visit> stack = {{from, 0}};
  while (!stack.empty() && !limitHit()) {
    Visit visit = stack.back();
    stack.pop_back();
    if (visit.downset != from) {
      ++pairs;
      relax(from, visit);
    }
    downsets.grow(visit.downset);
    seen.resize(downsets.size(), -1);
    for (auto [unit, above] : downsets[visit.downset].above) {
      if (seen[above] == from || !canHold(from, above))
        continue;
      seen[above] = from;
      stack.push_back(
          {above, visit.transfers + change(downsets[from].units,
                                           downsets[visit.downset].units,
                                           downsets[above].units, unit)});
    }
  }
}

/// Reads the best partial cut of all units back into stages: of those with the
/// least takt, one with the fewest stages.
void Search::finish() {
  if (downsets.ofSize(graph.size()).empty())
    return;
  int full = downsets.ofSize(graph.size()).front();
  if (downsets[full].loads.empty())
    return;
  auto rank = [&](int state) {
    return std::make_pair(downsets[full].loads[state], states.used(state));
  };
  int state = 0;
  for (int other = 1; other < states.size(); ++other)
    if (rank(other) < rank(state))
      state = other;
  best.takt = downsets[full].loads[state];
  best.stageOf.assign(graph.size(), 0);
  std::vector<std::pair<int, int>> chain; // downset, state; last stage first
  for (std::pair<int, int> at = {full, state}; at.first != downsets.empty();
       at = downsets[at.first].parents[at.second])
    chain.push_back(at);
  readStages(chain);
}

void Search::readStages(llvm::ArrayRef<std::pair<int, int>> chain) {
  std::vector<int> unused = graph.problem.stageOptions, used;
  for (auto [id, state] : llvm::reverse(chain)) {
    auto [before, parent] = downsets[id].parents[state];
    int target = state;
    auto step = llvm::find_if(states.steps(parent), [&](const auto &step) {
      return step.option >= 0 && (step.next == target || step.stage >= 0);
    });
    int stage = step->stage >= 0 ? step->stage : int(used.size());
    for (int unit = 0; unit < graph.size(); ++unit)
      if (contains(downsets[id].units, unit) &&
          !contains(downsets[before].units, unit))
        best.stageOf[unit] = stage;
    used.push_back(step->option);
    unused.erase(llvm::find(unused, step->option));
  }
  best.options = graph.problem.stageOptions;
  if (!graph.problem.isAnyOrder)
    return;
  used.insert(used.end(), unused.begin(), unused.end());
  best.options = std::move(used);
}

void Search::run() {
  downsets[downsets.empty()].loads.assign(states.size(), infiniteCost);
  downsets[downsets.empty()].parents.assign(states.size(), {-1, -1});
  downsets[downsets.empty()].loads[0] = 0;
  for (int size = 0; size < graph.size() && !limitHit(); ++size)
    for (size_t i = 0; i < downsets.ofSize(size).size() && !limitHit(); ++i) {
      int id = downsets.ofSize(size)[i];
      if (downsets[id].loads.empty())
        continue;
      passEmptyStages(id);
      active.clear();
      for (int state = 0; state < states.size(); ++state)
        if (isInTime(id, state))
          active.push_back(state);
      if (!active.empty())
        walk(id);
    }
  best.proven = !limitHit();
  finish();
}

void detail::searchDownsets(const CutGraph &graph,
                            const StageCutOptions &options, StageCut &best) {
  if (graph.size() == 0) {
    best.proven = true;
    return;
  }
  Search(graph, options, best).run();
  if (best.stageOf.empty())
    return;
  // The loads by the independent evaluator; the search keeps the largest only.
  llvm::Expected<std::vector<Cost>> loads =
      evaluateStageCut(graph.problem, best.stageOf, best.options);
  if (!loads)
    llvm::report_fatal_error(loads.takeError());
  best.loads = std::move(*loads);
}
