#include "takt/Support/HostTensor.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace takt;

namespace {

TEST(HostTensor, Names) {
  for (const char *name : {"f32", "f64", "f16", "bf16", "i8", "i16", "i32",
                           "i64", "u8", "u16", "u32", "u64", "bool"}) {
    std::optional<DType> dtype = parseDType(name);
    ASSERT_TRUE(dtype) << name;
    EXPECT_EQ(dtypeName(*dtype), name);
  }
  EXPECT_EQ(parseDType("f8"), std::nullopt);
  EXPECT_EQ(byteSize(DType::BF16), 2);
  EXPECT_EQ(byteSize(DType::Bool), 1);
}

TEST(HostTensor, Shapes) {
  EXPECT_EQ(elementCount({}), 1);
  EXPECT_EQ(elementCount({2, 3}), 6);
  EXPECT_EQ(elementCount({INT64_MAX, 0}), 0);
  EXPECT_EQ(elementCount({INT64_MAX, 2}), std::nullopt);
  EXPECT_EQ(elementCount({-1}), std::nullopt);
  EXPECT_EQ(rowMajorStrides({2, 3, 4}), (llvm::SmallVector<int64_t>{12, 4, 1}));
  EXPECT_EQ(HostTensor::zeros(DType::I16, {2, 3}).data.size(), 12u);
}

TEST(HostTensor, HalfPrecisionRoundsOnceToNearestEven) {
  EXPECT_EQ(encodeHalf(DType::F16, 1.0), 0x3c00);
  EXPECT_EQ(encodeHalf(DType::F16, 65504.0), 0x7bff);
  EXPECT_EQ(encodeHalf(DType::F16, 65520.0), 0x7c00);
  EXPECT_EQ(encodeHalf(DType::F16, 1 + std::ldexp(1, -11)), 0x3c00);
  EXPECT_EQ(encodeHalf(DType::F16, 1 + 3 * std::ldexp(1, -11)), 0x3c02);
  // By way of f32 this would round to the tie and then down.
  EXPECT_EQ(encodeHalf(DType::F16, 1 + std::ldexp(1, -11) + std::ldexp(1, -40)),
            0x3c01);
  EXPECT_EQ(encodeHalf(DType::F16, std::ldexp(1, -24)), 0x0001);
  EXPECT_EQ(encodeHalf(DType::BF16, 1.0), 0x3f80);
  EXPECT_EQ(encodeHalf(DType::BF16, 3.140625), 0x4049);
  EXPECT_EQ(decodeHalf(DType::BF16, 0x4049), 3.140625);
  EXPECT_EQ(decodeHalf(DType::F16, 0xc000), -2.0);
  EXPECT_TRUE(std::isnan(decodeHalf(DType::F16, encodeHalf(DType::F16, NAN))));
}

TEST(HostTensor, EveryHalfValueSurvives) {
  for (DType dtype : {DType::F16, DType::BF16})
    for (unsigned bits = 0; bits < 65536; ++bits) {
      double value = decodeHalf(dtype, bits);
      if (!std::isnan(value))
        ASSERT_EQ(encodeHalf(dtype, value), bits);
    }
}

TEST(HostTensor, FloatsIntoIntegersTruncateAndSaturate) {
  HostTensor t = HostTensor::fromFloats(DType::I8, {6},
                                        {1.9, -1.9, 200, -200, NAN, -128.5});
  int64_t expected[] = {1, -1, 127, -128, 0, -128};
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(t.getInt(i), expected[i]) << i;
  HostTensor u = HostTensor::fromFloats(DType::U64, {3}, {-1, 1e30, 4e9});
  EXPECT_EQ(uint64_t(u.getInt(0)), 0u);
  EXPECT_EQ(uint64_t(u.getInt(1)), UINT64_MAX);
  EXPECT_EQ(u.getFloat(2), 4e9);
  HostTensor b = HostTensor::fromFloats(DType::Bool, {3}, {0, 0.1, NAN});
  EXPECT_EQ(b.data, (std::vector<uint8_t>{0, 1, 1}));
}

TEST(HostTensor, IntegersWrapAndRound) {
  HostTensor t = HostTensor::fromInts(DType::U8, {2}, {257, -1});
  EXPECT_EQ(t.getInt(0), 1);
  EXPECT_EQ(t.getFloat(1), 255.0);
  HostTensor h = HostTensor::fromInts(DType::BF16, {2}, {257, -3});
  EXPECT_EQ(h.getFloat(0), 256.0);
  EXPECT_EQ(h.getInt(1), -3);
  HostTensor f = HostTensor::fromInts(DType::F32, {1}, {16777217});
  EXPECT_EQ(f.getInt(0), 16777216);
  HostTensor d = HostTensor::fromFloats(DType::F64, {1}, {1e300});
  EXPECT_EQ(d.getInt(0), INT64_MAX);
  EXPECT_EQ(HostTensor::fromInts(DType::Bool, {1}, {256}).getInt(0), 1);
}

} // namespace
