//===- StageCutSearch.cpp - exact cuts by search over downsets ------------===//
// A cut is a chain of downsets: what lies before stage s. The search goes from
// the last stage to the first, because a producer pays once for each stage that
// consumes its tensor: seen from the back these stages are known. A tensor with
// several consumers keeps their number in the label of the downset.
#include "StageCutSearch.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

using namespace takt;
using namespace takt::detail;

namespace {

class Search {
public:
  Search(const CutGraph &graph, const StageCutOptions &options, StageCut &best)
      : graph(graph), options(options), best(best), bySize(graph.size() + 1) {}

  void run();

private:
  int intern(Set units);
  void expand(int from);
  void skipStage(int downset);
  bool fitsMemory(llvm::ArrayRef<int> units, int option) const;
  bool isHopeless(const Candidate &candidate) const;
  std::vector<Candidate> shrink(const Candidate &candidate) const;
  void relax(int from, const Candidate &candidate);
  bool insert(Label label);
  void finish();

  const StageCutProblem &problem() const { return graph.problem; }
  bool limitHit() const {
    return int64_t(downsets.size()) > options.idealLimit ||
           pairs > options.pairLimit ||
           int64_t(labels.size()) > 8 * options.idealLimit;
  }

  const CutGraph &graph;
  const StageCutOptions &options;
  StageCut &best;
  std::vector<Downset> downsets;
  std::unordered_map<Set, int, SetHash> ids;
  std::vector<std::vector<int>> bySize;
  std::vector<Label> labels;
  int64_t pairs = 0;
};
} // namespace

int Search::intern(Set units) {
  auto [it, isNew] = ids.try_emplace(units, int(downsets.size()));
  if (!isNew)
    return it->second;
  Downset downset{std::move(units), 0, 0, {}, {}};
  downset.labels.resize(graph.stages() + 1);
  for (int unit = 0; unit < graph.size(); ++unit)
    if (contains(downset.units, unit)) {
      ++downset.size;
      downset.leastTime = addCosts(downset.leastTime, graph.leastTime(unit));
    }
  for (auto [id, tensor] : llvm::enumerate(problem().tensors))
    if (tensor.consumers.size() > 1 && contains(downset.units, tensor.source) &&
        llvm::any_of(tensor.consumers,
                     [&](int unit) { return !contains(downset.units, unit); }))
      downset.crossing.push_back(id);
  bySize[downset.size].push_back(downsets.size());
  downsets.push_back(std::move(downset));
  return it->second;
}

/// Adds the label unless another is at least as good in every respect.
bool Search::insert(Label label) {
  Downset &downset = downsets[label.downset];
  auto isCovered = [](const Label &a, const Label &b) { // b covers a
    return b.load <= a.load && b.used <= a.used &&
           llvm::all_of(llvm::zip_equal(a.counts, b.counts), [](auto pair) {
             return std::get<1>(pair) <= std::get<0>(pair);
           });
  };
  std::vector<int> &list = downset.labels[label.free];
  for (int other : list)
    if (isCovered(label, labels[other]))
      return false;
  llvm::erase_if(list,
                 [&](int other) { return isCovered(labels[other], label); });
  list.push_back(labels.size());
  labels.push_back(std::move(label));
  return true;
}

/// Leaves the last open stage without units.
void Search::skipStage(int downset) {
  for (int free = graph.stages(); free > 0; --free)
    for (int id : std::vector<int>(downsets[downset].labels[free])) {
      Label label = labels[id];
      label.parent = id;
      label.free = free - 1;
      insert(std::move(label));
    }
}

bool Search::fitsMemory(llvm::ArrayRef<int> units, int option) const {
  int64_t memory = 0;
  for (int unit : units)
    memory = addBytes(memory, graph.memory(unit, option));
  return problem().memoryLimit <= 0 || memory <= problem().memoryLimit;
}

/// Time and memory only grow with more units; transfers may shrink.
bool Search::isHopeless(const Candidate &candidate) const {
  return candidate.leastTime > best.takt ||
         llvm::none_of(problem().stageOptions, [&](int option) {
           return fitsMemory(candidate.removed, option);
         });
}

/// All downsets with one unit less.
std::vector<Candidate> Search::shrink(const Candidate &candidate) const {
  std::vector<Candidate> result;
  for (int unit : candidate.maximal) {
    Candidate next = candidate;
    flip(next.units, unit);
    next.removed.push_back(unit);
    next.leastTime = addCosts(next.leastTime, graph.leastTime(unit));
    llvm::erase(next.maximal, unit);
    for (int before : graph.predecessors[unit])
      if (llvm::none_of(graph.successors[before],
                        [&](int after) { return contains(next.units, after); }))
        next.maximal.push_back(before);
    result.push_back(std::move(next));
  }
  return result;
}

/// Looks at every stage that can end at downset \p from.
void Search::expand(int from) {
  Candidate start{downsets[from].units, {}, {}};
  for (int unit = 0; unit < graph.size(); ++unit)
    if (contains(start.units, unit) &&
        llvm::none_of(graph.successors[unit],
                      [&](int after) { return contains(start.units, after); }))
      start.maximal.push_back(unit);
  std::unordered_set<Set, SetHash> seen;
  std::vector<Candidate> stack = shrink(start);
  while (!stack.empty() && !limitHit()) {
    Candidate candidate = std::move(stack.back());
    stack.pop_back();
    if (isHopeless(candidate) || !seen.insert(candidate.units).second)
      continue;
    ++pairs;
    relax(from, candidate);
    for (Candidate &next : shrink(candidate))
      stack.push_back(std::move(next));
  }
}

/// Puts the units between the two downsets on the last open stage of each
/// label.
void Search::relax(int from, const Candidate &candidate) {
  Cost enter = enterCost(graph, candidate);
  int to = -1;
  for (int free = 1; free <= graph.stages(); ++free) {
    int option = problem().stageOptions[free - 1];
    Cost inner = enter;
    for (int unit : candidate.removed)
      inner = addCosts(inner, graph.time(unit, option));
    if (inner > best.takt || !fitsMemory(candidate.removed, option))
      continue;
    for (int id : std::vector<int>(downsets[from].labels[free])) {
      Cost leave = leaveCost(graph, labels[id], downsets[from], candidate);
      Cost load = std::max(labels[id].load, addCosts(inner, leave));
      if (load > best.takt || load == infiniteCost)
        continue;
      if (to < 0)
        to = intern(candidate.units);
      // What is left must fit on the stages that are left.
      if (downsets[to].leastTime > multiplyCost(best.takt, free - 1))
        break;
      Label next = follow(graph, labels[id], downsets[from], downsets[to]);
      next.load = load;
      next.parent = id;
      next.downset = to;
      if (insert(std::move(next)) && downsets[to].size == 0)
        best.takt = std::min(best.takt, load);
    }
  }
}

/// Reads the best label of the empty downset back into stages.
void Search::finish() {
  auto it = ids.find(Set((graph.size() + 63) / 64, 0));
  if (it == ids.end())
    return;
  int answer = -1;
  for (const std::vector<int> &list : downsets[it->second].labels)
    for (int id : list)
      if (answer < 0 ||
          std::make_pair(labels[id].load, labels[id].used) <
              std::make_pair(labels[answer].load, labels[answer].used))
        answer = id;
  if (answer < 0 || labels[answer].load > best.takt)
    return;
  best.takt = labels[answer].load;
  best.stageOf.assign(graph.size(), 0);
  for (int id = answer; labels[id].parent >= 0; id = labels[id].parent) {
    const Set &lower = downsets[labels[id].downset].units;
    const Set &upper = downsets[labels[labels[id].parent].downset].units;
    for (int unit = 0; unit < graph.size(); ++unit)
      if (contains(upper, unit) && !contains(lower, unit))
        best.stageOf[unit] = labels[id].free;
  }
}

void Search::run() {
  Set all((graph.size() + 63) / 64, 0);
  for (int unit = 0; unit < graph.size(); ++unit)
    flip(all, unit);
  Label start;
  start.downset = intern(std::move(all));
  start.free = graph.stages();
  insert(std::move(start));
  for (int size = graph.size(); size > 0 && !limitHit(); --size)
    for (size_t i = 0; i < bySize[size].size() && !limitHit(); ++i) {
      int downset = bySize[size][i];
      skipStage(downset);
      expand(downset);
      // Keys are needed only for sets that are yet to come.
      ids.erase(downsets[downset].units);
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
      evaluateStageCut(graph.problem, best.stageOf);
  if (!loads)
    llvm::report_fatal_error(loads.takeError());
  best.loads = std::move(*loads);
}
