//===- Pooling.cpp - MaxPool ----------------------------------------------===//
#include "Registry.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

/// SAME_UPPER and SAME_LOWER: ceil(size / stride) windows; an odd padding's
/// extra element stands at the end, or at the start.
static LogicalResult samePads(NodeLowering &n, StringRef mode,
                              ArrayRef<int64_t> kernel,
                              ArrayRef<int64_t> strides,
                              SmallVectorImpl<int64_t> &pads) {
  for (int i = 0; i < 2; ++i) {
    auto size = n.input(0).shape[2 + i].constant();
    if (!size)
      return n.fail(
          "has auto_pad = " + mode +
          " over a size that depends on the request; bind the dimension "
          "with --dim");
    int64_t windows = (*size + strides[i] - 1) / strides[i];
    int64_t total =
        std::max<int64_t>(0, (windows - 1) * strides[i] + kernel[i] - *size);
    pads[i] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
    pads[2 + i] = total - pads[i];
  }
  return success();
}

static LogicalResult maxPool(NodeLowering &n) {
  auto ones = [&](StringRef name) {
    return n.integers(name).value_or(SmallVector<int64_t>{1, 1});
  };
  auto kernel = n.integers("kernel_shape");
  SmallVector<int64_t> strides = ones("strides"), dilations = ones("dilations");
  auto pads = n.integers("pads").value_or(SmallVector<int64_t>(4, 0));
  if (n.rank(0) != 4 || !kernel || kernel->size() != 2 || strides.size() != 2 ||
      pads.size() != 4)
    return n.fail("pools a tensor of rank " + Twine(n.rank(0)) +
                  ", expected [N, C, H, W] with a window of two sizes");
  if (n.isUsed(1))
    return n.fail("has its indices used, expected the first output only");
  if (dilations != SmallVector<int64_t>{1, 1})
    return n.fail("has dilations, expected none");
  if (n.integer("ceil_mode", 0))
    return n.fail("has ceil_mode = 1, expected 0; pad the input in the export");
  std::string mode = n.text("auto_pad", "NOTSET");
  if (mode == "VALID")
    pads.assign(4, 0);
  else if (mode != "NOTSET" &&
           failed(samePads(n, mode, *kernel, strides, pads)))
    return failure();
  if (!n.input(0).element.isF32())
    return n.fail("pools another type than float32; insert a Cast");
  Value x = n.value(0);
  Builder &b = n.builder;
  ArrayRef<int64_t> all = pads;
  return n.result(n.make<MaxPoolOp>(n.element(x), x,
                                    b.getDenseI64ArrayAttr(*kernel),
                                    b.getDenseI64ArrayAttr(strides),
                                    b.getDenseI64ArrayAttr(all.take_front(2)),
                                    b.getDenseI64ArrayAttr(all.drop_front(2))));
}

void legalize::registerPools(Registry &registry) {
  registry.add("MaxPool", maxPool);
}
