//===- CompletionGraph.h - what waits for what in a schedule --------------===//
#ifndef TAKT_LIB_ANALYSIS_COMPLETIONGRAPH_H
#define TAKT_LIB_ANALYSIS_COMPLETIONGRAPH_H

#include "takt/Analysis/Schedule.h"

#include <map>

namespace takt {

/// A vertex is the completion of an instruction, or of several that complete
/// together: the n-th compute instructions of a group, the n-th Collectives of
/// a set, the two ends of a rendezvous. Needs a schedule that checkPairing
/// accepts.
class CompletionGraph {
public:
  struct Place {
    int rank;
    size_t index;
  };
  struct Edge {
    enum Reason { ProgramOrder, Message, Slot };
    int from, to; // `to` waits for `from`
    Reason reason;
    int rank; // whose program order
  };

  explicit CompletionGraph(const Schedule &schedule);

  /// The edges of a cycle with the fewest vertices; empty if there is none.
  std::vector<Edge> shortestCycle() const;
  /// The cycle as a chain of waits; of a rank's instructions in a row only the
  /// first and the last are named.
  std::string describe(llvm::ArrayRef<Edge> cycle) const;

private:
  // CompletionGraph.cpp: construction.
  void addVertices();
  void addProgramOrder();
  void addChannels();
  void addEdge(int from, int to, Edge::Reason reason, int rank = -1) {
    waiters[from].push_back({from, to, reason, rank});
  }

  // CompletionCycle.cpp.
  std::vector<bool> verticesOnCycles() const;
  std::vector<Edge> cycleThrough(int start, size_t limit,
                                 const std::vector<bool> &kept) const;
  std::string text(int vertex) const;
  std::string reasonOf(const Edge &edge) const;

  const Schedule &schedule;
  std::vector<llvm::SmallVector<Place, 2>> vertices;
  std::vector<std::vector<Edge>> waiters; // by vertex: what waits for it
  std::vector<std::vector<int>> vertexOf; // by rank and instruction
};

} // namespace takt

#endif // TAKT_LIB_ANALYSIS_COMPLETIONGRAPH_H
