//===- StageCutSearch.h - downsets and labels of the search ---------------===//
#ifndef TAKT_LIB_ANALYSIS_STAGECUTSEARCH_H
#define TAKT_LIB_ANALYSIS_STAGECUTSEARCH_H

#include "StageCutGraph.h"

#include "llvm/ADT/Hashing.h"

namespace takt {
namespace detail {

using Set = std::vector<uint64_t>; // bits of units
inline bool contains(const Set &set, int unit) {
  return set[unit / 64] >> (unit % 64) & 1;
}
inline void flip(Set &set, int unit) {
  set[unit / 64] ^= uint64_t(1) << (unit % 64);
}

struct SetHash {
  size_t operator()(const Set &set) const {
    return llvm::hash_combine_range(set.begin(), set.end());
  }
};

/// A partial answer: all units outside a downset are on stages.
struct Label {
  Cost load = 0; // largest so far
  int used = 0;  // stages with units
  /// For each tensor that crosses into the downset's complement and has several
  /// consumers: the number of stages that consume it. Ascending tensors.
  llvm::SmallVector<int, 4> counts;
  int parent = -1; // label
  int downset = -1;
  int free = 0; // stages 0 .. free-1 are open yet
};

struct Downset {
  Set units;
  int size;
  Cost leastTime;                       // sum over its units
  std::vector<int> crossing;            // tensors whose consumers are counted
  std::vector<std::vector<int>> labels; // by number of free stages
};

/// A downset below another and what the units between them cost as a stage.
struct Candidate {
  Set units;
  std::vector<int> removed, maximal;
  Cost leastTime = 0; // over the options
};

/// Transfers into the stage: once per tensor from before it.
Cost enterCost(const CutGraph &graph, const Candidate &candidate);

/// Transfers out of the stage that lies between \p candidate and \p from: once
/// per later stage that consumes a tensor, of which \p label knows.
Cost leaveCost(const CutGraph &graph, const Label &label, const Downset &from,
               const Candidate &candidate);

/// The label after the units between \p to and \p from were put on the last
/// open stage; without load, parent and downset.
Label follow(const CutGraph &graph, const Label &label, const Downset &from,
             const Downset &to);

} // namespace detail
} // namespace takt

#endif // TAKT_LIB_ANALYSIS_STAGECUTSEARCH_H
