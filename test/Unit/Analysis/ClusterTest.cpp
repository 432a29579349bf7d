#include "takt/Analysis/Cluster.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace takt;

namespace {

constexpr llvm::StringLiteral valid = R"({
  "name": "two", "nodes": [{"count": 2,
    "devices": [{"kind": "own", "count": 4}, {"kind": "h100-sxm"}],
    "link": {"kind": "wire"},
    "uplink": {"kind": "infiniband-ndr", "sharedLinks": 2}}],
  "deviceKinds": [{
    "name": "own", "memory_bytes": 1e9, "flopsPerSecond": {"f32": 1e12},
    "bytesPerSecond": 1e11, "launchSeconds": 1e-6}],
  "linkKinds": [{"name": "wire", "alphaSeconds": 1e-6, "bytesPerSecond": 1e9,
                 "efficiency": 0.5}]})";

std::string errorOf(const std::string &json) {
  llvm::Expected<Cluster> cluster = parseCluster(json, "c.json");
  return cluster ? "" : llvm::toString(cluster.takeError());
}

/// The valid text with one passage replaced.
std::string replaced(llvm::StringRef from, llvm::StringRef to) {
  std::string text = valid.str();
  size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos) << from.str();
  return text.replace(at, from.size(), to.str());
}

std::string errorAfter(llvm::StringRef from, llvm::StringRef to) {
  return errorOf(replaced(from, to));
}

Cluster parsed(llvm::StringRef json) {
  llvm::Expected<Cluster> cluster = parseCluster(json, "c.json");
  if (cluster)
    return std::move(*cluster);
  ADD_FAILURE() << llvm::toString(cluster.takeError());
  return defaultCluster(1);
}

TEST(Cluster, ReadsAFile) {
  Cluster cluster = parsed(valid);
  EXPECT_EQ(cluster.deviceCount(), 10);
  EXPECT_EQ(cluster.nodeOf(4), 0);
  EXPECT_EQ(cluster.nodeOf(5), 1);
  ASSERT_EQ(cluster.devices.size(), 2u);
  EXPECT_EQ(cluster.devices[0].rate(Precision::F32), 1e12);
  // A dtype without a rate computes at that of f32.
  EXPECT_EQ(cluster.devices[0].rate(Precision::BF16), 1e12);
  EXPECT_EQ(cluster.devices[1].rate(Precision::BF16), 989.5e12);
  ASSERT_EQ(cluster.nodes.size(), 2u);
  EXPECT_EQ(cluster.nodes[1].devices, (std::vector<int>{0, 0, 0, 0, 1}));
  EXPECT_EQ(cluster.nodes[1].link.bytesPerSecond, 0.5e9);
  EXPECT_EQ(cluster.nodes[1].link.sharedLinks, 0);
  EXPECT_EQ(cluster.nodes[1].uplink.bytesPerSecond, 50e9);
  EXPECT_EQ(cluster.nodes[1].uplink.sharedLinks, 2);
}

TEST(Cluster, ShortFileByCatalogueNames) {
  Cluster cluster = parsed(R"({
    "nodes": [{"devices": [{"kind": "h100-sxm", "count": 8}],
               "link": {"kind": "nvlink4"}}]})");
  EXPECT_EQ(cluster.deviceCount(), 8);
  EXPECT_EQ(cluster.devices[0].memoryBytes, 80e9);
  EXPECT_DOUBLE_EQ(cluster.nodes[0].link.bytesPerSecond, 450e9 * 0.82);
}

TEST(Cluster, LevelsAboveNodes) {
  Cluster cluster = parsed(R"({
    "nodes": [{"count": 4, "devices": [{"kind": "l4"}],
               "uplink": {"kind": "ethernet-100g"}}],
    "levels": [{"name": "rack", "count": 2,
                "uplink": {"kind": "ethernet-100g", "sharedLinks": 1}}]})");
  ASSERT_EQ(cluster.levels.size(), 1u);
  EXPECT_EQ(cluster.levels[0].count, 2);
  EXPECT_EQ(cluster.levels[0].uplink.sharedLinks, 1);
}

TEST(Cluster, LikeFillsGaps) {
  Cluster cluster = parsed(R"({
    "nodes": [{"devices": [{"kind": "mine"}]}],
    "deviceKinds": [{"name": "mine", "like": "h100-sxm", "memoryBytes": 7e10,
                     "flopsPerSecond": {"bf16": 8e14}}]})");
  const Device &device = cluster.devices[0];
  EXPECT_EQ(device.kind, "mine");
  EXPECT_EQ(device.memoryBytes, 7e10);
  EXPECT_EQ(device.rate(Precision::BF16), 8e14);
  EXPECT_EQ(device.rate(Precision::F32), 67e12);
  EXPECT_EQ(device.contraction.size(), 1u);
}

TEST(Cluster, RefusesBadNumbers) {
  EXPECT_EQ(errorAfter("1e12", "-1"),
            "c.json: deviceKinds[0].flopsPerSecond.f32 is -1; expected a "
            "finite number above 0");
  EXPECT_EQ(errorAfter("1e12", "\"NaN\""),
            "c.json: deviceKinds[0].flopsPerSecond.f32 is \"NaN\"; expected a "
            "finite number");
  EXPECT_NE(errorAfter("1e12", "\"Infinity\""), "");
  EXPECT_NE(errorAfter("1e12", "NaN"), "");
  EXPECT_EQ(errorAfter("\"memory_bytes\": 1e9", "\"memoryBytes\": 0"),
            "c.json: deviceKinds[0].memoryBytes is 0; expected a finite number "
            "above 0");
  EXPECT_EQ(errorAfter("\"launchSeconds\": 1e-6", "\"launchSeconds\": -1e-6"),
            "c.json: deviceKinds[0].launchSeconds is -1e-06; expected a finite "
            "number of 0 or more");
  EXPECT_EQ(errorAfter("0.5", "1.5"),
            "c.json: linkKinds[0].efficiency is 1.5; expected a finite number "
            "above 0 and up to 1");
  EXPECT_EQ(errorAfter("\"launchSeconds\": 1e-6",
                       "\"launchSeconds\": 1e-6, \"contraction\": [{\"dtype\": "
                       "\"f64\", \"m\": 1, \"n\": 1, \"k\": 1, "
                       "\"efficiency\": 0.5}]"),
            "c.json: deviceKinds[0].contraction[0].dtype is 'f64'; expected "
            "f32, tf32, f16, bf16 or int8");
}

TEST(Cluster, RefusesZeroCounts) {
  EXPECT_EQ(errorAfter("\"count\": 2", "\"count\": 0"),
            "c.json: nodes[0].count is 0; expected 1 to 65536");
  EXPECT_EQ(errorAfter("\"count\": 4", "\"count\": -1"),
            "c.json: nodes[0].devices[0].count is -1; expected 1 to 65536");
  EXPECT_EQ(errorAfter("\"sharedLinks\": 2", "\"sharedLinks\": 0"),
            "c.json: nodes[0].uplink.sharedLinks is 0; expected 1 to 65536");
  EXPECT_EQ(errorAfter("\"count\": 2", "\"count\": 20000"),
            "c.json: nodes[0] makes 100000 devices; expected at most 65536");
}

TEST(Cluster, RefusesWhatIsMissing) {
  EXPECT_EQ(errorOf("{}"),
            "c.json: nodes is missing; a cluster has at least one node");
  EXPECT_EQ(errorOf(R"({"nodes": [{"link": {"kind": "nvlink4"}}]})"),
            "c.json: nodes[0].devices is missing; a node has at least one "
            "device");
  EXPECT_EQ(errorAfter("\"link\": {\"kind\": \"wire\"},", ""),
            "c.json: nodes[0].link is missing; the node's 5 devices need one "
            "between them");
  EXPECT_EQ(errorOf(R"({"nodes": [{"devices": [{"kind": "l4"}]},
                                  {"devices": [{"kind": "t4"}]}]})"),
            "c.json: nodes[0].uplink is missing; a cluster of several nodes "
            "needs one");
  EXPECT_EQ(errorOf(R"({"nodes": [{"devices": [{"count": 1}]}]})"),
            "c.json: nodes[0].devices[0].kind is missing; name a kind of "
            "deviceKinds or of the catalogue (takt cluster --list)");
  EXPECT_EQ(errorAfter(", \"launchSeconds\": 1e-6", ""),
            "c.json: deviceKinds[0].launchSeconds is missing; add it, or name "
            "a kind of the catalogue in `like`");
  EXPECT_EQ(errorAfter("\"name\": \"own\",", ""),
            "c.json: deviceKinds[0].name is missing; nodes refer to a kind by "
            "its name");
  EXPECT_EQ(errorOf(R"({"nodes": [{"devices": [{"kind": "l4"}]}],
                        "levels": [{"count": 2}]})"),
            "c.json: levels[0].uplink is missing; it joins the units of this "
            "level");
}

TEST(Cluster, RefusesUnknownKinds) {
  EXPECT_EQ(errorAfter("\"h100-sxm\"", "\"h1000\""),
            "c.json: nodes[0].devices[1].kind is 'h1000', which neither "
            "deviceKinds nor the catalogue has; see takt cluster --list");
  EXPECT_EQ(errorAfter("\"infiniband-ndr\"", "\"string\""),
            "c.json: nodes[0].uplink.kind is 'string', which neither linkKinds "
            "nor the catalogue has; see takt cluster --list");
  EXPECT_EQ(errorAfter("\"name\": \"wire\"",
                       "\"name\": \"wire\", \"like\": \"rope\""),
            "c.json: linkKinds[0].like is 'rope', which the catalogue does not "
            "have; see takt cluster --list");
  EXPECT_EQ(errorAfter("\"linkKinds\": [", "\"linkKinds\": [{\"name\": "
                                           "\"wire\", \"like\": \"nvlink4\"},"),
            "c.json: linkKinds[1].name is 'wire' like that of linkKinds[0]; "
            "rename one");
}

TEST(Cluster, RefusesWhatProtobufLetsPass) {
  EXPECT_EQ(errorAfter("\"count\": 4", "\"count\": 4, \"count\": 3"),
            "c.json: the key \"count\" occurs twice in nodes[0].devices[0]; "
            "remove one");
  EXPECT_EQ(errorAfter("\"memory_bytes\": 1e9",
                       "\"memoryBytes\": 1e9, \"memory_bytes\": 1e9"),
            "c.json: the key \"memory_bytes\" occurs twice in deviceKinds[0]; "
            "remove one");
  EXPECT_NE(errorAfter("0.5}]", "0.5},]"), "");
  EXPECT_NE(errorOf(""), "");
  EXPECT_NE(errorOf("[]"), "");
  EXPECT_NE(errorOf(std::string(100000, '[')), "");
}

TEST(Cluster, RefusesUnknownFieldsAndTypes) {
  EXPECT_EQ(errorAfter("\"name\": \"two\"", "\"nam\": 3"),
            "c.json: nam is no field of a cluster file; correct or remove it");
  EXPECT_EQ(errorAfter("\"count\": 4", "\"cuont\": 4"),
            "c.json: nodes[0].devices[0].cuont is no field of a cluster file; "
            "correct or remove it");
  EXPECT_EQ(errorAfter("\"count\": 4", "\"count\": \"four\""),
            "c.json: nodes[0].devices[0].count is \"four\"; expected an "
            "integer");
  EXPECT_EQ(errorAfter("\"kind\": \"wire\"", "\"kind\": 3"),
            "c.json: nodes[0].link.kind is 3; expected a string");
  EXPECT_EQ(errorAfter("{\"kind\": \"wire\"}", "\"wire\""),
            "c.json: nodes[0].link is \"wire\"; expected an object");
  EXPECT_EQ(errorAfter("1e12", "\"fast\""),
            "c.json: deviceKinds[0].flopsPerSecond.f32 is \"fast\"; expected a "
            "finite number");
  EXPECT_EQ(errorAfter("\"count\": 4", "\"count\": 2.5"),
            "c.json: nodes[0].devices[0].count is 2.5; expected an integer");
  EXPECT_EQ(errorAfter("\"count\": 4", "\"count\": 4294967298"),
            "c.json: nodes[0].devices[0].count is 4294967298; expected an "
            "integer");
  EXPECT_EQ(errorAfter("{\"kind\": \"h100-sxm\"}", "null"),
            "c.json: nodes[0].devices[1] is null; expected an object");
  EXPECT_EQ(errorOf(R"({"nodes": [{"devices": {"kind": "l4"}}]})"),
            "c.json: nodes[0].devices is {\"kind\":\"l4\"}; expected a list");
  EXPECT_EQ(errorOf("[]"), "c.json: the file is []; expected an object");
  EXPECT_EQ(errorOf(R"({"a\nb": 1})"),
            "c.json: a b is no field of a cluster file; correct or remove it");
}

TEST(Cluster, ExamplesOfTheDocumentation) {
  auto page = llvm::MemoryBuffer::getFile(TAKT_CLUSTER_DOCUMENTATION);
  ASSERT_TRUE(bool(page));
  llvm::SmallVector<llvm::StringRef> parts;
  (*page)->getBuffer().split(parts, "```json\n");
  EXPECT_GE(parts.size(), 5u);
  for (llvm::StringRef part : llvm::drop_begin(parts))
    EXPECT_EQ(errorOf(part.split("```").first.str()), "");
}

TEST(Cluster, MissingFileIsNamed) {
  llvm::Expected<Cluster> cluster = loadCluster("no/such.json");
  ASSERT_FALSE(bool(cluster));
  EXPECT_EQ(llvm::toString(cluster.takeError()),
            "cannot read cluster file 'no/such.json': No such file or "
            "directory");
}

TEST(Cluster, DefaultIsOneNodeOfCores) {
  Cluster cluster = defaultCluster(4);
  EXPECT_EQ(cluster.deviceCount(), 4);
  EXPECT_EQ(cluster.devices[0].rate(Precision::F32), 150e9);
}

TEST(Device, EfficiencyIsExactAtPointsAndBetween) {
  Device device;
  EXPECT_EQ(device.efficiency(Precision::F32, 10, 10, 10), 1);
  device.contraction = {{Precision::F32, 16, 16, 16, 0.25},
                        {Precision::F32, 256, 16, 16, 0.75},
                        {Precision::BF16, 16, 16, 16, 0.5}};
  EXPECT_DOUBLE_EQ(device.efficiency(Precision::F32, 16, 16, 16), 0.25);
  // Half of the way in log m, in log efficiency.
  EXPECT_DOUBLE_EQ(device.efficiency(Precision::F32, 64, 16, 16),
                   std::sqrt(0.25 * 0.75));
  EXPECT_DOUBLE_EQ(device.efficiency(Precision::F32, 4096, 16, 16), 0.75);
  EXPECT_DOUBLE_EQ(device.efficiency(Precision::F32, 1, 16, 16), 0.25);
  // Distances 1 and 3 in log k: weights 1 and 1/9.
  device.contraction.push_back({Precision::F32, 16, 16, 256, 1});
  EXPECT_DOUBLE_EQ(device.efficiency(Precision::F32, 16, 16, 32),
                   std::pow(0.25, 1 / (1 + 1. / 9)));
  EXPECT_EQ(device.efficiency(Precision::BF16, 4096, 1, 7), 0.5);
  EXPECT_EQ(device.efficiency(Precision::Int8, 16, 16, 16), 1);
}

TEST(Device, MemoryRateByFootprint) {
  Device device;
  device.bytesPerSecond = 5;
  EXPECT_EQ(device.memoryRate(100), 5);
  device.memory = {{1000, 10}, {10, 30}};
  EXPECT_EQ(device.memoryRate(1), 30);
  EXPECT_EQ(device.memoryRate(10), 30);
  EXPECT_DOUBLE_EQ(device.memoryRate(100), 20);
  EXPECT_EQ(device.memoryRate(1e6), 10);
}

} // namespace
