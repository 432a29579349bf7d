// Elementwise kernels: exact on integers, tolerances for transcendental ones.
#include "StageRunner.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace takt::test;

static const float inf = std::numeric_limits<float>::infinity();

TEST(Elementwise, AddBias) {
  StageRunner stage(oneDispatch("kernel",
                                {{"x", "tensor<?x4xf32>", "\"n\", \"4\""},
                                 {"b", "tensor<4xf32>", "\"4\""}},
                                {{"y", "tensor<?x4xf32>", "\"n\", \"4\""}},
                                R"mlir(
        %c = takt.broadcast %b dims [1] to <["n", "4"]> : tensor<4xf32> -> tensor<?x4xf32>
        %y = arith.addf %x, %c : tensor<?x4xf32>)mlir"),
                    {{"n", 2}});
  ASSERT_EQ(stage.error(), "");
  stage.set<float>("x", {1, 2, 3, 4, 5, 6, 7, 8});
  stage.set<float>("b", {10, 20, 30, 40});
  ASSERT_EQ(stage.run(), 0);
  EXPECT_EQ(stage.get<float>("y"),
            (std::vector<float>{11, 22, 33, 44, 15, 26, 37, 48}));
}

TEST(Elementwise, NoRows) {
  StageRunner stage(oneDispatch("kernel", {{"x", "tensor<?xf32>", "\"n\""}},
                                {{"y", "tensor<?xf32>", "\"n\""}},
                                "%y = arith.addf %x, %x : tensor<?xf32>"),
                    {{"n", 0}});
  ASSERT_EQ(stage.error(), "");
  ASSERT_EQ(stage.run(), 0);
  EXPECT_TRUE(stage.get<float>("y").empty());
}

TEST(Elementwise, MasksAreBytes) {
  StageRunner stage(
      oneDispatch(
          "kernel",
          {{"m", "tensor<?xi1>", "\"n\""}, {"x", "tensor<?xi64>", "\"n\""}},
          {{"y", "tensor<?xi64>", "\"n\""}, {"q", "tensor<?xi1>", "\"n\""}},
          R"mlir(
        %s = arith.constant dense<3> : tensor<i64>
        %t = takt.broadcast %s dims [] to <["n"]> : tensor<i64> -> tensor<?xi64>
        %p = arith.cmpi sgt, %x, %t : tensor<?xi64>
        %q = arith.andi %p, %m : tensor<?xi1>
        %y = arith.select %m, %x, %t : tensor<?xi1>, tensor<?xi64>)mlir"),
      {{"n", 4}});
  ASSERT_EQ(stage.error(), "");
  stage.set<uint8_t>("m", {1, 0, 1, 0});
  stage.set<int64_t>("x", {1, 2, 5, 7});
  ASSERT_EQ(stage.run(), 0);
  EXPECT_EQ(stage.get<int64_t>("y"), (std::vector<int64_t>{1, 3, 5, 3}));
  EXPECT_EQ(stage.get<uint8_t>("q"), (std::vector<uint8_t>{0, 0, 1, 0}));
}

TEST(Elementwise, DivisionByZeroDoesNotTrap) {
  StageRunner stage(oneDispatch("kernel",
                                {{"x", "tensor<4xi64>", "\"4\""},
                                 {"z", "tensor<4xi64>", "\"4\""}},
                                {{"y", "tensor<4xi64>", "\"4\""}},
                                "%y = arith.divsi %x, %z : tensor<4xi64>"),
                    {});
  ASSERT_EQ(stage.error(), "");
  stage.set<int64_t>("x", {7, std::numeric_limits<int64_t>::min(), 9, -7});
  stage.set<int64_t>("z", {0, -1, 2, 2});
  ASSERT_EQ(stage.run(), 0);
  EXPECT_EQ(stage.get<int64_t>("y")[2], 4);
  EXPECT_EQ(stage.get<int64_t>("y")[3], -3);
}

/// Values of one function of f32 at `points`.
static std::vector<float> evaluate(const std::string &op,
                                   std::vector<float> points) {
  StageRunner stage(oneDispatch("kernel", {{"x", "tensor<?xf32>", "\"n\""}},
                                {{"y", "tensor<?xf32>", "\"n\""}},
                                "%y = " + op + " : tensor<?xf32>"),
                    {{"n", int64_t(points.size())}});
  EXPECT_EQ(stage.error(), "");
  stage.set<float>("x", points);
  EXPECT_EQ(stage.run(), 0);
  return stage.get<float>("y");
}

static std::vector<float> grid(float from, float to, int count) {
  std::vector<float> points;
  for (int i = 0; i <= count; ++i)
    points.push_back(from + (to - from) * i / count);
  return points;
}

TEST(Elementwise, Exp) {
  std::vector<float> points = grid(-103, 88.7f, 20011);
  std::vector<float> values = evaluate("math.exp %x", points);
  for (size_t i = 0; i < points.size(); ++i) {
    double exact = std::exp(double(points[i]));
    double ulp = std::nextafter(float(exact), inf) - float(exact);
    ASSERT_LE(std::fabs(values[i] - exact), 1.1 * ulp) << points[i];
  }
  values = evaluate("math.exp %x", {inf, -inf, NAN, 0, 100, -200});
  EXPECT_EQ(values[0], inf);
  EXPECT_EQ(values[1], 0);
  EXPECT_TRUE(std::isnan(values[2]));
  EXPECT_EQ(values[3], 1);
  EXPECT_EQ(values[4], inf);
  EXPECT_EQ(values[5], 0);
}

// Rotary angles are large: no digit may be lost.
TEST(Elementwise, SineOfLargeAngles) {
  std::vector<float> points = grid(-5000, 5000, 1001);
  std::vector<float> values = evaluate("math.sin %x", points);
  for (size_t i = 0; i < points.size(); ++i)
    ASSERT_NEAR(values[i], std::sin(double(points[i])), 1e-7) << points[i];
}

TEST(Elementwise, DoublesUseTheCLibrary) {
  StageRunner stage(oneDispatch("kernel", {{"x", "tensor<2xf64>", "\"2\""}},
                                {{"y", "tensor<2xf64>", "\"2\""}},
                                "%y = math.exp %x : tensor<2xf64>"),
                    {});
  ASSERT_EQ(stage.error(), "");
  stage.set<double>("x", {1, -2});
  ASSERT_EQ(stage.run(), 0);
  EXPECT_DOUBLE_EQ(stage.get<double>("y")[0], std::exp(1.0));
  EXPECT_DOUBLE_EQ(stage.get<double>("y")[1], std::exp(-2.0));
}

TEST(Elementwise, ErfAndGelu) {
  std::vector<float> points = grid(-6, 6, 20011);
  std::vector<float> values = evaluate("math.erf %x", points);
  for (size_t i = 0; i < points.size(); ++i)
    ASSERT_NEAR(values[i], std::erf(double(points[i])), 4e-7) << points[i];
  values = evaluate("math.erf %x", {inf, -inf, NAN});
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(values[1], -1);
  EXPECT_TRUE(std::isnan(values[2]));

  StageRunner stage(
      oneDispatch("kernel", {{"x", "tensor<?xf32>", "\"n\""}},
                  {{"y", "tensor<?xf32>", "\"n\""}},
                  "%y = takt.gelu %x : tensor<?xf32> -> tensor<?xf32>"),
      {{"n", int64_t(points.size())}});
  ASSERT_EQ(stage.error(), "");
  stage.set<float>("x", points);
  ASSERT_EQ(stage.run(), 0);
  values = stage.get<float>("y");
  for (size_t i = 0; i < points.size(); ++i) {
    double x = points[i], exact = x * 0.5 * (1 + std::erf(x * M_SQRT1_2));
    ASSERT_NEAR(values[i], exact, 2e-6) << x;
  }
}

// Ties go to even, and 1/0.1f may not become a factor.
TEST(Elementwise, QuantiseIsExact) {
  std::vector<float> points;
  for (int i = -2000; i < 2000; ++i)
    points.push_back(float(i) * 0.05f);
  StageRunner stage(
      oneDispatch("kernel",
                  {{"x", "tensor<?xf32>", "\"n\""}, {"s", "tensor<f32>", ""}},
                  {{"y", "tensor<?xi32>", "\"n\""}}, R"mlir(
        %t = takt.broadcast %s dims [] to <["n"]> : tensor<f32> -> tensor<?xf32>
        %d = arith.divf %x, %t : tensor<?xf32>
        %r = math.roundeven %d : tensor<?xf32>
        %y = arith.fptosi %r : tensor<?xf32> to tensor<?xi32>)mlir"),
      {{"n", int64_t(points.size())}});
  ASSERT_EQ(stage.error(), "");
  stage.set<float>("x", points);
  stage.set<float>("s", {0.1f});
  ASSERT_EQ(stage.run(), 0);
  std::vector<int32_t> values = stage.get<int32_t>("y");
  for (size_t i = 0; i < points.size(); ++i)
    ASSERT_EQ(values[i], int32_t(std::nearbyint(points[i] / 0.1f)))
        << points[i];
}

TEST(Elementwise, HalfPrecision) {
  StageRunner stage(oneDispatch("kernel", {{"x", "tensor<?xbf16>", "\"n\""}},
                                {{"y", "tensor<?xbf16>", "\"n\""}},
                                "%y = arith.addf %x, %x : tensor<?xbf16>"),
                    {{"n", 2}});
  ASSERT_EQ(stage.error(), "");
  stage.set<uint16_t>("x", {0x3F80, 0x40A0}); // 1, 5
  ASSERT_EQ(stage.run(), 0);
  EXPECT_EQ(stage.get<uint16_t>("y"), (std::vector<uint16_t>{0x4000, 0x4120}));
}
