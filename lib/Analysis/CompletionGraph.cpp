//===- CompletionGraph.cpp - building the graph of completions ------------===//
#include "CompletionGraph.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

using namespace takt;

CompletionGraph::CompletionGraph(const Schedule &schedule)
    : schedule(schedule) {
  addVertices();
  addProgramOrder();
  addChannels();
}

void CompletionGraph::addVertices() {
  std::vector<int> groupOf(schedule.ranks.size(), -1);
  for (auto [id, group] : llvm::enumerate(schedule.groups))
    for (int rank : group)
      groupOf[rank] = id;
  enum Meeting { Alone, InGroup, InCollective, AtRendezvous };
  auto meetingOf = [&](int rank, const Instruction &instruction) {
    if (instruction.isCompute())
      return std::pair(groupOf[rank] < 0 ? Alone : InGroup, groupOf[rank]);
    if (instruction.kind == Instruction::Collective)
      return std::pair(InCollective, instruction.channel);
    bool isRendezvous = schedule.channels[instruction.channel].depth == 0;
    return std::pair(isRendezvous ? AtRendezvous : Alone, instruction.channel);
  };
  std::map<std::tuple<Meeting, int, int>, int> shared; // the n-th of each
  for (auto [rank, list] : llvm::enumerate(schedule.ranks)) {
    std::vector<int> &ids = vertexOf.emplace_back();
    std::map<std::pair<Meeting, int>, int> counts;
    for (auto [index, instruction] : llvm::enumerate(list)) {
      int id = vertices.size();
      auto meeting = meetingOf(rank, instruction);
      if (meeting.first != Alone)
        id = shared
                 .try_emplace(
                     {meeting.first, meeting.second, counts[meeting]++}, id)
                 .first->second;
      if (id == int(vertices.size()))
        vertices.emplace_back();
      vertices[id].push_back({int(rank), index});
      ids.push_back(id);
    }
  }
  waiters.resize(vertices.size());
}

/// Instructions that start together wait for all of those before.
void CompletionGraph::addProgramOrder() {
  for (auto [rank, list] : llvm::enumerate(schedule.ranks)) {
    size_t before = 0, begin = 0; // the batch before and the current one
    for (size_t i = 0; i < list.size(); ++i) {
      if (!list[i].joinsPrevious) {
        before = begin;
        begin = i;
      }
      for (size_t other = before; other < begin; ++other)
        addEdge(vertexOf[rank][other], vertexOf[rank][i], Edge::ProgramOrder,
                rank);
    }
  }
}

/// A receive waits for its send, a send for the free `depth` messages before.
void CompletionGraph::addChannels() {
  struct Ends {
    std::vector<int> sends, receives, frees;
  };
  std::vector<Ends> channels(schedule.channels.size());
  for (auto [list, ids] : llvm::zip_equal(schedule.ranks, vertexOf))
    for (auto [instruction, id] : llvm::zip_equal(list, ids)) {
      if (!instruction.usesChannel())
        continue;
      Ends &ends = channels[instruction.channel];
      (instruction.kind == Instruction::Send      ? ends.sends
       : instruction.kind == Instruction::Receive ? ends.receives
                                                  : ends.frees)
          .push_back(id);
    }
  for (auto [channel, ends] : llvm::zip_equal(schedule.channels, channels)) {
    if (channel.depth == 0)
      continue; // one vertex for both ends
    for (auto [send, receive] : llvm::zip_equal(ends.sends, ends.receives))
      addEdge(send, receive, Edge::Message);
    for (size_t k = channel.depth; k < ends.sends.size(); ++k)
      addEdge(ends.frees[k - channel.depth], ends.sends[k], Edge::Slot);
  }
}
