#include "takt/Analysis/CostModel.h"

#include "gtest/gtest.h"

using namespace takt;

namespace {

CostModel modelOf(llvm::StringRef json) {
  llvm::Expected<Cluster> cluster = parseCluster(json, "c.json");
  if (cluster)
    return CostModel(std::move(*cluster));
  ADD_FAILURE() << llvm::toString(cluster.takeError());
  return CostModel(defaultCluster(1));
}

/// Two racks of two nodes of four devices. 1 us and 1 GB/s in a node, 10 us and
/// 100 MB/s out of it on two links, 20 us and 50 MB/s out of a rack on one.
constexpr llvm::StringLiteral racks = R"({
  "nodes": [{"count": 4, "devices": [{"kind": "t4", "count": 4}],
             "link": {"kind": "bus"},
             "uplink": {"kind": "cable", "sharedLinks": 2}}],
  "levels": [{"count": 2, "uplink": {"kind": "road", "sharedLinks": 1}}],
  "linkKinds": [
    {"name": "bus", "alphaSeconds": 1e-6, "bytesPerSecond": 1e9},
    {"name": "cable", "alphaSeconds": 1e-5, "bytesPerSecond": 1e8},
    {"name": "road", "alphaSeconds": 2e-5, "bytesPerSecond": 5e7}]})";

TEST(CostModel, Devices) {
  CostModel model(defaultCluster(4));
  EXPECT_EQ(model.roofline(150e9, 0), 1000001000000); // 1 s + 1 us
  EXPECT_EQ(model.roofline(0, 12e3), 2000000);        // 1 us + 1 us
  EXPECT_EQ(model.memoryTime(12e3), 1000000);
  EXPECT_EQ(model.roofline(1e300, 0), infiniteCost);
}

TEST(CostModel, ContractionUsesEfficiency) {
  CostModel model = modelOf(R"({
    "nodes": [{"devices": [{"kind": "h100-sxm"}]}]})");
  // 2 * 1000^3 / (0.8 * 989.5 TFLOP/s) + 5 us; f32 has no measured point.
  EXPECT_EQ(model.contraction({1, 1000, 1000, 1000}, 0, Precision::BF16),
            5000000 + 2526529);
  EXPECT_EQ(model.contraction({1, 1000, 1000, 1000}, 0),
            model.roofline(2e9, 0));
}

TEST(CostModel, MemoryTimeByFootprint) {
  CostModel model = modelOf(R"({
    "nodes": [{"devices": [{"kind": "mine"}]}],
    "deviceKinds": [{"name": "mine", "like": "cpu-core", "memoryRates": [
      {"footprintBytes": 1e4, "bytesPerSecond": 1e11},
      {"footprintBytes": 1e8, "bytesPerSecond": 1e10}]}]})");
  EXPECT_EQ(model.memoryTime(1e4, 1e4), 100000);
  EXPECT_EQ(model.memoryTime(1e4, 1e9), 1000000);
  EXPECT_EQ(model.memoryTime(12e3), 1000000);
}

TEST(CostModel, SlowestOfMixedDevices) {
  CostModel model = modelOf(R"({
    "nodes": [{"devices": [{"kind": "l4"}, {"kind": "t4"}],
               "link": {"kind": "pcie4-x16"}}]})");
  EXPECT_EQ(model.memoryBytes(), 16e9);
  EXPECT_EQ(model.roofline(8.1e12, 0), 1000005000000);
}

TEST(CostModel, WaysInOneNode) {
  CostModel model(defaultCluster(4)); // 2 us, 8 GB/s
  EXPECT_EQ(model.send(8000), 3000000);
  EXPECT_EQ(model.send(8000, 1, 1), 0);
  // 3 * 2 us + 3/4 * 1 us
  EXPECT_EQ(model.allGather(8000, 4), 6750000);
  EXPECT_EQ(model.reduceScatter(8000, 4), 6750000);
  EXPECT_EQ(model.allToAll(8000, 4), 6750000);
  // Doubling: 2 * (2 us + 1 us). A ring is better for much data:
  // 6 * 2 us + 6/4 * 1 ms.
  EXPECT_EQ(model.allReduce(8000, 4), 6000000);
  EXPECT_EQ(model.allReduce(8e6, 4), 1512000000);
  EXPECT_EQ(model.allReduce(8000, 1), 0);
  // More ranks than devices share them.
  EXPECT_EQ(model.allGather(8000, 8), 14875000);
  EXPECT_EQ(CostModel(defaultCluster(1)).send(8000), 3000000);
}

TEST(CostModel, SendByLevel) {
  CostModel model = modelOf(racks);
  EXPECT_EQ(model.send(1e6, 0, 3), 1001000000);
  EXPECT_EQ(model.send(1e6, 0, 4), 10010000000);
  EXPECT_EQ(model.send(1e6, 0, 8), 20020000000);
  EXPECT_EQ(model.send(1e6), 20020000000);
  // Two links carry four messages.
  EXPECT_EQ(model.send(1e6, 0, 4, 4), 20010000000);
}

TEST(CostModel, PlacesGroups) {
  CostModel model = modelOf(racks);
  auto extents = [&](int64_t ways) {
    std::vector<std::pair<int64_t, int64_t>> result; // extent, groups
    for (const GroupLevel &level : model.groupOf(ways).levels)
      result.push_back({level.extent, level.groups});
    return result;
  };
  using List = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(extents(1), (List{{1, 4}, {1, 4}, {1, 8}}));
  EXPECT_EQ(extents(2), (List{{2, 2}, {1, 2}, {1, 4}}));
  EXPECT_EQ(extents(4), (List{{4, 1}, {1, 1}, {1, 2}}));
  EXPECT_EQ(extents(6), (List{{3, 1}, {2, 1}, {1, 1}}));
  EXPECT_EQ(extents(16), (List{{4, 1}, {2, 1}, {2, 1}}));
  // Uneven: as the next even group.
  EXPECT_EQ(extents(7), (List{{4, 1}, {2, 1}, {1, 1}}));
}

TEST(Cost, Saturates) {
  EXPECT_EQ(addCosts(infiniteCost, 0), infiniteCost);
  EXPECT_EQ(addCosts(infiniteCost, infiniteCost), infiniteCost);
  EXPECT_EQ(addCosts(infiniteCost - 1, 2), infiniteCost);
  EXPECT_EQ(addCosts(1, 2), 3);
  EXPECT_EQ(multiplyCost(infiniteCost / 2, 3), infiniteCost);
  EXPECT_EQ(multiplyCost(infiniteCost, 0), 0);
}

} // namespace
