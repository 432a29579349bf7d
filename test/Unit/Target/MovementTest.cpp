// Kernels that move elements: all values are exact.
#include "StageRunner.h"

#include "gtest/gtest.h"

#include <numeric>

using namespace takt::test;
using Ints = std::vector<int32_t>;

static Ints iota(size_t count, int32_t start = 0) {
  Ints values(count);
  std::iota(values.begin(), values.end(), start);
  return values;
}

TEST(Movement, Transpose) {
  StageRunner stage(
      oneDispatch("kernel", {{"x", "tensor<2x?x3xi32>", "\"2\", \"n\", \"3\""}},
                  {{"y", "tensor<3x2x?xi32>", "\"3\", \"2\", \"n\""}},
                  "%y = takt.transpose %x [2, 0, 1] : tensor<2x?x3xi32> -> "
                  "tensor<3x2x?xi32>"),
      {{"n", 5}});
  ASSERT_EQ(stage.error(), "");
  stage.set<int32_t>("x", iota(30));
  ASSERT_EQ(stage.run(), 0);
  Ints y = stage.get<int32_t>("y");
  for (int c = 0; c < 3; ++c)
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 5; ++b)
        ASSERT_EQ(y[(c * 2 + a) * 5 + b], (a * 5 + b) * 3 + c);
}

TEST(Movement, SliceForwardAndBackward) {
  StageRunner stage(oneDispatch("kernel",
                                {{"x", "tensor<?x4xi32>", "\"n\", \"4\""}},
                                {{"y", "tensor<?x2xi32>", "\"n - 1\", \"2\""},
                                 {"z", "tensor<?x4xi32>", "\"n\", \"4\""}},
                                R"mlir(
        %y = takt.slice %x from <["1", "1"]> sizes <["n - 1", "2"]> strides [1, 2] : tensor<?x4xi32> -> tensor<?x2xi32>
        %z = takt.slice %x from <["n - 1", "3"]> sizes <["n", "4"]> strides [-1, -1] : tensor<?x4xi32> -> tensor<?x4xi32>)mlir"),
                    {{"n", 3}});
  ASSERT_EQ(stage.error(), "");
  stage.set<int32_t>("x", iota(12));
  ASSERT_EQ(stage.run(), 0);
  EXPECT_EQ(stage.get<int32_t>("y"), (Ints{5, 7, 9, 11}));
  EXPECT_EQ(stage.get<int32_t>("z"),
            (Ints{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
}

TEST(Movement, ConcatAsResultAndInside) {
  StageRunner stage(oneDispatch("kernel",
                                {{"a", "tensor<2x?xi32>", "\"2\", \"n\""},
                                 {"b", "tensor<2x2xi32>", "\"2\", \"2\""}},
                                {{"y", "tensor<2x?xi32>", "\"2\", \"n + 2\""},
                                 {"z", "tensor<2x?xi32>", "\"2\", \"n + 2\""}},
                                R"mlir(
        %y = takt.concat %a, %b axis 1 : tensor<2x?xi32>, tensor<2x2xi32> -> tensor<2x?xi32>
        %w = takt.concat %b, %a axis 1 : tensor<2x2xi32>, tensor<2x?xi32> -> tensor<2x?xi32>
        %z = arith.addi %w, %w : tensor<2x?xi32>)mlir"),
                    {{"n", 3}});
  ASSERT_EQ(stage.error(), "");
  stage.set<int32_t>("a", iota(6));
  stage.set<int32_t>("b", iota(4, 10));
  ASSERT_EQ(stage.run(), 0);
  EXPECT_EQ(stage.get<int32_t>("y"), (Ints{0, 1, 2, 10, 11, 3, 4, 5, 12, 13}));
  EXPECT_EQ(stage.get<int32_t>("z"), (Ints{20, 22, 0, 2, 4, 24, 26, 6, 8, 10}));
}

TEST(Movement, ConcatWithNothing) {
  StageRunner stage(
      oneDispatch(
          "kernel",
          {{"a", "tensor<?xi32>", "\"p\""}, {"b", "tensor<2xi32>", "\"2\""}},
          {{"y", "tensor<?xi32>", "\"p + 2\""}},
          "%w = takt.concat %a, %b axis 0 : tensor<?xi32>, tensor<2xi32> "
          "-> tensor<?xi32>\n%y = arith.addi %w, %w : tensor<?xi32>"),
      {{"p", 0}});
  ASSERT_EQ(stage.error(), "");
  stage.set<int32_t>("b", {4, 5});
  ASSERT_EQ(stage.run(), 0);
  EXPECT_EQ(stage.get<int32_t>("y"), (Ints{8, 10}));
}

TEST(Movement, GatherCountsFromTheEndAndClamps) {
  StageRunner stage(
      oneDispatch("kernel",
                  {{"t", "tensor<4x3xi32>", "\"4\", \"3\""},
                   {"i", "tensor<?xi64>", "\"n\""}},
                  {{"y", "tensor<?x3xi32>", "\"n\", \"3\""}},
                  "%y = takt.gather %t[%i] axis 0 : tensor<4x3xi32>, "
                  "tensor<?xi64> -> tensor<?x3xi32>"),
      {{"n", 4}});
  ASSERT_EQ(stage.error(), "");
  stage.set<int32_t>("t", iota(12));
  stage.set<int64_t>("i", {2, -1, 99, -99});
  ASSERT_EQ(stage.run(), 0);
  EXPECT_EQ(stage.get<int32_t>("y"),
            (Ints{6, 7, 8, 9, 10, 11, 9, 10, 11, 0, 1, 2}));
}

TEST(Movement, GatherFromAnEmptyTableGivesZero) {
  StageRunner stage(
      oneDispatch("kernel",
                  {{"t", "tensor<?x2xi32>", "\"p\", \"2\""},
                   {"i", "tensor<2xi64>", "\"2\""}},
                  {{"y", "tensor<2x2xi32>", "\"2\", \"2\""}},
                  "%y = takt.gather %t[%i] axis 0 : tensor<?x2xi32>, "
                  "tensor<2xi64> -> tensor<2x2xi32>"),
      {{"p", 0}});
  ASSERT_EQ(stage.error(), "");
  stage.set<int64_t>("i", {0, 5});
  ASSERT_EQ(stage.run(), 0);
  EXPECT_EQ(stage.get<int32_t>("y"), (Ints{0, 0, 0, 0}));
}

TEST(Movement, GatherOfAShardGivesZeroForOtherRows) {
  StageRunner stage(
      oneDispatch(
          "kernel",
          {{"t", "tensor<2x2xi32>", "\"2\", \"2\""},
           {"i", "tensor<4xi64>", "\"4\""}},
          {{"y", "tensor<4x2xi32>", "\"4\", \"2\""}},
          "%y = takt.gather %t[%i] axis 0 first_row \"2*shard\" of \"4\" "
          ": tensor<2x2xi32>, tensor<4xi64> -> tensor<4x2xi32>"),
      {{"shard", 1}});
  ASSERT_EQ(stage.error(), "");
  stage.set<int32_t>("t", {1, 2, 3, 4});
  stage.set<int64_t>("i", {0, 2, -1, 1});
  ASSERT_EQ(stage.run(), 0);
  EXPECT_EQ(stage.get<int32_t>("y"), (Ints{0, 0, 1, 2, 3, 4, 0, 0}));
}

TEST(Movement, GatherND) {
  StageRunner stage(
      oneDispatch(
          "kernel",
          {{"t", "tensor<2x3x2xi32>", "\"2\", \"3\", \"2\""},
           {"i", "tensor<?x2xi64>", "\"n\", \"2\""}},
          {{"y", "tensor<?x2xi32>", "\"n\", \"2\""}},
          "%y = takt.gather_nd %t[%i] batch_dims 0 : tensor<2x3x2xi32>, "
          "tensor<?x2xi64> -> tensor<?x2xi32>"),
      {{"n", 2}});
  ASSERT_EQ(stage.error(), "");
  stage.set<int32_t>("t", iota(12));
  stage.set<int64_t>("i", {1, 2, 0, -3});
  ASSERT_EQ(stage.run(), 0);
  EXPECT_EQ(stage.get<int32_t>("y"), (Ints{10, 11, 0, 1}));
}

TEST(Movement, IotaSizesAndConstants) {
  StageRunner stage(oneDispatch("kernel", {{"x", "tensor<?xi32>", "\"n\""}},
                                {{"y", "tensor<?xi64>", "\"n\""},
                                 {"s", "tensor<2xi64>", "\"2\""},
                                 {"c", "tensor<3xi64>", "\"3\""},
                                 {"b", "tensor<3xi1>", "\"3\""}},
                                R"mlir(
        %y = takt.iota "past" step 2 sizes <["n"]> : tensor<?xi64>
        %s = takt.size_tensor <["n", "past"]> : tensor<2xi64>
        %c = arith.constant dense<[7, 8, 9]> : tensor<3xi64>
        %b = arith.constant dense<[true, false, true]> : tensor<3xi1>)mlir"),
                    {{"n", 3}, {"past", 10}});
  ASSERT_EQ(stage.error(), "");
  stage.set<int32_t>("x", {0, 0, 0});
  ASSERT_EQ(stage.run(), 0);
  EXPECT_EQ(stage.get<int64_t>("y"), (std::vector<int64_t>{10, 12, 14}));
  EXPECT_EQ(stage.get<int64_t>("s"), (std::vector<int64_t>{3, 10}));
  EXPECT_EQ(stage.get<int64_t>("c"), (std::vector<int64_t>{7, 8, 9}));
  EXPECT_EQ(stage.get<uint8_t>("b"), (std::vector<uint8_t>{1, 0, 1}));
}

// Heads: [b, s, 6] -> [b, s, 2, 3] -> [b, 2, s, 3], and back.
TEST(Movement, ReshapeInside) {
  StageRunner stage(
      oneDispatch("kernel", {{"x", "tensor<?x?x6xi32>", "\"b\", \"s\", \"6\""}},
                  {{"y", "tensor<?x2x?x3xi32>", "\"b\", \"2\", \"s\", \"3\""},
                   {"z", "tensor<?x?x6xi32>", "\"b\", \"s\", \"6\""},
                   {"w", "tensor<?xi32>", "\"6*b*s\""}},
                  R"mlir(
        %d = arith.addi %x, %x : tensor<?x?x6xi32>
        %r = takt.reshape %d to <["b", "s", "2", "3"]> : tensor<?x?x6xi32> -> tensor<?x?x2x3xi32>
        %y = takt.transpose %r [0, 2, 1, 3] : tensor<?x?x2x3xi32> -> tensor<?x2x?x3xi32>
        %t = takt.transpose %y [0, 2, 1, 3] : tensor<?x2x?x3xi32> -> tensor<?x?x2x3xi32>
        %u = takt.reshape %t to <["b", "s", "6"]> : tensor<?x?x2x3xi32> -> tensor<?x?x6xi32>
        %z = arith.addi %u, %x : tensor<?x?x6xi32>
        %w = takt.reshape %z to <["6*b*s"]> : tensor<?x?x6xi32> -> tensor<?xi32>)mlir"),
      {{"b", 2}, {"s", 2}});
  ASSERT_EQ(stage.error(), "");
  Ints x = iota(24), triple;
  stage.set<int32_t>("x", x);
  ASSERT_EQ(stage.run(), 0);
  Ints y = stage.get<int32_t>("y");
  for (int b = 0; b < 2; ++b)
    for (int h = 0; h < 2; ++h)
      for (int s = 0; s < 2; ++s)
        for (int d = 0; d < 3; ++d)
          ASSERT_EQ(y[((b * 2 + h) * 2 + s) * 3 + d],
                    2 * x[((b * 2 + s) * 2 + h) * 3 + d]);
  for (int32_t value : x)
    triple.push_back(3 * value);
  EXPECT_EQ(stage.get<int32_t>("z"), triple);
  EXPECT_EQ(stage.get<int32_t>("w"), triple);
}
