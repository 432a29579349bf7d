//===- CollectiveCost.cpp - what messages between ranks cost --------------===//
#include "takt/Analysis/CollectiveCost.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace takt;

int64_t RankGroup::ranksBelow(size_t level) const {
  int64_t ranks = 1;
  for (const GroupLevel &inner :
       llvm::ArrayRef<GroupLevel>(levels).take_front(level))
    ranks *= inner.extent;
  return ranks;
}

double RankGroup::rate(size_t level, bool everyRank) const {
  if (level == 0) {
    // All messages inside a node share its links, whoever sends them. A ring
    // that leaves the node has one edge less in it.
    int64_t edges = levels[0].extent;
    if (!everyRank && size() > edges)
      --edges;
    return levels[0].link.share(edges * levels[0].groups);
  }
  double rate = std::numeric_limits<double>::infinity();
  for (size_t i = 1; i <= level; ++i) {
    int64_t messages = everyRank ? ranksBelow(i) : 1;
    rate = std::min(rate, levels[i].link.share(messages * levels[i].groups));
  }
  return rate;
}

/// A step in which all links of the ring are in use.
static double ringStep(const RankGroup &group, double bytes) {
  double seconds = 0;
  for (auto [i, level] : llvm::enumerate(group.levels))
    if (level.extent > 1)
      seconds =
          std::max(seconds, level.link.alphaSeconds +
                                bytes / group.rate(i, /*everyRank=*/false));
  return seconds;
}

double takt::ringAllGather(const RankGroup &group, double bytes) {
  int64_t ranks = group.size();
  if (ranks <= 1)
    return 0;
  return double(ranks - 1) * ringStep(group, bytes / double(ranks));
}

double takt::ringAllReduce(const RankGroup &group, double bytes) {
  return 2 * ringAllGather(group, bytes);
}

/// An all-gather over the parts of one level, of bytes / ranks below it.
static double levelAllGather(const RankGroup &group, size_t i, double bytes) {
  const GroupLevel &level = group.levels[i];
  double parts = double(level.extent);
  double share = bytes / double(group.ranksBelow(i));
  return (parts - 1) * (level.link.alphaSeconds +
                        share / parts / group.rate(i, /*everyRank=*/true));
}

double takt::hierarchicalAllGather(const RankGroup &group, double bytes) {
  double seconds = 0;
  for (size_t i = 0; i < group.levels.size(); ++i)
    if (group.levels[i].extent > 1)
      seconds += levelAllGather(group, i, bytes);
  return seconds;
}

/// The exchanges of one level in recursive doubling.
static double levelDoubling(const RankGroup &group, size_t i, double bytes) {
  const GroupLevel &level = group.levels[i];
  if (!llvm::isPowerOf2_64(uint64_t(level.extent)))
    return std::numeric_limits<double>::infinity();
  return llvm::Log2_64(uint64_t(level.extent)) *
         (level.link.alphaSeconds + bytes / group.rate(i, /*everyRank=*/true));
}

double takt::doublingAllReduce(const RankGroup &group, double bytes) {
  double seconds = 0;
  for (size_t i = 0; i < group.levels.size(); ++i)
    if (group.levels[i].extent > 1)
      seconds += levelDoubling(group, i, bytes);
  return seconds;
}

double takt::treeAllReduce(const RankGroup &group, double bytes) {
  double steps = 0, rate = std::numeric_limits<double>::infinity();
  for (auto [i, level] : llvm::enumerate(group.levels)) {
    if (level.extent <= 1)
      continue;
    double depth = i == 0 ? double(level.extent - 1)
                          : double(llvm::Log2_64_Ceil(uint64_t(level.extent)));
    steps += depth * level.link.alphaSeconds;
    rate = std::min(rate, group.rate(i, /*everyRank=*/false));
  }
  return 2 * (steps + bytes / rate);
}

double takt::hierarchicalAllReduce(const RankGroup &group, double bytes) {
  size_t outermost = group.levels.size();
  while (outermost > 0 && group.levels[outermost - 1].extent <= 1)
    --outermost;
  double seconds = 0;
  for (size_t i = 0; i < outermost; ++i) {
    if (group.levels[i].extent <= 1)
      continue;
    double pair = 2 * levelAllGather(group, i, bytes);
    if (i + 1 == outermost)
      pair = std::min(
          pair, levelDoubling(group, i, bytes / double(group.ranksBelow(i))));
    seconds += pair;
  }
  return seconds;
}

double takt::pairwiseAllToAll(const RankGroup &group, double bytes) {
  double seconds = 0, part = bytes / double(group.size());
  for (auto [i, level] : llvm::enumerate(group.levels)) {
    double partners = double((level.extent - 1) * group.ranksBelow(i));
    if (partners > 0)
      seconds += partners * (level.link.alphaSeconds +
                             part / group.rate(i, /*everyRank=*/true));
  }
  return seconds;
}

double takt::hierarchicalAllToAll(const RankGroup &group, double bytes) {
  double seconds = 0;
  for (auto [i, level] : llvm::enumerate(group.levels)) {
    if (level.extent <= 1)
      continue;
    double parts = double(level.extent);
    seconds += (parts - 1) *
               (level.link.alphaSeconds + bytes / parts / group.rate(i, true));
  }
  return seconds;
}

double takt::allGatherSeconds(const RankGroup &group, double bytes) {
  return std::min(ringAllGather(group, bytes),
                  hierarchicalAllGather(group, bytes));
}

double takt::allReduceSeconds(const RankGroup &group, double bytes) {
  return std::min({ringAllReduce(group, bytes), doublingAllReduce(group, bytes),
                   treeAllReduce(group, bytes),
                   hierarchicalAllReduce(group, bytes)});
}

double takt::allToAllSeconds(const RankGroup &group, double bytes) {
  return std::min(pairwiseAllToAll(group, bytes),
                  hierarchicalAllToAll(group, bytes));
}
