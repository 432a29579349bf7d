// oneDNN's pooling agrees with a direct definition, channels last.
#include "runtime/device/Pool.h"
#include "test/Unit/Runtime/Windows.h"

#include <cmath>
#include <gtest/gtest.h>

namespace takt::runtime {
namespace {

using test::WindowCase;

float define(PoolKind kind, const WindowCase &c,
             const std::vector<float> &input, int64_t n,
             const std::vector<int64_t> &out, int64_t channel) {
  double sum = 0, most = -INFINITY;
  int inside = 0, taps = 0;
  c.forEachTap(out, [&](int64_t position, int64_t) {
    ++taps;
    if (position < 0)
      return;
    double value = input[size_t(c.element(n, position, channel))];
    sum += value;
    most = std::max(most, value);
    ++inside;
  });
  if (kind == PoolKind::Max)
    return float(most);
  return float(sum / (kind == PoolKind::Average ? inside : taps));
}

std::vector<float> run(PoolKind kind, const WindowCase &c,
                       std::vector<float> input) {
  DeviceContext context;
  OperationSpec operation;
  operation.kind = OperationKind::Pool;
  std::vector<int64_t> values = c.describe(operation.pool, c.channels);
  operation.pool.kind = kind;
  operation.pool.output = 1;
  Result<std::unique_ptr<PreparedCall>> call =
      preparePool(operation, values, context);
  EXPECT_TRUE(call.ok()) << call.status().getText();
  if (!call.ok())
    return {};
  EXPECT_TRUE(
      context.scratchpad.reserve((*call)->getScratchpadBytes(), "scratch")
          .ok());
  std::vector<float> output(size_t(c.outputElements(c.channels)), 0.5f);
  void *buffers[] = {input.data(), output.data()};
  EXPECT_TRUE((*call)->run(buffers, context).ok());
  return output;
}

void check(PoolKind kind, const WindowCase &c) {
  std::vector<float> input = test::numbers(c.inputElements());
  std::vector<float> output = run(kind, c, input);
  ASSERT_EQ(int64_t(output.size()), c.outputElements(c.channels));
  size_t i = 0;
  c.forEachOutput([&](int64_t n, const std::vector<int64_t> &out) {
    for (int64_t channel = 0; channel < c.channels; ++channel, ++i)
      ASSERT_NEAR(output[i], define(kind, c, input, n, out, channel), 1e-4)
          << "element " << i;
  });
}

TEST(Pool, AgreesWithItsDefinition) {
  const WindowCase cases[] = {
      {2, {8, 8}, 3, {2, 2}, {2, 2}, {1, 1}, {0, 0}, {0, 0}},
      {1, {7, 9}, 16, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {1, {7, 9}, 5, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
      {3, {11}, 4, {3}, {2}, {1}, {1}, {0}},
      {1, {5, 6, 7}, 2, {2, 3, 2}, {1, 2, 2}, {1, 1, 1}, {0, 1, 0}, {1, 1, 1}},
      {2, {7, 7}, 4, {7, 7}, {1, 1}, {1, 1}, {0, 0}, {0, 0}}};
  for (const WindowCase &c : cases)
    for (PoolKind kind :
         {PoolKind::Max, PoolKind::Average, PoolKind::AverageIncludePad})
      check(kind, c);
}

/// Runs a pool of windows of `kernel` elements over one channel.
std::vector<float> poolRow(PoolKind kind, std::vector<float> input,
                           int64_t kernel, int64_t pad, int64_t channels = 1) {
  WindowCase c = {1,        {int64_t(input.size()) / channels},
                  channels, {kernel},
                  {1},      {1},
                  {pad},    {pad}};
  return run(kind, c, input);
}

// In vector code and in its remainder alike.
TEST(Pool, MaximumPassesNaNOver) {
  for (int64_t channels : {1, 5, 16, 19})
    for (int64_t at = 0; at < 3; ++at) {
      std::vector<float> input(size_t(3 * channels), -1.0f);
      for (int64_t channel = 0; channel < channels; ++channel)
        input[size_t(at * channels + channel)] = NAN;
      for (float value : poolRow(PoolKind::Max, input, 3, 0, channels))
        EXPECT_EQ(value, -1) << channels << " channels, at " << at;
      std::vector<float> nothing(size_t(3 * channels), NAN);
      for (float value : poolRow(PoolKind::Max, nothing, 3, 0, channels))
        EXPECT_EQ(value, -INFINITY) << channels << " channels";
    }
}

TEST(Pool, MaximumOfInfinitiesIsExact) {
  for (int64_t channels : {1, 5, 16, 19}) {
    std::vector<float> low(size_t(4 * channels), -INFINITY);
    for (float value : poolRow(PoolKind::Max, low, 3, 1, channels))
      EXPECT_EQ(value, -INFINITY) << channels << " channels";
    low[0] = -3e38f;
    EXPECT_EQ(poolRow(PoolKind::Max, low, 3, 1, channels)[0], -3e38f);
  }
}

TEST(Pool, RunsOnEmptyBatches) {
  WindowCase c = {0, {4, 4}, 3, {2, 2}, {2, 2}, {1, 1}, {0, 0}, {0, 0}};
  check(PoolKind::Max, c);
}

} // namespace
} // namespace takt::runtime
