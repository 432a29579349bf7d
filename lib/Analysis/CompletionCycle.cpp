//===- CompletionCycle.cpp - the shortest cycle of waits ------------------===//
#include "CompletionGraph.h"

#include "llvm/ADT/STLExtras.h"

#include <queue>

using namespace takt;

/// What is left after vertices that wait for nothing are taken away again and
/// again (and those that nothing waits for, to look at less).
std::vector<bool> CompletionGraph::verticesOnCycles() const {
  std::vector<bool> kept(vertices.size(), true);
  std::vector<std::vector<int>> forwards(vertices.size());
  std::vector<std::vector<int>> backwards(vertices.size());
  for (const std::vector<Edge> &edges : waiters)
    for (const Edge &edge : edges) {
      forwards[edge.from].push_back(edge.to);
      backwards[edge.to].push_back(edge.from);
    }
  auto peel = [&](const auto &incoming, const auto &outgoing) {
    std::vector<size_t> open(vertices.size(), 0);
    std::vector<int> ready;
    for (size_t id = 0; id < vertices.size(); ++id) {
      for (int other : incoming[id])
        open[id] += kept[other];
      if (kept[id] && open[id] == 0)
        ready.push_back(id);
    }
    while (!ready.empty()) {
      int id = ready.back();
      ready.pop_back();
      kept[id] = false;
      for (int other : outgoing[id])
        if (kept[other] && --open[other] == 0)
          ready.push_back(other);
    }
  };
  peel(backwards, forwards);
  peel(forwards, backwards);
  return kept;
}

/// The shortest cycle through \p start of fewer than \p limit edges.
std::vector<CompletionGraph::Edge>
CompletionGraph::cycleThrough(int start, size_t limit,
                              const std::vector<bool> &kept) const {
  std::vector<const Edge *> reachedBy(vertices.size(), nullptr);
  std::queue<std::pair<int, size_t>> queue;
  queue.push({start, 1});
  while (!queue.empty() && !reachedBy[start]) {
    auto [id, length] = queue.front();
    queue.pop();
    if (length >= limit)
      break;
    for (const Edge &edge : waiters[id]) {
      if (!kept[edge.to] || reachedBy[edge.to])
        continue;
      reachedBy[edge.to] = &edge;
      queue.push({edge.to, length + 1});
    }
  }
  std::vector<Edge> cycle;
  if (!reachedBy[start])
    return cycle;
  do
    cycle.push_back(*reachedBy[cycle.empty() ? start : cycle.back().from]);
  while (cycle.back().from != start);
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

std::vector<CompletionGraph::Edge> CompletionGraph::shortestCycle() const {
  std::vector<bool> kept = verticesOnCycles();
  std::vector<Edge> best;
  for (int id = 0, end = vertices.size(); id < end; ++id) {
    if (!kept[id])
      continue;
    size_t limit = best.empty() ? vertices.size() + 1 : best.size();
    std::vector<Edge> cycle = cycleThrough(id, limit, kept);
    if (!cycle.empty())
      best = std::move(cycle);
  }
  return best;
}

std::string CompletionGraph::text(int vertex) const {
  std::string result;
  for (const Place &place : vertices[vertex]) {
    if (!result.empty())
      result += " meeting ";
    result += "rank " + std::to_string(place.rank) + " #" +
              std::to_string(place.index) + " " +
              schedule.ranks[place.rank][place.index].str();
  }
  return result;
}

/// Why `to` waits; where it is several instructions, also on whose account.
std::string CompletionGraph::reasonOf(const Edge &edge) const {
  switch (edge.reason) {
  case Edge::ProgramOrder:
    if (vertices[edge.to].size() > 1)
      return " -> on rank " + std::to_string(edge.rank) + " comes after ";
    return " -> comes after ";
  case Edge::Message:
    return " -> waits for the message of ";
  case Edge::Slot:
    return " -> waits for the slot of ";
  }
  llvm_unreachable("all reasons are covered");
}

std::string CompletionGraph::describe(llvm::ArrayRef<Edge> cycle) const {
  // Starts where another rank is waited for, not amidst a rank's own order.
  auto continues = [&](size_t i) {
    const Edge &edge = cycle[i], &next = cycle[(i + 1) % cycle.size()];
    return edge.reason == Edge::ProgramOrder && next.reason == edge.reason &&
           next.rank == edge.rank;
  };
  size_t last = cycle.size() - 1;
  while (last > 0 &&
         (continues(last) || cycle[last].reason == Edge::ProgramOrder))
    --last;
  std::string result = text(cycle[last].to);
  for (size_t step = 0; step < cycle.size(); ++step) {
    size_t i = (last + cycle.size() - step) % cycle.size();
    size_t before = (i + cycle.size() - 1) % cycle.size();
    if (!continues(before))
      result += reasonOf(cycle[i]) + text(cycle[i].from);
  }
  return result;
}
