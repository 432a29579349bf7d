//===- StageCutChain.cpp - cuts along linear orders -----------------------===//
#include "StageCutGraph.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <random>

using namespace takt;
using namespace takt::detail;

namespace {

/// The best cut of one order, by dynamic programming.
class ChainCut {
public:
  ChainCut(const CutGraph &graph, llvm::ArrayRef<int> order)
      : graph(graph), order(order), position(order.size()) {
    for (auto [index, unit] : llvm::enumerate(order))
      position[unit] = index;
  }

  /// The stage of each unit; empty if memory does not suffice.
  std::vector<int> run() {
    int count = order.size(), stages = graph.stages();
    // best[s][i]: the units before i lie on stages before s.
    best.assign(stages + 1, std::vector<Entry>(count + 1));
    for (int s = 0; s <= stages; ++s)
      best[s][0].load = 0;
    for (int s = 0; s < stages; ++s) {
      for (int i = 1; i <= count; ++i)
        best[s + 1][i] = {best[s][i].load, i};
      for (int i = 0; i < count; ++i)
        if (best[s][i].load != infiniteCost)
          extend(s, i);
    }
    return read();
  }

private:
  struct Entry {
    Cost load = infiniteCost;
    int begin = 0; // of the last stage's units
  };

  /// Tries all segments [begin, end) for stage s. The cost of the crossing
  /// tensors is kept up to date while the segment grows by one unit.
  void extend(int s, int begin) {
    int option = graph.problem.stageOptions[s];
    Cost time = 0;
    __int128 crossing = 0; // a sum of differences must not saturate
    int64_t memory = 0;
    for (int end = begin + 1; end <= int(order.size()); ++end) {
      int unit = order[end - 1];
      time = addCosts(time, graph.time(unit, option));
      memory = addBytes(memory, graph.memory(unit, option));
      if (time == infiniteCost || time >= best[s + 1][order.size()].load ||
          (graph.hasLimit(option) && memory > graph.problem.memoryLimit))
        return;
      for (int tensor : graph.tensorsOf[unit])
        crossing += change(graph.problem.tensors[tensor], begin, end - 1);
      Cost transfers = graph.problem.isHost(option)
                           ? 0
                           : Cost(std::min<__int128>(crossing, infiniteCost));
      Cost load = std::max(best[s][begin].load, addCosts(time, transfers));
      if (load < best[s + 1][end].load)
        best[s + 1][end] = {load, begin};
    }
  }

  /// By how much the crossing cost changes when the unit at \p last joins
  /// [begin, last): a tensor that touches the segment crosses its border unless
  /// the segment holds all of it.
  Cost change(const StageCutProblem::Tensor &tensor, int begin, int last) {
    int touched = 0, total = 1 + tensor.consumers.size();
    bool isNew = true;
    auto count = [&](int unit) {
      int at = position[unit];
      touched += at >= begin && at <= last;
      isNew &= !(at >= begin && at < last);
    };
    count(tensor.source);
    for (int consumer : tensor.consumers)
      count(consumer);
    bool crosses = touched < total;
    return (isNew && crosses ? tensor.transfer : 0) -
           (!isNew && !crosses ? tensor.transfer : 0);
  }

  std::vector<int> read() const {
    int end = order.size();
    if (best[graph.stages()][end].load == infiniteCost)
      return {};
    std::vector<int> stageOf(order.size(), 0);
    for (int s = graph.stages(); s > 0; --s) {
      int begin = best[s][end].begin;
      for (int i = begin; i < end; ++i)
        stageOf[order[i]] = s - 1;
      end = begin;
    }
    return stageOf;
  }

  const CutGraph &graph;
  llvm::ArrayRef<int> order;
  std::vector<int> position;
  std::vector<std::vector<Entry>> best;
};
} // namespace

/// A topological order: of the ready units, the newest (depth first) or a
/// random one.
static std::vector<int> linearOrder(const CutGraph &graph, int round,
                                    std::mt19937 &random) {
  std::vector<size_t> missing(graph.size());
  std::vector<int> ready, order;
  for (int unit = graph.size() - 1; unit >= 0; --unit) {
    missing[unit] = graph.predecessors[unit].size();
    if (missing[unit] == 0)
      ready.push_back(unit);
  }
  while (!ready.empty()) {
    size_t pick = round == 0 ? ready.size() - 1 : random() % ready.size();
    int unit = ready[pick];
    ready.erase(ready.begin() + pick);
    order.push_back(unit);
    for (int next : graph.successors[unit])
      if (--missing[next] == 0)
        ready.push_back(next);
  }
  return order;
}

StageCut detail::cutLinearOrders(const CutGraph &graph, unsigned seed) {
  StageCut best;
  best.loads.assign(graph.stages(), 0);
  best.options = graph.problem.stageOptions;
  if (graph.size() == 0) {
    best.takt = 0;
    return best;
  }
  std::mt19937 random(seed);
  // Quadratic in the units: fewer orders for large graphs.
  int64_t square = int64_t(graph.size()) * graph.size();
  int rounds = std::clamp<int64_t>(20000000 / square, 2, 20);
  for (int round = 0; round < rounds; ++round) {
    std::vector<int> order = linearOrder(graph, round, random);
    std::vector<int> stageOf = ChainCut(graph, order).run();
    if (stageOf.empty())
      continue;
    auto loads = evaluateStageCut(graph.problem, stageOf);
    if (!loads) {
      llvm::consumeError(loads.takeError());
      continue;
    }
    Cost takt = *std::max_element(loads->begin(), loads->end());
    if (takt < best.takt)
      best = {std::move(stageOf), graph.problem.stageOptions, std::move(*loads),
              takt};
  }
  return best;
}
