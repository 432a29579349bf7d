//===- CollectiveCost.h - what messages between ranks cost ----------------===//
#ifndef TAKT_ANALYSIS_COLLECTIVECOST_H
#define TAKT_ANALYSIS_COLLECTIVECOST_H

#include "takt/Analysis/Cluster.h"

#include "llvm/ADT/SmallVector.h"

namespace takt {

/// One level of the tree that a group of ranks is placed on.
struct GroupLevel {
  /// Parts of the group at this level: ranks in a node, nodes in a rack, …
  int64_t extent = 1;
  Link link;
  /// Groups placed alike that use the level's links of one unit at once, this
  /// one counted.
  int64_t groups = 1;
};

/// Ranks in equal parts, from the inside out: a1 in each of a2 nodes in each of
/// a3 racks, … The parts of level i communicate over the links of levels 1 to
/// i, which leave nodes, racks, …; those of level 0 over the node's own.
struct RankGroup {
  llvm::SmallVector<GroupLevel, 2> levels;

  int64_t size() const { return ranksBelow(levels.size()); }
  /// Ranks of the group in one unit of that level: 1 for level 0.
  int64_t ranksBelow(size_t level) const;
  /// Bytes per second of each message at a level while every rank
  /// (\p everyRank), or only one of each unit, sends at once.
  double rate(size_t level, bool everyRank) const;
};

// Times in seconds of the algorithms that follow, with n ranks, B bytes, and
// per level i: extent a_i, alpha a, rate b, p_i ranks below it. Sources:
// Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication
// Operations in MPICH" (2005) for ring, doubling and pairwise; NCCL's tuning
// table for the steps of its tree. An uneven group is costed as the next even
// one.

/// One ring through all ranks, unit by unit: n-1 steps of B/n bytes at the pace
/// of the slowest link: (n-1) max(a + B/n/b). All-gather (B: the whole result)
/// and reduce-scatter (B: the whole input) alike.
double ringAllGather(const RankGroup &group, double bytes);
/// Level by level: sum over i of (a_i-1) a + (a_i-1)/a_i B/p_i / b, with every
/// rank of a unit in a ring of its own across the units.
double hierarchicalAllGather(const RankGroup &group, double bytes);

/// A reduce-scatter and an all-gather in one ring: 2 (n-1) max(a + B/n/b).
double ringAllReduce(const RankGroup &group, double bytes);
/// Partners at distance 1, 2, 4, … exchange all: sum of log2(a_i) (a + B/b).
/// Infinite where an extent is no power of two.
double doublingAllReduce(const RankGroup &group, double bytes);
/// A chain in each node, a tree across: 2 ((a_0-1) a + sum log2(a_i) a) + 2 B/b
/// for B that streams through in many pieces.
double treeAllReduce(const RankGroup &group, double bytes);
/// Reduce-scatter outwards, all-reduce over the outermost level, all-gather
/// inwards: on B/p_i bytes by ring, the outermost by ring or doubling.
double hierarchicalAllReduce(const RankGroup &group, double bytes);

/// n-1 steps, each with another partner: sum of (a_i-1) p_i (a + B/n/b); B is
/// what one rank holds.
double pairwiseAllToAll(const RankGroup &group, double bytes);
/// Level by level, each on all B: sum of (a_i-1) a + (a_i-1)/a_i B/b.
double hierarchicalAllToAll(const RankGroup &group, double bytes);

/// The least of the above.
double allGatherSeconds(const RankGroup &group, double bytes);
double allReduceSeconds(const RankGroup &group, double bytes);
double allToAllSeconds(const RankGroup &group, double bytes);

} // namespace takt

#endif // TAKT_ANALYSIS_COLLECTIVECOST_H
