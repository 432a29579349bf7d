//===- StageCutGraph.h - the contracted graph of a stage cut --------------===//
#ifndef TAKT_LIB_ANALYSIS_STAGECUTGRAPH_H
#define TAKT_LIB_ANALYSIS_STAGECUTGRAPH_H

#include "takt/Analysis/StageCut.h"

namespace takt {
namespace detail {

/// The problem with units that must share a stage merged into one: an acyclic
/// graph without `together`, its neighbour lists and the map from the original.
struct CutGraph {
  StageCutProblem problem;
  std::vector<int> mergedOf; // of each original unit
  std::vector<std::vector<int>> successors, predecessors; // of merged units
  std::vector<std::vector<int>> tensorsOf; // that touch a unit, ascending

  /// Merges the sets of `together` and all units on cycles.
  explicit CutGraph(const StageCutProblem &original);

  int size() const { return problem.units.size(); }
  int stages() const { return problem.stageOptions.size(); }
  Cost time(int unit, int option) const {
    return problem.units[unit].times[option];
  }
  /// The least time of a unit on any stage.
  Cost leastTime(int unit) const;
  bool hasLimit(int option) const {
    return problem.memoryLimit > 0 && !problem.isHost(option);
  }
  int64_t memory(int unit, int option) const {
    const auto &memory = problem.units[unit].memory;
    return memory.empty() ? 0 : memory[option];
  }

private:
  int addTensor(const StageCutProblem::Tensor &tensor);
};

/// The problem's graph in which units that take no time and depend on one other
/// have joined it, as far as memory allows it for sure: some best cut has them
/// there, and side branches of such units multiply downsets.
CutGraph joinIdleUnits(const StageCutProblem &problem);

/// The best of cuts along random linear orders, as stages of merged units;
/// empty if none meets the memory limit. `takt` and `loads` are exact.
StageCut cutLinearOrders(const CutGraph &graph, unsigned seed);

/// Improves \p best to an optimal cut; sets `proven` unless a limit is hit.
void searchDownsets(const CutGraph &graph, const StageCutOptions &options,
                    StageCut &best);

/// Sum of two byte counts, at most INT64_MAX.
inline int64_t addBytes(int64_t lhs, int64_t rhs) { return addCosts(lhs, rhs); }

} // namespace detail
} // namespace takt

#endif // TAKT_LIB_ANALYSIS_STAGECUTGRAPH_H
