//===- DeadlockCheck.cpp - the graph of completions and its cycles --------===//
#include "takt/Analysis/DeadlockCheck.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <map>
#include <queue>

using namespace takt;

namespace {

/// Edges point from a completion to one that waits for it.
class CompletionGraph {
public:
  explicit CompletionGraph(const Schedule &schedule) : schedule(schedule) {
    addVertices();
    addProgramOrder();
    addChannels();
  }

  /// Vertices on a shortest cycle, each waiting for the one before it and the
  /// first for the last; empty if there is none.
  std::vector<int> shortestCycle() const;
  std::string describe(llvm::ArrayRef<int> cycle) const;

private:
  struct Vertex {
    int rank;
    size_t index;
  };

  void addVertices();
  void addProgramOrder();
  void addChannels();
  std::vector<bool> verticesOnCycles() const;
  std::vector<int> cycleThrough(int start, size_t limit,
                                const std::vector<bool> &kept) const;

  const Schedule &schedule;
  std::vector<Vertex> vertices;
  std::vector<std::vector<int>> waiters;
  std::vector<std::vector<int>> vertexOf; // by rank and instruction
};
} // namespace

/// One vertex per instruction, but one for the n-th Forwards of a group.
void CompletionGraph::addVertices() {
  std::vector<int> groupOf(schedule.ranks.size(), -1);
  for (auto [id, group] : llvm::enumerate(schedule.groups))
    for (int rank : group)
      groupOf[rank] = id;
  std::map<std::pair<int, int>, int> shared; // group and n
  for (auto [rank, list] : llvm::enumerate(schedule.ranks)) {
    std::vector<int> &ids = vertexOf.emplace_back();
    int forwards = 0;
    for (auto [index, instruction] : llvm::enumerate(list)) {
      int fresh = vertices.size();
      int id = fresh;
      if (instruction.kind == Instruction::Forward && groupOf[rank] >= 0)
        id = shared.try_emplace({groupOf[rank], forwards++}, fresh)
                 .first->second;
      if (id == fresh)
        vertices.push_back({int(rank), index});
      ids.push_back(id);
    }
  }
  waiters.resize(vertices.size());
}

void CompletionGraph::addProgramOrder() {
  for (const std::vector<int> &ids : vertexOf)
    for (size_t i = 1; i < ids.size(); ++i)
      waiters[ids[i - 1]].push_back(ids[i]);
}

/// A receive waits for its send, a send for the free `depth` messages before.
void CompletionGraph::addChannels() {
  struct Ends {
    std::vector<int> sends, receives, frees;
  };
  std::vector<Ends> channels(schedule.channels.size());
  for (auto [list, ids] : llvm::zip_equal(schedule.ranks, vertexOf))
    for (auto [instruction, id] : llvm::zip_equal(list, ids)) {
      if (instruction.kind == Instruction::Forward)
        continue;
      Ends &ends = channels[instruction.channel];
      (instruction.kind == Instruction::Send      ? ends.sends
       : instruction.kind == Instruction::Receive ? ends.receives
                                                  : ends.frees)
          .push_back(id);
    }
  for (auto [channel, ends] : llvm::zip_equal(schedule.channels, channels)) {
    for (auto [send, receive] : llvm::zip_equal(ends.sends, ends.receives))
      waiters[send].push_back(receive);
    for (size_t k = channel.depth; k < ends.sends.size(); ++k)
      waiters[ends.frees[k - channel.depth]].push_back(ends.sends[k]);
  }
}

/// What is left after vertices that wait for nothing are taken away again and
/// again (and those that nothing waits for, to look at less).
std::vector<bool> CompletionGraph::verticesOnCycles() const {
  std::vector<bool> kept(vertices.size(), true);
  std::vector<std::vector<int>> backwards(vertices.size());
  for (auto [id, list] : llvm::enumerate(waiters))
    for (int waiter : list)
      backwards[waiter].push_back(id);
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
  peel(backwards, waiters);
  peel(waiters, backwards);
  return kept;
}

/// The shortest cycle through \p start of fewer than \p limit vertices.
std::vector<int>
CompletionGraph::cycleThrough(int start, size_t limit,
                              const std::vector<bool> &kept) const {
  std::map<int, int> previous;
  std::queue<std::pair<int, size_t>> queue;
  queue.push({start, 1});
  while (!queue.empty()) {
    auto [id, length] = queue.front();
    queue.pop();
    if (length >= limit)
      break;
    for (int next : waiters[id]) {
      if (!kept[next] || !previous.try_emplace(next, id).second)
        continue;
      queue.push({next, length + 1});
      if (next != start)
        continue;
      std::vector<int> cycle = {start};
      for (int at = id; at != start; at = previous[at])
        cycle.push_back(at);
      std::reverse(cycle.begin() + 1, cycle.end());
      return cycle;
    }
  }
  return {};
}

std::vector<int> CompletionGraph::shortestCycle() const {
  std::vector<bool> kept = verticesOnCycles();
  std::vector<int> best;
  for (int id = 0, end = vertices.size(); id < end; ++id) {
    if (!kept[id])
      continue;
    size_t limit = best.empty() ? vertices.size() + 1 : best.size();
    std::vector<int> cycle = cycleThrough(id, limit, kept);
    if (!cycle.empty())
      best = std::move(cycle);
  }
  return best;
}

std::string CompletionGraph::describe(llvm::ArrayRef<int> cycle) const {
  auto text = [&](int id) {
    const Vertex &vertex = vertices[id];
    return "rank " + std::to_string(vertex.rank) + " #" +
           std::to_string(vertex.index) + " " +
           schedule.ranks[vertex.rank][vertex.index].str();
  };
  std::string result = text(cycle.front());
  for (int id : llvm::reverse(cycle))
    result += " <- waits for " + text(id);
  return result;
}

llvm::Error takt::proveNoDeadlock(const Schedule &schedule) {
  if (llvm::Error error = checkPairing(schedule))
    return error;
  CompletionGraph graph(schedule);
  std::vector<int> cycle = graph.shortestCycle();
  if (cycle.empty())
    return llvm::Error::success();
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      "schedule: ranks wait for each other for ever: " + graph.describe(cycle) +
          "; reorder the instructions or deepen the channels");
}

llvm::Error takt::proveStream(const Schedule &step) {
  int depth = 0;
  for (const ScheduleChannel &channel : step.channels)
    depth = std::max(depth, channel.depth);
  // Edges lead from a micro-batch to itself or `depth` ahead, so a cycle, which
  // must come back, stays within one; the rest shows that credits return.
  return proveNoDeadlock(repeatSteps(step, int64_t(depth) + 2));
}
