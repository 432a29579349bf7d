//===- StageCutIdle.cpp - units without time join a neighbour -------------===//
#include "StageCutGraph.h"

#include "llvm/ADT/STLExtras.h"

using namespace takt;
using namespace takt::detail;

/// Whether no stage can come to its limit, so that memory decides nothing.
static bool isMemoryPlenty(const CutGraph &graph) {
  auto fits = [&](int option) {
    int64_t sum = 0;
    for (int unit = 0; unit < graph.size(); ++unit)
      sum = addBytes(sum, graph.memory(unit, option));
    return !graph.hasLimit(option) || sum <= graph.problem.memoryLimit;
  };
  return llvm::all_of(graph.problem.stageOptions, fits);
}

static bool isIdle(const CutGraph &graph, int unit, bool isMemoryFree) {
  return llvm::all_of(graph.problem.stageOptions, [&](int option) {
    return graph.time(unit, option) == 0 &&
           (isMemoryFree || graph.memory(unit, option) == 0);
  });
}

/// The only unit that \p unit takes something from or gives something to, such
/// that joining it makes no tensor cross more stages; -1 if there is none.
static int onlyNeighbour(const CutGraph &graph, int unit) {
  const auto &before = graph.predecessors[unit];
  const auto &after = graph.successors[unit];
  if (before.size() + after.size() > 1)
    return -1;
  int neighbour = -1;
  auto meet = [&](int other) {
    bool isFirst = neighbour < 0 || neighbour == other;
    neighbour = other;
    return isFirst;
  };
  for (int other : before)
    meet(other);
  for (int other : after)
    meet(other);
  for (int id : graph.tensorsOf[unit]) {
    const StageCutProblem::Tensor &tensor = graph.problem.tensors[id];
    // What a unit shares with its source it need not carry anywhere.
    bool isOnly = tensor.source == unit ? tensor.consumers.size() == 1 &&
                                              meet(tensor.consumers.front())
                                        : meet(tensor.source);
    if (!isOnly)
      return -1;
  }
  return neighbour;
}

CutGraph detail::joinIdleUnits(const StageCutProblem &problem) {
  StageCutProblem joined = problem;
  while (true) {
    CutGraph graph(joined);
    std::vector<int> original(graph.size());
    for (auto [unit, merged] : llvm::enumerate(graph.mergedOf))
      original[merged] = unit;
    bool isMemoryFree = isMemoryPlenty(graph), isChanged = false;
    for (int unit = 0; unit < graph.size(); ++unit) {
      int other =
          isIdle(graph, unit, isMemoryFree) ? onlyNeighbour(graph, unit) : -1;
      if (other < 0)
        continue;
      joined.together.push_back({original[other], original[unit]});
      isChanged = true;
    }
    if (!isChanged)
      return graph;
  }
}
