//===- Windows.cpp - what convolution and pooling nodes share -------------===//
#include "Windows.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

/// SAME_UPPER and SAME_LOWER: ceil(size / stride) windows; an odd padding's
/// extra element stands at the end, or at the start.
static LogicalResult padToSame(NodeLowering &n, StringRef mode,
                               WindowAttributes &window) {
  for (unsigned i = 0; i < window.kernel.size(); ++i) {
    auto size = n.input(0).shape[2 + i].constant();
    if (!size)
      return n.fail(
          "has auto_pad = " + mode +
          " over a size that depends on the request; bind the dimension "
          "with --dim");
    int64_t stride = window.strides[i], windows = (*size + stride - 1) / stride;
    int64_t total =
        std::max<int64_t>(0, (windows - 1) * stride + window.extent(i) - *size);
    window.padsBegin[i] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
    window.padsEnd[i] = total - window.padsBegin[i];
  }
  return success();
}

static LogicalResult checkRanges(NodeLowering &n,
                                 const WindowAttributes &window) {
  auto isWithin = [](int64_t least) {
    return [least](int64_t value) {
      return value >= least && value < windowLimit;
    };
  };
  for (const auto *list : {&window.kernel, &window.strides, &window.dilations})
    if (!llvm::all_of(*list, isWithin(1)))
      return n.fail("has a kernel size, stride or dilation that is not between "
                    "1 and " +
                    Twine(windowLimit) + "; correct the model");
  for (const auto *list : {&window.padsBegin, &window.padsEnd})
    if (!llvm::all_of(*list, isWithin(0)))
      return n.fail("has a pad that is not between 0 and " +
                    Twine(windowLimit) + "; correct the model");
  return success();
}

FailureOr<WindowAttributes> legalize::readWindow(NodeLowering &n,
                                                 ArrayRef<int64_t> kernel) {
  int64_t spatial = n.rank(0) - 2;
  if (spatial < 1 || spatial > 3)
    return LogicalResult(n.fail("slides over a tensor of rank " +
                                Twine(n.rank(0)) +
                                ", expected [N, C, spatial..] with one to "
                                "three spatial dimensions"));
  WindowAttributes window;
  auto list = [&](StringRef name, SmallVector<int64_t> &to, size_t count,
                  ArrayRef<int64_t> fallback) {
    to = n.integers(name).value_or(llvm::to_vector(fallback));
    return to.size() == count;
  };
  SmallVector<int64_t> ones(spatial, 1), zeros(2 * spatial, 0), pads;
  if (!list("kernel_shape", window.kernel, spatial, kernel) ||
      !list("strides", window.strides, spatial, ones) ||
      !list("dilations", window.dilations, spatial, ones) ||
      !list("pads", pads, 2 * spatial, zeros))
    return LogicalResult(n.fail("has a kernel_shape, strides, dilations or "
                                "pads of another length than its " +
                                Twine(spatial) + " spatial dimensions ask"));
  std::string mode = n.text("auto_pad", "NOTSET");
  if (mode != "NOTSET" && mode != "VALID" && mode != "SAME_UPPER" &&
      mode != "SAME_LOWER")
    return LogicalResult(
        n.fail("has auto_pad = '" + mode + "', which ONNX does not know"));
  if (mode != "NOTSET")
    pads.assign(2 * spatial, 0);
  window.padsBegin.assign(pads.begin(), pads.begin() + spatial);
  window.padsEnd.assign(pads.begin() + spatial, pads.end());
  if (failed(checkRanges(n, window)) || (StringRef(mode).starts_with("SAME") &&
                                         failed(padToSame(n, mode, window))))
    return failure();
  return window;
}

LogicalResult legalize::requireFloat32(NodeLowering &n) {
  if (n.input(0).element.isF32())
    return success();
  return n.fail("computes in another type than float32; insert a Cast");
}

Value legalize::toChannelsLast(NodeLowering &n, Value value) {
  SmallVector<int64_t> permutation = {0};
  for (int64_t i = 2; i < n.rankOf(value); ++i)
    permutation.push_back(i);
  permutation.push_back(1);
  return n.transpose(value, permutation);
}

Value legalize::toChannelsFirst(NodeLowering &n, Value value) {
  SmallVector<int64_t> permutation = {0, n.rankOf(value) - 1};
  for (int64_t i = 1; i + 1 < n.rankOf(value); ++i)
    permutation.push_back(i);
  return n.transpose(value, permutation);
}

Value legalize::repeatRows(NodeLowering &n, Value vector, Value like) {
  return n.broadcast(vector, n.shape(like));
}
