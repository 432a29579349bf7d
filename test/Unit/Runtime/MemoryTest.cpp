// Memory blocks and the pool that cuts small things from them.
#include "runtime/core/Memory.h"

#include <cstring>
#include <gtest/gtest.h>

namespace takt::runtime {
namespace {

std::byte *allocate(MemoryPool &pool, int64_t bytes) {
  Result<std::byte *> place = pool.allocate(bytes, "test");
  EXPECT_TRUE(place.ok()) << place.status().getText();
  return place.ok() ? *place : nullptr;
}

TEST(MemoryPool, PlacesSmallThingsSideBySideAndAligned) {
  MemoryPool pool;
  std::byte *first = allocate(pool, 1);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % bufferAlignment, 0u);
  EXPECT_EQ(allocate(pool, 65), first + 64);
  EXPECT_EQ(allocate(pool, 64), first + 192);
}

// An empty weight has a place too, and takes nothing from others.
TEST(MemoryPool, GivesEmptyThingsAPlace) {
  MemoryPool pool;
  std::byte *empty = allocate(pool, 0);
  ASSERT_NE(empty, nullptr);
  EXPECT_EQ(allocate(pool, 64), empty);
}

TEST(MemoryPool, KeepsWhatItGaveWhenItGrows) {
  constexpr int64_t large = int64_t(65) << 20; // more than one block holds
  MemoryPool pool;
  std::byte *small = allocate(pool, 100);
  std::memset(small, 1, 100);
  std::byte *big = allocate(pool, large);
  big[0] = big[large - 1] = std::byte(2);
  std::byte *after = allocate(pool, 100);
  std::memset(after, 3, 100);
  EXPECT_EQ(small[0], std::byte(1));
  EXPECT_EQ(small[99], std::byte(1));
  EXPECT_EQ(big[0], std::byte(2));
  EXPECT_EQ(big[large - 1], std::byte(2));
}

TEST(MemoryPool, ReportsItsPurposeWhereThereIsNoMemory) {
  MemoryPool pool;
  Result<std::byte *> place = pool.allocate(int64_t(1) << 60, "weight 'w'");
  ASSERT_FALSE(place.ok());
  EXPECT_EQ(place.status().getCode(), Code::Environment);
  EXPECT_NE(place.status().getText().find("bytes of weight 'w'"),
            std::string::npos);
  EXPECT_NE(allocate(pool, 64), nullptr);
}

TEST(MemoryBlock, GrowsOnlyWhenItMust) {
  MemoryBlock block;
  EXPECT_EQ(block.data(), nullptr);
  ASSERT_TRUE(block.reserve(100, "test").ok());
  std::byte *start = block.data();
  ASSERT_TRUE(block.reserve(block.capacity(), "test").ok());
  EXPECT_EQ(block.data(), start);
  int64_t before = block.capacity();
  ASSERT_TRUE(block.reserve(before + 1, "test").ok());
  EXPECT_GT(block.capacity(), before);
}

} // namespace
} // namespace takt::runtime
