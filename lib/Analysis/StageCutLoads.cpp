//===- StageCutLoads.cpp - transfers of a stage in the search -------------===//
#include "StageCutSearch.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace takt;
using namespace takt::detail;

Cost detail::enterCost(const CutGraph &graph, const Candidate &candidate) {
  const auto &all = graph.problem.tensors;
  std::vector<int> tensors;
  for (int unit : candidate.removed)
    for (int id : graph.tensorsOf[unit])
      if (contains(candidate.units, all[id].source))
        tensors.push_back(id);
  llvm::sort(tensors);
  tensors.erase(std::unique(tensors.begin(), tensors.end()), tensors.end());
  Cost cost = 0;
  for (int id : tensors)
    cost = addCosts(cost, all[id].transfer);
  return cost;
}

/// The tensor's number in the list of crossing ones; -1 if it is not there.
static int crossingIndex(const Downset &downset, int tensor) {
  auto it = llvm::lower_bound(downset.crossing, tensor);
  bool isThere = it != downset.crossing.end() && *it == tensor;
  return isThere ? int(it - downset.crossing.begin()) : -1;
}

Cost detail::leaveCost(const CutGraph &graph, const Label &label,
                       const Downset &from, const Candidate &candidate) {
  const auto &all = graph.problem.tensors;
  Cost cost = 0;
  for (int unit : candidate.removed)
    for (int id : graph.tensorsOf[unit]) {
      const StageCutProblem::Tensor &tensor = all[id];
      if (tensor.source != unit)
        continue;
      int64_t stages = tensor.consumers.size() == 1 &&
                       !contains(from.units, tensor.consumers.front());
      if (int index = crossingIndex(from, id); index >= 0)
        stages = label.counts[index];
      cost = addCosts(cost, multiplyCost(tensor.transfer, stages));
    }
  return cost;
}

Label detail::follow(const CutGraph &graph, const Label &label,
                     const Downset &from, const Downset &to) {
  const auto &all = graph.problem.tensors;
  Label next;
  next.used = label.used + 1;
  next.free = label.free - 1;
  for (int id : to.crossing) {
    int index = crossingIndex(from, id);
    int count = index >= 0 ? label.counts[index] : 0;
    for (int consumer : all[id].consumers)
      if (contains(from.units, consumer) && !contains(to.units, consumer)) {
        ++count;
        break;
      }
    next.counts.push_back(count);
  }
  return next;
}
