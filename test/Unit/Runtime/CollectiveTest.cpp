#include "runtime/comm/Collective.h"

#include <cmath>
#include <gtest/gtest.h>

namespace takt::runtime {
namespace {

template <class T>
std::vector<T> compute(CollectiveKind kind, Reduction reduction, Dtype dtype,
                       CollectiveSizes sizes, int32_t shard,
                       const std::vector<std::vector<T>> &inputs, size_t size) {
  CollectiveSpec spec;
  spec.kind = kind;
  spec.reduction = reduction;
  spec.dtype = dtype;
  std::vector<const void *> pointers;
  for (const std::vector<T> &input : inputs)
    pointers.push_back(input.data());
  std::vector<T> output(size);
  computeCollective(spec, sizes, pointers, shard, output.data());
  return output;
}

using Floats = std::vector<float>;

TEST(Collective, AllReduceAddsInRankOrder) {
  // 1e8 + 1 - 1e8 depends on the order; rank order gives 0 in float32.
  EXPECT_EQ(compute<float>(CollectiveKind::AllReduce, Reduction::Sum,
                           Dtype::F32, {1, 1, 1}, 2, {{1e8f}, {1}, {-1e8f}}, 1),
            Floats{0});
  EXPECT_EQ(compute<int64_t>(CollectiveKind::AllReduce, Reduction::Sum,
                             Dtype::I64, {1, 1, 2}, 0, {{INT64_MAX, 1}, {1, 2}},
                             2),
            (std::vector<int64_t>{INT64_MIN, 3}));
}

TEST(Collective, MaxAndMinKeepNaN) {
  float nan = std::nanf("");
  for (Reduction reduction : {Reduction::Max, Reduction::Min})
    for (const std::vector<Floats> &inputs :
         {std::vector<Floats>{{nan}, {1}}, {{1}, {nan}}})
      EXPECT_TRUE(
          std::isnan(compute<float>(CollectiveKind::AllReduce, reduction,
                                    Dtype::F32, {1, 1, 1}, 0, inputs, 1)[0]));
  EXPECT_EQ(compute<int32_t>(CollectiveKind::AllReduce, Reduction::Max,
                             Dtype::I32, {1, 1, 2}, 0, {{1, 5}, {3, 4}}, 2),
            (std::vector<int32_t>{3, 5}));
  EXPECT_EQ(compute<double>(CollectiveKind::AllReduce, Reduction::Min,
                            Dtype::F64, {1, 1, 2}, 0, {{1, 5}, {3, 4}}, 2),
            (std::vector<double>{1, 4}));
}

TEST(Collective, AllGatherInterleavesOuterRows) {
  EXPECT_EQ(compute<float>(CollectiveKind::AllGather, Reduction::Sum,
                           Dtype::F32, {2, 1, 2}, 0,
                           {{1, 2, 3, 4}, {5, 6, 7, 8}}, 8),
            (Floats{1, 2, 5, 6, 3, 4, 7, 8}));
}

TEST(Collective, ReduceScatterKeepsTheOwnPart) {
  std::vector<Floats> inputs = {{1, 2, 3, 4, 5, 6, 7, 8},
                                {10, 20, 30, 40, 50, 60, 70, 80}};
  // outer 2, part 2, inner 2: shard 1 keeps part 1 of both rows.
  EXPECT_EQ(compute<float>(CollectiveKind::ReduceScatter, Reduction::Sum,
                           Dtype::F32, {2, 2, 2}, 1, inputs, 4),
            (Floats{33, 44, 77, 88}));
}

} // namespace
} // namespace takt::runtime
