// Medians, threads that fail, and the text of the file.
#include "runtime/calibrate/Measure.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <atomic>

namespace takt::runtime::test {
namespace {

TEST(Calibration, Median) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
}

TEST(Calibration, RunsAtLeastSixTimes) {
  int runs = 0;
  EXPECT_GE(measure(0, [&] { ++runs; }), 0);
  EXPECT_EQ(runs, 6); // one to warm up
}

/// One thread that cannot prepare its work does not leave the others waiting.
TEST(Calibration, AFailureOfOneCoreIsReported) {
  std::atomic<int> threads{0};
  Result<double> seconds = measureOnAllCores(
      {0, 0, 0}, 0.001, [&]() -> Result<std::function<void()>> {
        if (++threads == 2)
          return environmentError("no memory");
        return std::function<void()>([] {});
      });
  ASSERT_FALSE(seconds.ok());
  EXPECT_EQ(seconds.status().getText(), "no memory");
}

TEST(Calibration, FileOfTwoCores) {
  Calibration calibration;
  calibration.processor = "some \"processor\"";
  calibration.cores = 2;
  calibration.memoryBytes = 123456789;
  calibration.launchSeconds = 1.23456e-6;
  calibration.bytesPerSecond = 1e10;
  calibration.contractions = {{1, 2, 3, 1e9}, {4, 5, 6, 3e9}};
  calibration.memory = {{32768, 5e10}};
  calibration.link = {2e-6, 7e9};
  nlohmann::json file = nlohmann::json::parse(clusterFileText(calibration));
  EXPECT_EQ(file["name"], "some \"processor\"");
  EXPECT_EQ(file["nodes"][0]["devices"][0]["count"], 2);
  EXPECT_EQ(file["nodes"][0]["link"]["kind"], file["linkKinds"][0]["name"]);
  const nlohmann::json &core = file["deviceKinds"][0];
  EXPECT_EQ(core["memoryBytes"], 123500000);
  EXPECT_EQ(core["launchSeconds"], 1.235e-6);
  EXPECT_EQ(core["flopsPerSecond"]["f32"], 3e9);
  EXPECT_EQ(core["contraction"][0]["efficiency"], 0.3333);
  EXPECT_EQ(core["contraction"][1]["efficiency"], 1);
  EXPECT_EQ(core["memoryRates"][0]["footprintBytes"], 32768);
}

TEST(Calibration, OneCoreHasNoLink) {
  Calibration calibration;
  calibration.cores = 1;
  calibration.contractions = {{1, 2, 3, 1e9}};
  nlohmann::json file = nlohmann::json::parse(clusterFileText(calibration));
  EXPECT_FALSE(file.contains("linkKinds"));
  EXPECT_FALSE(file["nodes"][0].contains("link"));
}

} // namespace
} // namespace takt::runtime::test
