// oneDNN's pooling and the plain loops agree with a direct definition.
#include "runtime/device/Pool.h"

#include <cmath>
#include <gtest/gtest.h>

namespace takt::runtime {
namespace {

struct Case {
  PoolKind kind;
  std::vector<int64_t> input, output, kernel, strides, begin, end;
};

/// Element by element, with padding tested for each position.
float define(const Case &c, const std::vector<float> &input, int64_t plane,
             int64_t y, int64_t x) {
  double sum = 0, most = -INFINITY;
  int inside = 0, padded = 0;
  for (int64_t i = 0; i < c.kernel[0]; ++i)
    for (int64_t j = 0; j < c.kernel[1]; ++j) {
      int64_t row = y * c.strides[0] - c.begin[0] + i;
      int64_t column = x * c.strides[1] - c.begin[1] + j;
      if (row < c.input[2] + c.end[0] && column < c.input[3] + c.end[1])
        ++padded;
      if (row < 0 || row >= c.input[2] || column < 0 || column >= c.input[3])
        continue;
      double value =
          input[size_t((plane * c.input[2] + row) * c.input[3] + column)];
      sum += value;
      most = std::max(most, value);
      ++inside;
    }
  if (c.kind == PoolKind::Max)
    return float(most);
  return float(sum / (c.kind == PoolKind::Average ? inside : padded));
}

TEST(Pool, AgreesWithItsDefinition) {
  const Case cases[] = {{PoolKind::Max,
                         {2, 3, 8, 8},
                         {2, 3, 4, 4},
                         {2, 2},
                         {2, 2},
                         {0, 0},
                         {0, 0}},
                        {PoolKind::Max,
                         {1, 16, 7, 9},
                         {1, 16, 7, 9},
                         {3, 3},
                         {1, 1},
                         {1, 1},
                         {1, 1}},
                        {PoolKind::Average,
                         {1, 5, 7, 9},
                         {1, 5, 4, 5},
                         {3, 3},
                         {2, 2},
                         {1, 1},
                         {1, 1}},
                        {PoolKind::AverageIncludePad,
                         {1, 5, 7, 9},
                         {1, 5, 4, 5},
                         {3, 3},
                         {2, 2},
                         {1, 1},
                         {1, 1}},
                        // ceil_mode: the last window goes beyond the padding.
                        {PoolKind::Max,
                         {1, 2, 8, 8},
                         {1, 2, 4, 4},
                         {3, 3},
                         {2, 2},
                         {0, 0},
                         {0, 0}},
                        {PoolKind::AverageIncludePad,
                         {1, 2, 8, 8},
                         {1, 2, 5, 5},
                         {3, 3},
                         {2, 2},
                         {1, 1},
                         {1, 1}},
                        {PoolKind::Average,
                         {1, 2, 8, 8},
                         {1, 2, 5, 5},
                         {3, 3},
                         {2, 2},
                         {1, 1},
                         {1, 1}},
                        // The whole plane.
                        {PoolKind::Average,
                         {2, 4, 7, 7},
                         {2, 4, 1, 1},
                         {7, 7},
                         {1, 1},
                         {0, 0},
                         {0, 0}}};
  DeviceContext context;
  for (const Case &c : cases) {
    OperationSpec operation;
    operation.pool = {c.kind,   0,         1,       {0, 1, 2, 3}, {4, 5, 6, 7},
                      c.kernel, c.strides, c.begin, c.end};
    std::vector<int64_t> values = c.input;
    values.insert(values.end(), c.output.begin(), c.output.end());
    Result<std::unique_ptr<PreparedCall>> call =
        preparePool(operation, values, context);
    ASSERT_TRUE(call.ok()) << call.status().getText();
    ASSERT_TRUE(
        context.scratchpad.reserve((*call)->getScratchpadBytes(), "scratch")
            .ok());
    std::vector<float> input(
        size_t(c.input[0] * c.input[1] * c.input[2] * c.input[3]));
    for (size_t i = 0; i < input.size(); ++i)
      input[i] = float(int(i * 37 % 101) - 50);
    std::vector<float> output(
        size_t(c.output[0] * c.output[1] * c.output[2] * c.output[3]), NAN);
    void *buffers[] = {input.data(), output.data()};
    ASSERT_TRUE((*call)->run(buffers, context).ok());
    size_t i = 0;
    for (int64_t plane = 0; plane < c.output[0] * c.output[1]; ++plane)
      for (int64_t y = 0; y < c.output[2]; ++y)
        for (int64_t x = 0; x < c.output[3]; ++x, ++i)
          ASSERT_NEAR(output[i], define(c, input, plane, y, x), 1e-4)
              << "case " << &c - cases << " at " << plane << " " << y << " "
              << x;
  }
}

TEST(Pool, RunsOnEmptyBatches) {
  OperationSpec operation;
  operation.pool = {PoolKind::Max, 0,      1,      {0, 1, 2, 3}, {0, 1, 4, 4},
                    {2, 2},        {2, 2}, {0, 0}, {0, 0}};
  DeviceContext context;
  Result<std::unique_ptr<PreparedCall>> call =
      preparePool(operation, {0, 3, 4, 4, 2}, context);
  ASSERT_TRUE(call.ok());
  void *buffers[] = {nullptr, nullptr};
  EXPECT_TRUE((*call)->run(buffers, context).ok());
}

} // namespace
} // namespace takt::runtime
