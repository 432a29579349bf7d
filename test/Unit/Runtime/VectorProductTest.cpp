// The one-row kernel on integers, where every order of sums is exact.
#include "runtime/kernels/VectorProduct.h"
#include "runtime/device/Contraction.h"
#include "runtime/device/Threads.h"

#include <gtest/gtest.h>

namespace takt::runtime {
namespace {

float weightOf(int64_t row, int64_t column) {
  return float((row * 7 + column * 3) % 11) - 5;
}

float vectorOf(int64_t row) { return float(row % 5) - 2; }

/// The definition.
std::vector<float> product(int64_t rows, int64_t columns) {
  std::vector<float> sums(static_cast<size_t>(columns));
  for (int64_t column = 0; column < columns; ++column)
    for (int64_t row = 0; row < rows; ++row)
      sums[static_cast<size_t>(column)] +=
          vectorOf(row) * weightOf(row, column);
  return sums;
}

class Call {
public:
  Call(int64_t rows, int64_t columns)
      : columns(columns),
        weights(noFile, reinterpret_cast<std::byte *>(plain(rows)), 0, pool) {
    for (int64_t row = 0; row < rows; ++row)
      vector.push_back(vectorOf(row));
  }

  /// For `m` equal rows; the first row of the result.
  std::vector<float> run(int64_t m) {
    std::vector<float> lhs, result(static_cast<size_t>(m * columns));
    for (int64_t i = 0; i < m; ++i)
      lhs.insert(lhs.end(), vector.begin(), vector.end());
    OperationSpec operation;
    operation.contraction = {0, 0, 1, 0, 1, 2, 3, false, false, true, 0, {}};
    auto rows = static_cast<int64_t>(vector.size());
    auto call = prepareContraction(operation, {1, m, columns, rows}, false,
                                   &weights, context);
    EXPECT_TRUE(call.ok());
    EXPECT_TRUE(
        context.scratchpad.reserve((*call)->getScratchpadBytes(), "").ok());
    void *buffers[] = {lhs.data(), result.data()};
    EXPECT_TRUE((*call)->run(buffers, context).ok());
    result.resize(static_cast<size_t>(columns));
    return result;
  }

  int64_t packedBytes() const { return weights.getBytes(); }

private:
  float *plain(int64_t rows) {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        data.push_back(weightOf(row, column));
    return data.data();
  }

  int64_t columns;
  std::vector<float> vector, data;
  FileMapping noFile;
  MemoryPool pool;
  DeviceContext context;
  PackedWeights weights;
};

TEST(VectorProduct, AnyNumberOfRowsAndColumns) {
  for (int64_t rows : {1, 15, 16, 17, 100})
    for (int64_t columns : {1, 63, 64, 65, 128, 191, 256, 300, 700}) {
      SCOPED_TRACE(testing::Message() << rows << " x " << columns);
      EXPECT_EQ(Call(rows, columns).run(1), product(rows, columns));
    }
}

TEST(VectorProduct, MatricesOfTheFrame) {
  if (!hasVectorProduct())
    GTEST_SKIP() << "no AVX-512";
  for (int64_t rows : {1, 3, 16, 64, 70})
    for (int64_t columns : {1, 2, 5, 64, 65, 150}) {
      SCOPED_TRACE(testing::Message() << rows << " x " << columns);
      std::vector<float> vector, matrix, transposed, result(columns + 1, 777);
      for (int64_t row = 0; row < rows; ++row) {
        vector.push_back(vectorOf(row));
        for (int64_t column = 0; column < columns; ++column)
          matrix.push_back(weightOf(row, column));
      }
      for (int64_t column = 0; column < columns; ++column)
        for (int64_t row = 0; row < rows; ++row)
          transposed.push_back(weightOf(row, column));
      std::vector<float> expected = product(rows, columns);
      expected.push_back(777); // nothing is written beyond
      multiplyVectorByMatrix(vector.data(), matrix.data(), rows, columns,
                             result.data());
      EXPECT_EQ(result, expected);
      result.assign(columns + 1, 777);
      multiplyVectorByTransposed(vector.data(), transposed.data(), rows,
                                 columns, result.data());
      EXPECT_EQ(result, expected);
    }
}

TEST(VectorProduct, SharesThePackedWeightsOfMoreRows) {
  if (!hasVectorProduct())
    GTEST_SKIP() << "no AVX-512";
  Call call(96, 320);
  EXPECT_EQ(call.run(40), product(96, 320));
  int64_t bytes = call.packedBytes();
  EXPECT_EQ(call.run(1), product(96, 320));
  EXPECT_EQ(call.packedBytes(), bytes);
}

TEST(RankThreads, CoverTheRangeOnce) {
  for (int threads : {1, 2, 3}) {
    setUpRankThread(threads, {});
    for (int64_t count : {0, 1, 2, 7, 64}) {
      std::vector<int> visits(static_cast<size_t>(count));
      runOnRankThreads(count, [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i)
          ++visits[static_cast<size_t>(i)];
      });
      EXPECT_EQ(visits, std::vector<int>(static_cast<size_t>(count), 1));
    }
  }
  setUpRankThread(1, {});
}

} // namespace
} // namespace takt::runtime
