// Kernels with reductions along rows.
#include "StageRunner.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace takt::test;

static const float inf = std::numeric_limits<float>::infinity();

static std::vector<float> wave(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = 3 * std::sin(0.37f * i);
  return values;
}

// Scores plus mask, a row of unknown length.
static const char maskedSoftmax[] = R"mlir(
  %c = arith.constant dense<0.5> : tensor<f32>
  %s = takt.broadcast %c dims [] to <["h", "s", "t"]> : tensor<f32> -> tensor<?x?x?xf32>
  %p = arith.mulf %x, %s : tensor<?x?x?xf32>
  %b = takt.broadcast %m dims [1, 2] to <["h", "s", "t"]> : tensor<1x?xf32> -> tensor<?x?x?xf32>
  %a = arith.addf %p, %b : tensor<?x?x?xf32>
  %y = takt.softmax %a axis 2 : tensor<?x?x?xf32> -> tensor<?x?x?xf32>)mlir";

static void checkSoftmax(const std::string &extra, const char *output) {
  int64_t rows = 6, length = 37;
  std::vector<Port> outputs{
      {output, "tensor<?x?x?xf32>", "\"h\", \"s\", \"t\""}};
  StageRunner stage(
      oneDispatch("kernel",
                  {{"x", "tensor<?x?x?xf32>", "\"h\", \"s\", \"t\""},
                   {"m", "tensor<1x?xf32>", "\"1\", \"t\""}},
                  outputs, maskedSoftmax + extra),
      {{"h", 2}, {"s", 3}, {"t", length}});
  ASSERT_EQ(stage.error(), "");
  std::vector<float> x = wave(rows * length), mask(length, 0);
  mask[3] = -inf;
  for (int64_t i = 0; i < length; ++i)
    x[2 * length + i] = -inf;
  stage.set<float>("x", x);
  stage.set<float>("m", mask);
  ASSERT_EQ(stage.run(), 0);
  std::vector<float> y = stage.get<float>(output);
  for (int64_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (int64_t i = 0; i < length; ++i)
      sum += std::exp(x[r * length + i] * 0.5 + mask[i]);
    for (int64_t i = 0; i < length; ++i) {
      float value = y[r * length + i];
      if (r == 2)
        ASSERT_TRUE(std::isnan(value));
      else if (i == 3)
        ASSERT_EQ(value, 0); // masked
      else
        ASSERT_NEAR(value, std::exp(x[r * length + i] * 0.5 + mask[i]) / sum,
                    1e-6);
    }
  }
}

TEST(RowKernel, SoftmaxOfUnknownLength) { checkSoftmax("", "y"); }

// The softmax is not the result itself, so that its row needs scratch memory.
TEST(RowKernel, SoftmaxWithScratch) {
  checkSoftmax("\n%n = arith.negf %y : tensor<?x?x?xf32>"
               "\n%z = arith.negf %n : tensor<?x?x?xf32>",
               "z");
}

TEST(RowKernel, SoftmaxAlongTheFirstDimension) {
  StageRunner stage(
      oneDispatch("kernel", {{"x", "tensor<?x3xf32>", "\"n\", \"3\""}},
                  {{"y", "tensor<?x3xf32>", "\"n\", \"3\""}},
                  "%d = arith.addf %x, %x : tensor<?x3xf32>\n"
                  "%y = takt.softmax %d axis 0 : tensor<?x3xf32> -> "
                  "tensor<?x3xf32>"),
      {{"n", 2}});
  ASSERT_EQ(stage.error(), "");
  stage.set<float>("x", {0, 1, 2, 0, 1, 2});
  ASSERT_EQ(stage.run(), 0);
  for (float value : stage.get<float>("y"))
    EXPECT_FLOAT_EQ(value, 0.5f);
}

TEST(RowKernel, LayerNormAndResidual) {
  constexpr int64_t rows = 5, width = 48;
  StageRunner stage(oneDispatch("kernel",
                                {{"x", "tensor<?x48xf32>", "\"n\", \"48\""},
                                 {"r", "tensor<?x48xf32>", "\"n\", \"48\""},
                                 {"g", "tensor<48xf32>", "\"48\""},
                                 {"b", "tensor<48xf32>", "\"48\""}},
                                {{"y", "tensor<?x48xf32>", "\"n\", \"48\""},
                                 {"t", "tensor<?x48xf32>", "\"n\", \"48\""}},
                                R"mlir(
        %t = arith.addf %x, %r : tensor<?x48xf32>
        %y = takt.layer_norm %t scale %g bias %b epsilon 1.0e-5 : tensor<?x48xf32>, tensor<48xf32>, tensor<48xf32> -> tensor<?x48xf32>)mlir"),
                    {{"n", rows}});
  ASSERT_EQ(stage.error(), "");
  std::vector<float> x = wave(rows * width), r(rows * width, 1);
  std::vector<float> g(width, 2), b(width, -1);
  stage.set<float>("x", x);
  stage.set<float>("r", r);
  stage.set<float>("g", g);
  stage.set<float>("b", b);
  ASSERT_EQ(stage.run(), 0);
  std::vector<float> y = stage.get<float>("y"), t = stage.get<float>("t");
  for (int64_t i = 0; i < rows; ++i) {
    double mean = 0, variance = 0;
    for (int64_t j = 0; j < width; ++j)
      mean += (x[i * width + j] + 1.0) / width;
    for (int64_t j = 0; j < width; ++j)
      variance += std::pow(x[i * width + j] + 1.0 - mean, 2) / width;
    for (int64_t j = 0; j < width; ++j) {
      ASSERT_EQ(t[i * width + j], x[i * width + j] + 1);
      double exact = (t[i * width + j] - mean) / std::sqrt(variance + 1e-5);
      ASSERT_NEAR(y[i * width + j], exact * 2 - 1, 1e-5);
    }
  }
}

TEST(RowKernel, Reductions) {
  StageRunner stage(
      oneDispatch("kernel", {{"x", "tensor<2x?x3xf32>", "\"2\", \"n\", \"3\""}},
                  {{"a", "tensor<2x3xf32>", "\"2\", \"3\""},
                   {"b", "tensor<2x?xf32>", "\"2\", \"n\""},
                   {"c", "tensor<f32>", ""}},
                  R"mlir(
        %a = takt.reduce "sum" %x axes [1] : tensor<2x?x3xf32> -> tensor<2x3xf32>
        %b = takt.reduce "max" %x axes [2] : tensor<2x?x3xf32> -> tensor<2x?xf32>
        %c = takt.reduce "sum" %x axes [0, 1, 2] : tensor<2x?x3xf32> -> tensor<f32>)mlir"),
      {{"n", 2}});
  ASSERT_EQ(stage.error(), "");
  stage.set<float>("x", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  ASSERT_EQ(stage.run(), 0);
  EXPECT_EQ(stage.get<float>("a"), (std::vector<float>{5, 7, 9, 17, 19, 21}));
  EXPECT_EQ(stage.get<float>("b"), (std::vector<float>{3, 6, 9, 12}));
  EXPECT_EQ(stage.get<float>("c"), (std::vector<float>{78}));
}

TEST(RowKernel, ReductionsOfNothing) {
  StageRunner stage(oneDispatch("kernel",
                                {{"x", "tensor<2x?xf32>", "\"2\", \"n\""}},
                                {{"a", "tensor<2xf32>", "\"2\""},
                                 {"b", "tensor<2xf32>", "\"2\""}},
                                R"mlir(
        %a = takt.reduce "max" %x axes [1] : tensor<2x?xf32> -> tensor<2xf32>
        %b = takt.reduce "prod" %x axes [1] : tensor<2x?xf32> -> tensor<2xf32>)mlir"),
                    {{"n", 0}});
  ASSERT_EQ(stage.error(), "");
  ASSERT_EQ(stage.run(), 0);
  EXPECT_EQ(stage.get<float>("a"), (std::vector<float>{-inf, -inf}));
  EXPECT_EQ(stage.get<float>("b"), (std::vector<float>{1, 1}));
}

TEST(RowKernel, MaxKeepsNaN) {
  StageRunner stage(
      oneDispatch("kernel", {{"x", "tensor<2x40xf32>", "\"2\", \"40\""}},
                  {{"y", "tensor<2xf32>", "\"2\""}},
                  "%y = takt.reduce \"max\" %x axes [1] : tensor<2x40xf32> -> "
                  "tensor<2xf32>"),
      {});
  ASSERT_EQ(stage.error(), "");
  std::vector<float> x(80, 1);
  x[17] = NAN;
  stage.set<float>("x", x);
  ASSERT_EQ(stage.run(), 0);
  EXPECT_TRUE(std::isnan(stage.get<float>("y")[0]));
  EXPECT_EQ(stage.get<float>("y")[1], 1);
}

// Mean over tokens with a mask, then a norm: reductions along different axes,
// whose temporaries are larger than a row.
TEST(RowKernel, DependentReductions) {
  StageRunner stage(
      oneDispatch("kernel",
                  {{"x", "tensor<?x?x4xf32>", "\"b\", \"s\", \"4\""},
                   {"m", "tensor<?x?xi64>", "\"b\", \"s\""}},
                  {{"y", "tensor<?x4xf32>", "\"b\", \"4\""}},
                  R"mlir(
        %f = arith.sitofp %m : tensor<?x?xi64> to tensor<?x?xf32>
        %w = takt.broadcast %f dims [0, 1] to <["b", "s", "4"]> : tensor<?x?xf32> -> tensor<?x?x4xf32>
        %p = arith.mulf %x, %w : tensor<?x?x4xf32>
        %s = takt.reduce "sum" %p axes [1] : tensor<?x?x4xf32> -> tensor<?x4xf32>
        %n = takt.reduce "sum" %f axes [1] : tensor<?x?xf32> -> tensor<?xf32>
        %c = takt.broadcast %n dims [0] to <["b", "4"]> : tensor<?xf32> -> tensor<?x4xf32>
        %mean = arith.divf %s, %c : tensor<?x4xf32>
        %q = arith.mulf %mean, %mean : tensor<?x4xf32>
        %l = takt.reduce "sum" %q axes [1] : tensor<?x4xf32> -> tensor<?xf32>
        %r = math.sqrt %l : tensor<?xf32>
        %d = takt.broadcast %r dims [0] to <["b", "4"]> : tensor<?xf32> -> tensor<?x4xf32>
        %y = arith.divf %mean, %d : tensor<?x4xf32>)mlir"),
      {{"b", 2}, {"s", 3}});
  ASSERT_EQ(stage.error(), "");
  std::vector<float> x;
  for (int i = 0; i < 6; ++i)
    x.insert(x.end(), {3, 0, 4, 0});
  x[8] = 1000; // masked
  stage.set<float>("x", x);
  stage.set<int64_t>("m", {1, 1, 0, 1, 1, 1});
  ASSERT_EQ(stage.run(), 0);
  std::vector<float> y = stage.get<float>("y");
  for (int b = 0; b < 2; ++b) {
    EXPECT_NEAR(y[4 * b], 0.6, 1e-6);
    EXPECT_NEAR(y[4 * b + 2], 0.8, 1e-6);
  }
}

// A row reads another row of a reduction's result: rows can't be fused.
TEST(RowKernel, ReductionReadAcrossRows) {
  StageRunner stage(oneDispatch("kernel",
                                {{"x", "tensor<3x3xf32>", "\"3\", \"3\""}},
                                {{"y", "tensor<3x3xf32>", "\"3\", \"3\""},
                                 {"s", "tensor<3xf32>", "\"3\""}},
                                R"mlir(
        %s = takt.reduce "sum" %x axes [1] : tensor<3x3xf32> -> tensor<3xf32>
        %y = takt.broadcast %s dims [1] to <["3", "3"]> : tensor<3xf32> -> tensor<3x3xf32>)mlir"),
                    {});
  ASSERT_EQ(stage.error(), "");
  stage.set<float>("x", {1, 0, 0, 2, 0, 0, 3, 0, 0});
  ASSERT_EQ(stage.run(), 0);
  EXPECT_EQ(stage.get<float>("y"),
            (std::vector<float>{1, 2, 3, 1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(stage.get<float>("s"), (std::vector<float>{1, 2, 3}));
}
