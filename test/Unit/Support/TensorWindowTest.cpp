//===- TensorWindowTest.cpp - boxes of tensors ----------------------------===//
#include "takt/Support/TensorWindow.h"

#include <gtest/gtest.h>

using namespace takt;

static HostTensor counting(llvm::ArrayRef<int64_t> shape) {
  HostTensor tensor = HostTensor::zeros(DType::I32, shape);
  for (int64_t i = 0; i < tensor.numElements(); ++i)
    tensor.setInt(i, i);
  return tensor;
}

TEST(TensorWindow, CutsAndPastes) {
  HostTensor tensor = counting({3, 4, 5});
  HostTensor part = cutWindow(tensor, {{1, 0, 2}, {2, 4, 3}});
  ASSERT_EQ(part.numElements(), 24);
  EXPECT_EQ(part.getInt(0), 22);
  EXPECT_EQ(part.getInt(23), 59);
  HostTensor other = HostTensor::zeros(DType::I32, tensor.shape);
  pasteWindow(other, {1, 0, 2}, part);
  EXPECT_EQ(cutWindow(other, {{1, 0, 2}, {2, 4, 3}}), part);
  EXPECT_EQ(other.getInt(0), 0);
  EXPECT_EQ(cutWindow(tensor, TensorWindow::whole(tensor.shape)), tensor);
  EXPECT_EQ(cutWindow(counting({}), TensorWindow()), counting({}));
}

TEST(TensorWindow, JoinsRunsOfWholeDimensions) {
  std::vector<std::pair<int64_t, int64_t>> runs;
  auto collect = [&](int64_t first, int64_t count) {
    runs.push_back({first, count});
    return llvm::Error::success();
  };
  llvm::cantFail(forEachRun({3, 4, 5}, {{1, 1, 0}, {2, 2, 5}}, collect));
  EXPECT_EQ(runs,
            (std::vector<std::pair<int64_t, int64_t>>{{25, 10}, {45, 10}}));
  runs.clear();
  llvm::cantFail(forEachRun({3, 4, 5}, {{1, 0, 0}, {2, 4, 5}}, collect));
  EXPECT_EQ(runs, (std::vector<std::pair<int64_t, int64_t>>{{20, 40}}));
  runs.clear();
  llvm::cantFail(forEachRun({3, 4}, {{0, 0}, {0, 4}}, collect));
  EXPECT_TRUE(runs.empty());
}

// Bands side by side are the tensor, each within the limit unless it is a row.
TEST(TensorWindow, BandsCoverTheTensorInOrder) {
  for (llvm::SmallVector<int64_t> shape : {llvm::SmallVector<int64_t>{},
                                           {7},
                                           {6, 5},
                                           {3, 4, 5},
                                           {2, 1, 9},
                                           {4, 0}})
    for (int64_t limit : {1, 4, 10, 21, 1000}) {
      HostTensor tensor = counting(shape);
      std::vector<uint8_t> bytes;
      llvm::cantFail(forEachBand(shape, limit, [&](const TensorWindow &band) {
        EXPECT_LE(band.numElements(),
                  std::max(limit, shape.size() > 1 ? shape.back() : 1));
        HostTensor part = cutWindow(tensor, band);
        bytes.insert(bytes.end(), part.data.begin(), part.data.end());
        return llvm::Error::success();
      }));
      EXPECT_EQ(bytes, tensor.data);
    }
}
