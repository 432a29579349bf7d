//===- Pooling.cpp - MaxPool, AveragePool and their global forms ----------===//
#include "ElementwiseHelpers.h"
#include "Windows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

/// With ceil_mode a last window that begins inside of the input or its left
/// padding may reach beyond the right one: more padding, up to it.
static LogicalResult padToCeiling(NodeLowering &n, WindowAttributes &window,
                                  bool &isPadded) {
  for (unsigned i = 0; i < window.kernel.size(); ++i) {
    if (window.strides[i] == 1)
      continue;
    auto size = n.input(0).shape[2 + i].constant();
    if (!size)
      return n.fail("has ceil_mode = 1 over a size that depends on the "
                    "request; bind the dimension with --dim");
    int64_t stride = window.strides[i], begin = window.padsBegin[i];
    int64_t room = *size + begin + window.padsEnd[i] - window.extent(i);
    int64_t last = (room + stride - 1) / stride;
    if (last * stride >= *size + begin)
      --last;
    int64_t missing = last * stride - room;
    if (missing > 0) {
      window.padsEnd[i] += missing;
      isPadded = true;
    }
  }
  return success();
}

/// The pool of `x`, of input 0's shape; [N, C, spatial..]. `taps` becomes the
/// kernel's number of elements.
static FailureOr<Value> poolOf(NodeLowering &n, Value x, StringRef kind,
                               int64_t &taps) {
  auto window = readWindow(n);
  if (failed(requireFloat32(n)) || failed(window))
    return failure();
  if (n.isUsed(1))
    return LogicalResult(
        n.fail("has its indices used, expected the first output only"));
  if (llvm::any_of(window->dilations, [](int64_t step) { return step != 1; }))
    return LogicalResult(n.fail("has dilations, expected none"));
  bool isPadded = false;
  if (n.integer("ceil_mode", 0) && failed(padToCeiling(n, *window, isPadded)))
    return failure();
  if (isPadded && kind == "average_include_pad")
    return LogicalResult(
        n.fail("has ceil_mode = 1 with count_include_pad = 1, whose last "
               "windows count less; pad the input in the export"));
  for (unsigned i = 0; i < window->kernel.size(); ++i)
    if (window->padsBegin[i] >= window->kernel[i] ||
        window->padsEnd[i] >= window->kernel[i])
      return LogicalResult(
          n.fail("has pads that are not below its kernel's sizes; correct "
                 "the model"));
  taps = 1;
  for (int64_t size : window->kernel)
    taps *= size;
  x = toChannelsLast(n, x);
  Value y = n.make<PoolOp>(n.element(x), x, kind,
                           window->attribute(n, window->kernel),
                           window->attribute(n, window->strides),
                           window->attribute(n, window->padsBegin),
                           window->attribute(n, window->padsEnd));
  return toChannelsFirst(n, y);
}

static LogicalResult pool(NodeLowering &n, StringRef kind) {
  int64_t taps;
  FailureOr<Value> y = poolOf(n, n.value(0), kind, taps);
  return failed(y) ? failure() : n.result(*y);
}

static LogicalResult maxPool(NodeLowering &n) { return pool(n, "max"); }

static LogicalResult averagePool(NodeLowering &n) {
  return pool(n, n.integer("count_include_pad", 0) ? "average_include_pad"
                                                   : "average");
}

/// |x|^p.
static Value power(FloatBuilder b, Value x, double p) {
  if (p == 1)
    return b.abs(x);
  if (p == 2)
    return b.mul(x, x);
  return p == 0.5 ? b.sqrt(x) : b.pow(b.abs(x), b.number(p));
}

/// The p-norm of each window: a mean, times the number of its elements.
static LogicalResult lpPool(NodeLowering &n) {
  FailureOr<Value> x = floatInput(n, 0);
  int64_t p = n.integer("p", 2), taps;
  if (failed(x))
    return failure();
  if (p < 1)
    return n.fail("has p = " + Twine(p) + ", expected 1 or more");
  FailureOr<Value> mean =
      poolOf(n, power(FloatBuilder(n, *x), *x, p), "average_include_pad", taps);
  if (failed(mean))
    return failure();
  FloatBuilder b(n, *mean);
  return n.result(power(b, b.mul(*mean, b.number(taps)), 1.0 / p));
}

//===----------------------------------------------------------------------===//
// The window is the whole plane
//===----------------------------------------------------------------------===//

static FailureOr<Value> reducePlane(NodeLowering &n, Value x, StringRef kind) {
  if (n.rank(0) < 3)
    return LogicalResult(n.fail("has an input of rank " + Twine(n.rank(0)) +
                                ", expected [N, C, spatial..]"));
  auto axes = llvm::to_vector(llvm::seq<int64_t>(2, n.rank(0)));
  return n.make<ReduceOp>(n.element(x), x, kind,
                          n.builder.getDenseI64ArrayAttr(axes));
}

static LogicalResult finishPlane(NodeLowering &n, Value reduced) {
  SymbolicShape shape = n.input(0).shape;
  std::fill(shape.begin() + 2, shape.end(), SizeExpr(1));
  return n.result(n.reshape(reduced, shape));
}

static LogicalResult globalMaxPool(NodeLowering &n) {
  FailureOr<Value> largest = reducePlane(n, n.value(0), "max");
  return failed(largest) ? failure() : finishPlane(n, *largest);
}

static LogicalResult globalAveragePool(NodeLowering &n) {
  FailureOr<Value> sum = reducePlane(n, n.value(0), "sum");
  if (failed(sum) || failed(requireFloat32(n)))
    return failure();
  SizeExpr count = product(ArrayRef<SizeExpr>(n.input(0).shape).drop_front(2));
  Value divisor = n.broadcast(n.sizeAs(count, n.element(*sum)), n.shape(*sum));
  return finishPlane(n, n.builder.create<arith::DivFOp>(*sum, divisor));
}

static LogicalResult globalLpPool(NodeLowering &n) {
  FailureOr<Value> x = floatInput(n, 0);
  int64_t p = n.integer("p", 2);
  if (failed(x))
    return failure();
  if (p < 1)
    return n.fail("has p = " + Twine(p) + ", expected 1 or more");
  FailureOr<Value> sum =
      reducePlane(n, power(FloatBuilder(n, *x), *x, p), "sum");
  if (failed(sum))
    return failure();
  return finishPlane(n, power(FloatBuilder(n, *sum), *sum, 1.0 / p));
}

void legalize::registerPools(Registry &registry) {
  registry.add("MaxPool", maxPool);
  registry.add("AveragePool", averagePool);
  registry.add("LpPool", lpPool);
  registry.add("GlobalLpPool", globalLpPool);
  registry.add("GlobalMaxPool", globalMaxPool);
  registry.add("GlobalAveragePool", globalAveragePool);
}
