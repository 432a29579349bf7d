#include "takt/Analysis/Cluster.h"

#include "gtest/gtest.h"

using namespace takt;

namespace {

constexpr llvm::StringLiteral valid = R"({
  "name": "two", "deviceCount": 2,
  "device": {"name": "d", "memory_bytes": 1e9, "flopsPerSecond": 1e12,
             "bytesPerSecond": 1e11, "launchSeconds": 1e-6},
  "link": {"alphaSeconds": 1e-6, "bytesPerSecond": 1e9}})";

std::string errorOf(const std::string &json) {
  llvm::Expected<proto::Cluster> cluster = parseCluster(json, "c.json");
  return cluster ? "" : llvm::toString(cluster.takeError());
}

std::string replaced(llvm::StringRef from, llvm::StringRef to) {
  std::string text = valid.str();
  size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to.str());
}

TEST(Cluster, ReadsAFile) {
  llvm::Expected<proto::Cluster> cluster = parseCluster(valid, "c.json");
  ASSERT_TRUE(bool(cluster)) << llvm::toString(cluster.takeError());
  EXPECT_EQ(cluster->device_count(), 2);
  EXPECT_EQ(cluster->device().flops_per_second(), 1e12);
  EXPECT_EQ(cluster->link().alpha_seconds(), 1e-6);
}

TEST(Cluster, OneDeviceNeedsNoLink) {
  std::string text = replaced("\"deviceCount\": 2", "\"deviceCount\": 1");
  text.resize(text.find(",\n  \"link\""));
  EXPECT_EQ(errorOf(text + "}"), "");
}

TEST(Cluster, RefusesBadNumbers) {
  EXPECT_EQ(
      errorOf(replaced("1e12", "-1")),
      "c.json: device.flops_per_second is -1.000000; expected a finite number "
      "above 0; correct the cluster file");
  EXPECT_EQ(errorOf(replaced("1e12", "\"NaN\"")),
            "c.json: device.flops_per_second is nan; expected a finite number "
            "above 0; correct the cluster file");
  EXPECT_NE(errorOf(replaced("1e12", "\"Infinity\"")), "");
  EXPECT_NE(errorOf(replaced("1e12", "NaN")), "");
  EXPECT_NE(errorOf(replaced("1e9,", "0,")), "");
  EXPECT_EQ(errorOf(replaced("\"deviceCount\": 2", "\"deviceCount\": 0")),
            "c.json: device_count is 0; expected at least 1; correct the "
            "cluster file");
  EXPECT_NE(
      errorOf(replaced("\"launchSeconds\": 1e-6", "\"launchSeconds\": -1e-6")),
      "");
}

TEST(Cluster, RefusesWhatProtobufLetsPass) {
  EXPECT_EQ(errorOf(replaced("\"deviceCount\": 2",
                             "\"deviceCount\": 2, \"device_count\": 3")),
            "c.json: the key \"device_count\" occurs twice in one object");
  EXPECT_NE(errorOf(replaced("1e9}}", "1e9},}")), "");
  EXPECT_NE(errorOf(replaced("\"name\": \"two\"", "\"nodes\": 3")), "");
  EXPECT_NE(errorOf(""), "");
  EXPECT_NE(errorOf("[]"), "");
  EXPECT_NE(errorOf(std::string(100000, '[')), "");
}

TEST(Cluster, MissingFileIsNamed) {
  llvm::Expected<proto::Cluster> cluster = loadCluster("no/such.json");
  ASSERT_FALSE(bool(cluster));
  EXPECT_EQ(llvm::toString(cluster.takeError()),
            "cannot read cluster file 'no/such.json': No such file or "
            "directory");
}

TEST(CostModel, Formulas) {
  CostModel model(defaultCluster(4));
  EXPECT_EQ(llvm::toString(checkCluster(defaultCluster(4), "default")), "");
  EXPECT_EQ(model.roofline(150e9, 0), 1000001000000); // 1 s + 1 us
  EXPECT_EQ(model.roofline(0, 12e3), 2000000);        // 1 us + 1 us
  EXPECT_EQ(model.send(8000), 3000000);               // 2 us + 1 us
  // 3 * 2 us + 3/4 * 1 us
  EXPECT_EQ(model.allGather(8000, 4), 6750000);
  EXPECT_EQ(model.reduceScatter(8000, 4), 6750000);
  EXPECT_EQ(model.allReduce(8000, 4), 13500000);
  EXPECT_EQ(model.allReduce(8000, 1), 0);
  EXPECT_EQ(model.roofline(1e300, 0), infiniteCost);
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
