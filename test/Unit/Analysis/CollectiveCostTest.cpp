#include "takt/Analysis/CollectiveCost.h"

#include "LinkSimulator.h"

#include "gtest/gtest.h"

#include <set>

using namespace takt;

namespace {

constexpr Link fast = {1e-6, 100e9, 0};

RankGroup inNode(int64_t ranks) {
  RankGroup group;
  group.levels.push_back({ranks, fast, 1});
  return group;
}

/// Eight GPUs per node, `uplinks` of 10 us and 10 GB/s from each node.
RankGroup acrossNodes(int64_t inner, int64_t outer, int64_t uplinks) {
  RankGroup group;
  group.levels.push_back({inner, fast, 8 / inner});
  group.levels.push_back({outer, {10e-6, 10e9, uplinks}, 8 / inner});
  return group;
}

//===----------------------------------------------------------------------===//
// Hand-computed
//===----------------------------------------------------------------------===//

TEST(CollectiveCost, OneNode) {
  RankGroup group = inNode(4);
  EXPECT_DOUBLE_EQ(ringAllGather(group, 4e8), 3 * (1e-6 + 1e-3));
  EXPECT_DOUBLE_EQ(ringAllReduce(group, 4e8), 6 * (1e-6 + 1e-3));
  EXPECT_DOUBLE_EQ(hierarchicalAllGather(group, 4e8), 3 * (1e-6 + 1e-3));
  EXPECT_DOUBLE_EQ(doublingAllReduce(group, 4e8), 2 * (1e-6 + 4e-3));
  EXPECT_DOUBLE_EQ(treeAllReduce(group, 4e8), 2 * (3e-6 + 4e-3));
  EXPECT_DOUBLE_EQ(pairwiseAllToAll(group, 4e8), 3 * (1e-6 + 1e-3));
  EXPECT_EQ(doublingAllReduce(inNode(3), 1),
            std::numeric_limits<double>::infinity());
  for (auto seconds : {allGatherSeconds, allReduceSeconds, allToAllSeconds})
    EXPECT_EQ(seconds(inNode(1), 1e9), 0);
}

TEST(CollectiveCost, TwoNodesWithOneUplink) {
  RankGroup group = acrossNodes(8, 2, 1);
  // 15 steps of 1/16 at the pace of the uplink.
  EXPECT_DOUBLE_EQ(ringAllGather(group, 1.6e8), 15 * (10e-6 + 1e-3));
  // Inside 7/8 B at 100 GB/s; across, the eight ranks share the uplink.
  EXPECT_DOUBLE_EQ(hierarchicalAllGather(group, 1.6e8),
                   7 * (1e-6 + 2e-4) + 10e-6 + 1e7 / (10e9 / 8));
  // The tree takes 7 steps inside and 1 across, up and down.
  EXPECT_DOUBLE_EQ(treeAllReduce(group, 1.6e8),
                   2 * (7e-6 + 10e-6 + 1.6e8 / 10e9));
}

TEST(CollectiveCost, AnUplinkForEachRank) {
  RankGroup group = acrossNodes(8, 2, 8);
  EXPECT_DOUBLE_EQ(hierarchicalAllGather(group, 1.6e8),
                   7 * (1e-6 + 2e-4) + 10e-6 + 1e-3);
  group = acrossNodes(8, 2, 0);
  EXPECT_DOUBLE_EQ(hierarchicalAllGather(group, 1.6e8),
                   7 * (1e-6 + 2e-4) + 10e-6 + 1e-3);
}

TEST(CollectiveCost, LevelByLevel) {
  RankGroup group = acrossNodes(8, 2, 8);
  // Across on an eighth: one exchange of it beats two steps of its half by an
  // alpha.
  EXPECT_DOUBLE_EQ(hierarchicalAllReduce(group, 1.6e8),
                   2 * 7 * (1e-6 + 2e-4) + 10e-6 + 2e-3);
  EXPECT_DOUBLE_EQ(hierarchicalAllToAll(group, 1.6e8),
                   7 * (1e-6 + 2e-4) + 10e-6 + 8e-3);
  // Three nodes: by ring.
  EXPECT_DOUBLE_EQ(hierarchicalAllReduce(acrossNodes(8, 3, 8), 2.4e8),
                   2 * 7 * (1e-6 + 3e-4) + 4 * (10e-6 + 1e-3));
}

TEST(CollectiveCost, GroupsShareTheUplink) {
  // Eight groups of one rank per node on one uplink: each has an eighth.
  EXPECT_DOUBLE_EQ(ringAllGather(acrossNodes(1, 2, 1), 1e7),
                   10e-6 + 5e6 / (10e9 / 8));
}

/// An all-reduce of 1 GB on 2 x 8 H100 with a 400 Gb/s link each ran at 298
/// GB/s of bus bandwidth.
TEST(CollectiveCost, NearAMeasurement) {
  RankGroup group;
  group.levels.push_back({8, {3.4e-6, 450e9 * 0.82, 0}, 1});
  group.levels.push_back({2, {9.6e-6, 50e9, 0}, 1});
  double busBandwidth = 2 * 15. / 16 * 1e9 / allReduceSeconds(group, 1e9);
  EXPECT_NEAR(busBandwidth, 298e9, 0.15 * 298e9);
}

//===----------------------------------------------------------------------===//
// Against simulation
//===----------------------------------------------------------------------===//

/// Groups that fill units of `extents` devices in parts of the group's extents.
struct World {
  RankGroup group;
  std::vector<int64_t> devices; // by level: in a node, nodes in a rack, …

  int64_t groupCount() const { return group.levels[0].groups; }
  std::vector<int64_t> below() const {
    std::vector<int64_t> result = {1};
    for (int64_t count : devices)
      result.push_back(result.back() * count);
    return result;
  }
  /// The device of a rank of group g.
  int64_t place(int64_t g, int64_t rank) const {
    int64_t device = 0, unit = 1;
    for (auto [i, level] : llvm::enumerate(group.levels)) {
      int64_t coordinate = rank % level.extent;
      rank /= level.extent;
      device += unit * (i == 0 ? g * level.extent + coordinate : coordinate);
      unit *= devices[i];
    }
    return device;
  }
  double run(const std::vector<SimulatedMessage> &ofOneGroup) const {
    std::vector<Link> links;
    for (const GroupLevel &level : group.levels)
      links.push_back(level.link);
    std::vector<SimulatedMessage> all;
    for (int64_t g = 0; g < groupCount(); ++g)
      for (const SimulatedMessage &m : ofOneGroup)
        all.push_back({place(g, m.source), place(g, m.target), m.bytes});
    return LinkSimulator(below(), links).run(all);
  }
};

/// What each rank holds: chunks of a gather, or summands.
using Holdings = std::vector<std::set<int64_t>>;

Holdings ownChunks(int64_t ranks) {
  Holdings holdings(ranks);
  for (int64_t rank = 0; rank < ranks; ++rank)
    holdings[rank] = {rank};
  return holdings;
}

void expectAll(const Holdings &holdings) {
  for (const std::set<int64_t> &held : holdings)
    EXPECT_EQ(held.size(), holdings.size());
}

/// Rings of `extent` ranks that are `stride` apart: what a rank got last (first
/// all it has) goes to the next.
double simulateRings(const World &world, Holdings &holdings, int64_t stride,
                     int64_t extent, double chunkBytes) {
  int64_t ranks = holdings.size();
  Holdings last = holdings;
  double seconds = 0;
  for (int64_t step = 1; step < extent; ++step) {
    std::vector<SimulatedMessage> messages;
    Holdings received(ranks);
    for (int64_t rank = 0; rank < ranks; ++rank) {
      int64_t place = rank / stride % extent;
      int64_t next = rank + ((place + 1) % extent - place) * stride;
      messages.push_back({rank, next, chunkBytes * double(last[rank].size())});
      received[next] = last[rank];
      holdings[next].insert(last[rank].begin(), last[rank].end());
    }
    seconds += world.run(messages);
    last = received;
  }
  return seconds;
}

double simulateRing(const World &world, double bytes) {
  int64_t ranks = world.group.size();
  Holdings holdings = ownChunks(ranks);
  double seconds =
      simulateRings(world, holdings, 1, ranks, bytes / double(ranks));
  expectAll(holdings);
  return seconds;
}

/// Across the outermost units first, where the parts are smallest.
double simulateHierarchy(const World &world, double bytes) {
  int64_t ranks = world.group.size(), stride = ranks;
  Holdings holdings = ownChunks(ranks);
  double seconds = 0;
  for (const GroupLevel &level : llvm::reverse(world.group.levels)) {
    stride /= level.extent;
    seconds += simulateRings(world, holdings, stride, level.extent,
                             bytes / double(ranks));
  }
  expectAll(holdings);
  return seconds;
}

double simulateDoubling(const World &world, double bytes) {
  int64_t ranks = world.group.size();
  Holdings holdings = ownChunks(ranks);
  double seconds = 0;
  for (int64_t distance = 1; distance < ranks; distance *= 2) {
    std::vector<SimulatedMessage> messages;
    Holdings before = holdings;
    for (int64_t rank = 0; rank < ranks; ++rank) {
      messages.push_back({rank, rank ^ distance, bytes});
      holdings[rank ^ distance].insert(before[rank].begin(),
                                       before[rank].end());
    }
    seconds += world.run(messages);
  }
  expectAll(holdings);
  return seconds;
}

double simulatePairwise(const World &world, double bytes) {
  int64_t ranks = world.group.size();
  double seconds = 0;
  for (int64_t step = 1; step < ranks; ++step) {
    std::vector<SimulatedMessage> messages;
    for (int64_t rank = 0; rank < ranks; ++rank)
      messages.push_back({rank, rank ^ step, bytes / double(ranks)});
    seconds += world.run(messages);
  }
  return seconds;
}

/// All levels of extents that are powers of two.
std::vector<World> worlds() {
  constexpr Link bus = {1e-6, 4e9, 1}, nvlink = {2e-6, 100e9, 0};
  std::vector<World> result;
  for (Link inner : {bus, nvlink}) {
    result.push_back({{{{4, inner, 1}}}, {4}});
    result.push_back({{{{2, inner, 4}}}, {8}});
    for (int64_t uplinks : {0, 1, 2, 4})
      for (int64_t ranks : {1, 2, 4}) {
        Link uplink = {10e-6, 5e9, uplinks};
        Link road = {20e-6, 4e9, 3};
        result.push_back(
            {{{{ranks, inner, 4 / ranks}, {2, uplink, 4 / ranks}}}, {4, 2}});
        result.push_back({{{{ranks, inner, 4 / ranks},
                            {2, uplink, 4 / ranks},
                            {2, road, 4 / ranks}}},
                          {4, 2, 2}});
      }
  }
  return result;
}

TEST(CollectiveCost, AgreesWithSimulation) {
  constexpr double bytes = 1e6;
  for (auto [i, world] : llvm::enumerate(worlds())) {
    SCOPED_TRACE(i);
    auto expectNear = [](double closed, double simulated) {
      EXPECT_NEAR(closed, simulated, 1e-9 * simulated);
    };
    expectNear(ringAllGather(world.group, bytes), simulateRing(world, bytes));
    expectNear(hierarchicalAllGather(world.group, bytes),
               simulateHierarchy(world, bytes));
    expectNear(doublingAllReduce(world.group, bytes),
               simulateDoubling(world, bytes));
    expectNear(pairwiseAllToAll(world.group, bytes),
               simulatePairwise(world, bytes));
  }
}

} // namespace
