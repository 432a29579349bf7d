//===- Convolution.cpp - Conv and ConvTranspose ---------------------------===//
#include "Registry.h"
#include "Windows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

/// The sizes of the weight, which must be known, and the number of groups.
static FailureOr<SmallVector<int64_t>> weightSizes(NodeLowering &n,
                                                   int64_t &groups) {
  SmallVector<int64_t> sizes;
  for (const SizeExpr &size : n.input(1).shape)
    if (auto constant = size.constant())
      sizes.push_back(*constant);
  groups = n.integer("group", 1);
  if (int64_t(sizes.size()) != n.rank(0) || n.rank(1) != n.rank(0))
    return LogicalResult(n.fail(
        "has a weight of shape " + shapeText(n.input(1).shape) +
        ", expected constant sizes, as many as the input has dimensions"));
  if (groups < 1 || sizes[0] % groups)
    return LogicalResult(
        n.fail("has " + Twine(groups) + " groups over a weight of shape " +
               shapeText(n.input(1).shape) + "; correct the model"));
  return sizes;
}

/// The convolution of `x`, channels last, plus the bias that is input 2.
static LogicalResult finish(NodeLowering &n, Value x, Value weight,
                            const WindowAttributes &window, int64_t groups) {
  Value y = n.make<ConvOp>(
      n.element(x), x, weight, window.attribute(n, window.strides),
      window.attribute(n, window.dilations),
      window.attribute(n, window.padsBegin),
      window.attribute(n, window.padsEnd), n.builder.getI64IntegerAttr(groups));
  if (n.has(2)) {
    Value bias = n.value(2);
    if (n.rankOf(bias) != 1)
      return n.fail("has a bias of shape " + shapeText(n.shape(bias)) +
                    ", expected one number per output channel");
    if (failed(n.equate(n.shape(bias)[0], n.shape(y).back(),
                        "a bias with one number per output channel")))
      return failure();
    y = n.builder.create<arith::AddFOp>(y, repeatRows(n, bias, y));
  }
  return n.result(toChannelsFirst(n, y));
}

static LogicalResult conv(NodeLowering &n) {
  int64_t groups;
  FailureOr<SmallVector<int64_t>> sizes = weightSizes(n, groups);
  if (failed(requireFloat32(n)) || failed(sizes))
    return failure();
  auto window = readWindow(n, ArrayRef<int64_t>(*sizes).drop_front(2));
  if (failed(window))
    return failure();
  if (ArrayRef<int64_t>(window->kernel) !=
      ArrayRef<int64_t>(*sizes).drop_front(2))
    return n.fail("has a kernel_shape that is not its weight's; correct the "
                  "model");
  if (failed(n.equate(n.input(0).shape[1], SizeExpr((*sizes)[1] * groups),
                      "as many input channels as its weight has")))
    return failure();
  return finish(n, toChannelsLast(n, n.value(0)), n.value(1), *window, groups);
}

//===----------------------------------------------------------------------===//
// ConvTranspose
//===----------------------------------------------------------------------===//

/// `stride` - 1 zeros between the elements of each spatial dimension.
static Value spread(NodeLowering &n, Value x, ArrayRef<int64_t> strides) {
  for (auto [i, stride] : llvm::enumerate(strides)) {
    if (stride == 1)
      continue;
    SymbolicShape shape = n.shape(x), one = shape, wide = shape, cut = shape;
    unsigned dim = 1 + i;
    one.insert(one.begin() + dim + 1, SizeExpr(1));
    SymbolicShape gaps = one;
    gaps[dim + 1] = SizeExpr(stride - 1);
    SmallVector<Value> parts = {n.reshape(x, one),
                                n.splat(0, n.element(x), gaps)};
    Value joined = n.make<ConcatOp>(n.element(x), parts, int64_t(dim + 1));
    wide[dim] = shape[dim] * SizeExpr(stride);
    cut[dim] = wide[dim] - SizeExpr(stride - 1);
    SymbolicShape starts(shape.size(), SizeExpr(0));
    x = n.make<SliceOp>(
        n.element(x), n.reshape(joined, wide), n.shapeAttr(starts),
        n.shapeAttr(cut),
        n.builder.getDenseI64ArrayAttr(SmallVector<int64_t>(shape.size(), 1)));
  }
  return x;
}

/// [C, O / groups, kernel..] as the weight [O, C / groups, kernel..] of the
/// convolution that computes the same, with the kernel reversed.
static Value reversedWeight(NodeLowering &n, ArrayRef<int64_t> sizes,
                            int64_t groups) {
  SmallVector<int64_t> split = {groups, sizes[0] / groups, sizes[1]};
  SmallVector<int64_t> merged = {groups * sizes[1], sizes[0] / groups};
  SmallVector<int64_t> permutation = {0, 2, 1}, strides = {1, 1};
  SmallVector<int64_t> starts = {0, 0};
  for (int64_t i = 2; i < int64_t(sizes.size()); ++i) {
    split.push_back(sizes[i]);
    merged.push_back(sizes[i]);
    permutation.push_back(i + 1);
    strides.push_back(-1);
    starts.push_back(sizes[i] - 1);
  }
  auto symbolic = [](ArrayRef<int64_t> list) {
    return SymbolicShape(list.begin(), list.end());
  };
  Value weight =
      n.transpose(n.reshape(n.value(1), symbolic(split)), permutation);
  weight = n.reshape(weight, symbolic(merged));
  return n.make<SliceOp>(
      n.element(weight), weight, n.shapeAttr(symbolic(starts)),
      n.shapeAttr(symbolic(merged)), n.builder.getDenseI64ArrayAttr(strides));
}

/// The pads of the convolution over the spread input; its strides are 1.
static LogicalResult transposePads(NodeLowering &n, WindowAttributes &window) {
  unsigned spatial = window.kernel.size();
  auto added =
      n.integers("output_padding").value_or(SmallVector<int64_t>(spatial, 0));
  if (added.size() != spatial)
    return n.fail("has an output_padding of another length than its spatial "
                  "dimensions");
  for (unsigned i = 0; i < spatial; ++i)
    if (added[i] < 0 ||
        added[i] >= std::max(window.strides[i], window.dilations[i]))
      return n.fail("has an output_padding of " + Twine(added[i]) +
                    ", expected less than its stride or dilation");
  for (unsigned i = 0; i < spatial; ++i) {
    int64_t reach = window.extent(i) - 1;
    window.padsBegin[i] = reach - window.padsBegin[i];
    window.padsEnd[i] = reach - window.padsEnd[i] + added[i];
    if (window.padsBegin[i] < 0 || window.padsEnd[i] < 0)
      return n.fail("has pads above its kernel's reach; slice its result "
                    "instead");
  }
  return success();
}

/// The gradient of a convolution is a convolution of the input with zeros
/// between its elements.
static LogicalResult convTranspose(NodeLowering &n) {
  int64_t groups;
  FailureOr<SmallVector<int64_t>> sizes = weightSizes(n, groups);
  if (failed(requireFloat32(n)) || failed(sizes))
    return failure();
  if (n.integers("output_shape") || n.text("auto_pad", "NOTSET") != "NOTSET")
    return n.fail("has output_shape or auto_pad, expected pads; give the pads "
                  "in the export");
  auto window = readWindow(n, ArrayRef<int64_t>(*sizes).drop_front(2));
  if (failed(window) || failed(transposePads(n, *window)) ||
      failed(n.equate(n.input(0).shape[1], SizeExpr((*sizes)[0]),
                      "as many input channels as its weight has")))
    return failure();
  Value x = spread(n, toChannelsLast(n, n.value(0)), window->strides);
  window->strides.assign(window->strides.size(), 1);
  return finish(n, x, reversedWeight(n, *sizes, groups), *window, groups);
}

void legalize::registerConvolutions(Registry &registry) {
  registry.add("Conv", conv);
  registry.add("ConvTranspose", convTranspose);
}
