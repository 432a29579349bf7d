//===- StageCutSearch.h - the downsets of a stage cut's graph -------------===//
#ifndef TAKT_LIB_ANALYSIS_STAGECUTSEARCH_H
#define TAKT_LIB_ANALYSIS_STAGECUTSEARCH_H

#include "StageCutGraph.h"

#include "llvm/ADT/Hashing.h"

#include <unordered_map>

namespace takt {
namespace detail {

using Set = std::vector<uint64_t>; // bits of units
inline bool contains(const Set &set, int unit) {
  return set[unit / 64] >> (unit % 64) & 1;
}
inline void insert(Set &set, int unit) {
  set[unit / 64] |= uint64_t(1) << (unit % 64);
}

struct SetHash {
  size_t operator()(const Set &set) const {
    return llvm::hash_combine_range(set.begin(), set.end());
  }
};

/// What the units of a downset take together on a stage of one option.
struct Totals {
  Cost time = 0;
  int64_t memory = 0;
  int forbidden = 0; // units of infinite time
};

struct Downset {
  Set units;
  int size = 0;               // units
  std::vector<Totals> totals; // by option
  Cost rest = 0;              // least time of the units that are not in it
  /// The downsets with one unit more, if `isGrown`.
  struct Step {
    int unit, downset;
  };
  std::vector<Step> above;
  bool isGrown = false;
  /// Of the best partial cut up to here, by StageStates' states; empty before
  /// there is one.
  std::vector<Cost> loads;
  std::vector<std::pair<int, int>> parents; // downset, state
};

/// Downsets are made as the search comes upon them; each has a greater number
/// of units than those it was grown from.
class Downsets {
public:
  explicit Downsets(const CutGraph &graph);

  int empty() const { return 0; }
  Downset &operator[](int id) { return all[id]; }
  int64_t size() const { return int64_t(all.size()); }
  /// Fills in `above`.
  void grow(int id);
  /// Those of `units` units; grows while the search goes on.
  const std::vector<int> &ofSize(int units) const { return bySize[units]; }

private:
  int intern(const Downset &from, int unit);

  const CutGraph &graph;
  std::vector<Downset> all;
  std::vector<std::vector<int>> bySize;
  std::unordered_map<Set, int, SetHash> ids;
};

} // namespace detail
} // namespace takt

#endif // TAKT_LIB_ANALYSIS_STAGECUTSEARCH_H
