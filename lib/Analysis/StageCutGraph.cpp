//===- StageCutGraph.cpp - units that share a stage become one ------------===//
#include "StageCutGraph.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

using namespace takt;
using namespace takt::detail;

using Adjacency = std::vector<std::vector<int>>;

static void addEdge(Adjacency &graph, int from, int to) {
  if (from != to && !llvm::is_contained(graph[from], to))
    graph[from].push_back(to);
}

/// Nodes in order of completion of a depth-first search (children first).
static void visit(const Adjacency &graph, int root, std::vector<bool> &seen,
                  std::vector<int> &finished) {
  std::vector<std::pair<int, size_t>> stack = {{root, 0}};
  seen[root] = true;
  while (!stack.empty()) {
    auto &[node, next] = stack.back();
    if (next == graph[node].size()) {
      finished.push_back(node);
      stack.pop_back();
      continue;
    }
    int child = graph[node][next++];
    if (!seen[child]) {
      seen[child] = true;
      stack.push_back({child, 0});
    }
  }
}

/// Numbers strongly connected components in topological order (Kosaraju).
static std::vector<int> components(const Adjacency &graph) {
  Adjacency reversed(graph.size());
  for (auto [node, list] : llvm::enumerate(graph))
    for (int next : list)
      reversed[next].push_back(node);
  std::vector<bool> seen(graph.size(), false);
  std::vector<int> finished;
  for (int node = graph.size() - 1; node >= 0; --node)
    if (!seen[node])
      visit(graph, node, seen, finished);
  std::vector<int> result(graph.size(), -1);
  seen.assign(graph.size(), false);
  int count = 0;
  for (int node : llvm::reverse(finished)) {
    std::vector<int> members;
    if (!seen[node])
      visit(reversed, node, seen, members);
    for (int member : members)
      result[member] = count;
    count += !members.empty();
  }
  return result;
}

/// The component of each unit in the graph with the sets of `together` merged.
static std::vector<int> mergeUnits(const StageCutProblem &problem) {
  size_t count = problem.units.size();
  llvm::EquivalenceClasses<int> sets;
  for (const auto &set : problem.together)
    for (int unit : set)
      sets.unionSets(set.front(), unit);
  auto leader = [&](int unit) {
    auto it = sets.findLeader(unit);
    return it == sets.member_end() ? unit : *it;
  };
  Adjacency graph(count);
  for (const StageCutProblem::Tensor &tensor : problem.tensors)
    for (int consumer : tensor.consumers)
      if (tensor.isOrdered)
        addEdge(graph, leader(tensor.source), leader(consumer));
  for (auto [first, second] : problem.precedes)
    addEdge(graph, leader(first), leader(second));
  std::vector<int> component = components(graph);
  // Only leaders have edges; the others follow them.
  std::map<int, int> numbers;
  for (size_t unit = 0; unit < count; ++unit)
    numbers[component[leader(unit)]];
  for (auto [index, entry] : llvm::enumerate(numbers))
    entry.second = index;
  std::vector<int> merged(count);
  for (size_t unit = 0; unit < count; ++unit)
    merged[unit] = numbers[component[leader(unit)]];
  return merged;
}

/// Adds up \p unit into \p sum.
static void mergeInto(StageCutProblem::Unit &sum,
                      const StageCutProblem::Unit &unit) {
  sum.times.resize(unit.times.size(), 0);
  for (auto [total, time] : llvm::zip_equal(sum.times, unit.times))
    total = addCosts(total, time);
  if (unit.memory.empty())
    return;
  sum.memory.resize(unit.memory.size(), 0);
  for (auto [total, bytes] : llvm::zip_equal(sum.memory, unit.memory))
    total = addBytes(total, bytes);
}

CutGraph::CutGraph(const StageCutProblem &original)
    : mergedOf(mergeUnits(original)) {
  int count = 0;
  for (int merged : mergedOf)
    count = std::max(count, merged + 1);
  problem.stageOptions = original.stageOptions;
  problem.isAnyOrder = original.isAnyOrder;
  problem.hostOptions = original.hostOptions;
  problem.memoryLimit = original.memoryLimit;
  problem.units.resize(count);
  successors.resize(count);
  predecessors.resize(count);
  tensorsOf.resize(count);
  for (auto [unit, merged] : llvm::zip_equal(original.units, mergedOf))
    mergeInto(problem.units[merged], unit);
  auto order = [&](int first, int second) {
    addEdge(successors, first, second);
    addEdge(predecessors, second, first);
  };
  for (auto [first, second] : original.precedes)
    order(mergedOf[first], mergedOf[second]);
  for (const StageCutProblem::Tensor &tensor : original.tensors)
    if (int id = addTensor(tensor); id >= 0 && tensor.isOrdered)
      for (int consumer : problem.tensors[id].consumers)
        order(problem.tensors[id].source, consumer);
}

/// The tensor between merged units; -1 if it stays within one.
int CutGraph::addTensor(const StageCutProblem::Tensor &tensor) {
  StageCutProblem::Tensor moved{
      mergedOf[tensor.source], {}, tensor.transfer, tensor.isOrdered};
  for (int consumer : tensor.consumers)
    if (int merged = mergedOf[consumer];
        merged != moved.source && !llvm::is_contained(moved.consumers, merged))
      moved.consumers.push_back(merged);
  if (moved.consumers.empty())
    return -1;
  int id = problem.tensors.size();
  tensorsOf[moved.source].push_back(id);
  for (int consumer : moved.consumers)
    tensorsOf[consumer].push_back(id);
  problem.tensors.push_back(std::move(moved));
  return id;
}

Cost CutGraph::leastTime(int unit) const {
  Cost least = infiniteCost;
  for (int option : problem.stageOptions)
    least = std::min(least, time(unit, option));
  return least;
}
