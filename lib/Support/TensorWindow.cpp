//===- TensorWindow.cpp - a box of a tensor's elements --------------------===//
#include "takt/Support/TensorWindow.h"

#include <algorithm>
#include <cstring>

using namespace takt;

TensorWindow TensorWindow::whole(llvm::ArrayRef<int64_t> shape) {
  TensorWindow window;
  window.start.assign(shape.size(), 0);
  window.size.assign(shape.begin(), shape.end());
  return window;
}

/// Advances `index` within `sizes`; false after the last.
static bool advance(llvm::MutableArrayRef<int64_t> index,
                    llvm::ArrayRef<int64_t> sizes) {
  for (size_t dim = sizes.size(); dim-- > 0;) {
    if (++index[dim] < sizes[dim])
      return true;
    index[dim] = 0;
  }
  return false;
}

llvm::Error
takt::forEachRun(llvm::ArrayRef<int64_t> shape, const TensorWindow &window,
                 llvm::function_ref<llvm::Error(int64_t, int64_t)> body) {
  if (window.numElements() == 0)
    return llvm::Error::success();
  // Dimensions from `inner` on are taken whole, and the one before in part.
  size_t inner = shape.size();
  int64_t run = 1;
  while (inner > 0 && window.size[inner - 1] == shape[inner - 1])
    run *= shape[--inner];
  if (inner > 0)
    run *= window.size[--inner];
  llvm::SmallVector<int64_t> strides = rowMajorStrides(shape);
  llvm::ArrayRef<int64_t> outer =
      llvm::ArrayRef<int64_t>(window.size).take_front(inner);
  llvm::SmallVector<int64_t> index(inner, 0);
  int64_t base = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    base += window.start[i] * strides[i];
  do {
    int64_t first = base;
    for (size_t i = 0; i < inner; ++i)
      first += index[i] * strides[i];
    if (llvm::Error error = body(first, run))
      return error;
  } while (advance(index, outer));
  return llvm::Error::success();
}

HostTensor takt::cutWindow(const HostTensor &tensor,
                           const TensorWindow &window) {
  HostTensor result = HostTensor::zeros(tensor.dtype, window.size);
  int64_t width = byteSize(tensor.dtype), done = 0;
  llvm::cantFail(
      forEachRun(tensor.shape, window, [&](int64_t first, int64_t count) {
        std::memcpy(result.data.data() + done,
                    tensor.data.data() + first * width, size_t(count * width));
        done += count * width;
        return llvm::Error::success();
      }));
  return result;
}

void takt::pasteWindow(HostTensor &whole, llvm::ArrayRef<int64_t> start,
                       const HostTensor &part) {
  TensorWindow window{llvm::SmallVector<int64_t>(start), part.shape};
  int64_t width = byteSize(whole.dtype), done = 0;
  llvm::cantFail(
      forEachRun(whole.shape, window, [&](int64_t first, int64_t count) {
        std::memcpy(whole.data.data() + first * width, part.data.data() + done,
                    size_t(count * width));
        done += count * width;
        return llvm::Error::success();
      }));
}

llvm::Error
takt::forEachBand(llvm::ArrayRef<int64_t> shape, int64_t maxElements,
                  llvm::function_ref<llvm::Error(const TensorWindow &)> body) {
  if (shape.empty())
    return body(TensorWindow());
  // Dimension `cut` is taken in parts, those behind it whole.
  size_t cut = shape.size() - 1;
  int64_t rest = std::max<int64_t>(shape[cut], 1);
  while (cut > 0 && rest <= maxElements / std::max<int64_t>(shape[cut - 1], 1))
    rest *= std::max<int64_t>(shape[--cut], 1);
  if (cut > 0)
    --cut;
  int64_t perStep = *elementCount(shape.drop_front(cut + 1));
  int64_t step =
      std::max<int64_t>(1, maxElements / std::max<int64_t>(perStep, 1));
  llvm::ArrayRef<int64_t> outer = shape.take_front(cut);
  llvm::SmallVector<int64_t> index(cut, 0);
  if (elementCount(shape) == 0)
    return llvm::Error::success();
  do {
    for (int64_t at = 0; at < shape[cut]; at += step) {
      TensorWindow window = TensorWindow::whole(shape);
      for (size_t i = 0; i < cut; ++i) {
        window.start[i] = index[i];
        window.size[i] = 1;
      }
      window.start[cut] = at;
      window.size[cut] = std::min(step, shape[cut] - at);
      if (llvm::Error error = body(window))
        return error;
    }
  } while (advance(index, outer));
  return llvm::Error::success();
}
