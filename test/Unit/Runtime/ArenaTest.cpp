#include "runtime/core/Arena.h"

#include <gtest/gtest.h>
#include <random>

namespace takt::runtime {
namespace {

TEST(Arena, ReusesMemoryOfDeadBuffers) {
  // A chain: each buffer lives while the next is made.
  std::vector<ArenaItem> items = {{64, 0, 1}, {128, 1, 2}, {64, 2, 3}};
  Result<ArenaPlan> plan = planArena(items);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->bytes, 192);
  EXPECT_EQ(plan->lowerBound, 192);
  EXPECT_TRUE(verifyArena(items, *plan).ok());
}

TEST(Arena, PlansOfRandomProblemsHold) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<ArenaItem> items;
    for (unsigned i = 0; i < random() % 60; ++i) {
      int32_t first = int32_t(random() % 40);
      items.push_back(
          {int64_t(random() % 9) * 64, first, first + int32_t(random() % 12)});
    }
    Result<ArenaPlan> plan = planArena(items);
    ASSERT_TRUE(plan.ok());
    Status status = verifyArena(items, *plan);
    EXPECT_TRUE(status.ok()) << status.getText();
    EXPECT_GE(plan->bytes, plan->lowerBound);
    EXPECT_LE(double(plan->bytes), 1.5 * double(plan->lowerBound));
  }
}

TEST(Arena, VerifierFindsEachKindOfFault) {
  std::vector<ArenaItem> items = {{64, 0, 5}, {128, 5, 6}, {64, 6, 9}};
  ArenaPlan good;
  good.offsets = {0, 64, 0};
  good.bytes = 192;
  EXPECT_TRUE(verifyArena(items, good).ok());
  for (auto [index, offset] : {std::pair<int, int64_t>{0, 64}, // overlap
                               {1, 0},   // overlap from below
                               {1, 128}, // beyond the end
                               {2, 32},  // misaligned
                               {2, -64}, // negative
                               {2, 128}}) {
    ArenaPlan bad = good;
    bad.offsets[size_t(index)] = offset;
    EXPECT_FALSE(verifyArena(items, bad).ok()) << index << " " << offset;
  }
}

TEST(Arena, RefusesSumsBeyond64Bits) {
  std::vector<ArenaItem> items(4, {int64_t(1) << 61, 0, 0});
  EXPECT_FALSE(planArena(items).ok());
}

} // namespace
} // namespace takt::runtime
