//===- Reduction.cpp - Reduce* --------------------------------------------===//
#include "ElementwiseHelpers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

namespace {
/// Which dimensions go, and whether size 1 stays in their place.
struct Reduced {
  SmallVector<int64_t> axes;
  bool keeps;
};
} // namespace

static FailureOr<Reduced> reducedAxes(NodeLowering &n) {
  auto given = n.attributeOrInput("axes", 1);
  if (failed(given))
    return failure();
  Reduced reduced{{}, n.integer("keepdims", 1) != 0};
  if (*given && !(**given).empty()) {
    FailureOr<SmallVector<int64_t>> axes = n.axes(**given, n.rank(0));
    if (failed(axes))
      return failure();
    reduced.axes = *axes;
  } else if (n.integer("noop_with_empty_axes", 0) == 0) {
    for (int64_t i = 0; i < n.rank(0); ++i)
      reduced.axes.push_back(i);
  }
  return reduced;
}

static Value reduce(NodeLowering &n, Value x, StringRef kind,
                    ArrayRef<int64_t> axes) {
  if (axes.empty())
    return x;
  return n.make<ReduceOp>(n.element(x), x, kind,
                          n.builder.getDenseI64ArrayAttr(axes));
}

static SymbolicShape keptShape(NodeLowering &n, const Reduced &reduced) {
  SymbolicShape shape = n.input(0).shape;
  for (int64_t axis : reduced.axes)
    shape[axis] = SizeExpr(1);
  return shape;
}

static LogicalResult finish(NodeLowering &n, Value value,
                            const Reduced &reduced) {
  return n.result(reduced.keeps ? n.reshape(value, keptShape(n, reduced))
                                : value);
}

/// Sum and Prod of sizes are sizes.
static LogicalResult reduceContent(NodeLowering &n, StringRef kind,
                                   const Reduced &reduced) {
  const SizeContent *content = n.content(0);
  if (!content || n.rank(0) != 1 || reduced.axes.size() != 1 ||
      (kind != "sum" && kind != "prod"))
    return failure();
  SizeExpr result = kind == "sum" ? 0 : 1;
  for (const SizeExpr &element : *content)
    result = kind == "sum" ? result + element : result * element;
  if (result.isUndefined())
    return failure();
  SymbolicShape shape;
  if (reduced.keeps)
    shape.push_back(SizeExpr(1));
  return n.result(shape, n.input(0).element, {result});
}

static LogicalResult reduceBy(NodeLowering &n, StringRef kind) {
  FailureOr<Reduced> reduced = reducedAxes(n);
  if (failed(reduced))
    return failure();
  if (succeeded(reduceContent(n, kind, *reduced)))
    return success();
  Type element = n.input(0).element;
  if (!element.isUnsignedInteger())
    return finish(n, reduce(n, n.value(0), kind, reduced->axes), *reduced);
  // Sums and products have the same bits as signed ones.
  bool isOrdering = kind == "max" || kind == "min";
  Value x = isOrdering ? toOrdered(n, n.value(0)) : asSignless(n, n.value(0));
  Value result = reduce(n, x, kind, reduced->axes);
  if (reduced->keeps)
    result = n.reshape(result, keptShape(n, *reduced));
  return isOrdering ? resultOfOrdered(n, result, element)
                    : resultAs(n, result, element);
}

static LogicalResult reduceSum(NodeLowering &n) { return reduceBy(n, "sum"); }
static LogicalResult reduceMax(NodeLowering &n) { return reduceBy(n, "max"); }
static LogicalResult reduceMin(NodeLowering &n) { return reduceBy(n, "min"); }
static LogicalResult reduceProd(NodeLowering &n) { return reduceBy(n, "prod"); }

static LogicalResult refuseUnsigned(NodeLowering &n) {
  if (!n.input(0).element.isUnsignedInteger())
    return success();
  return n.fail("reduces unsigned integers, expected floats or signed "
                "integers; insert a Cast");
}

static LogicalResult reduceMean(NodeLowering &n) {
  FailureOr<Reduced> reduced = reducedAxes(n);
  if (failed(reduced) || failed(refuseUnsigned(n)))
    return failure();
  SizeExpr count = 1;
  for (int64_t axis : reduced->axes)
    count = count * n.input(0).shape[axis];
  Value sum = reduce(n, n.value(0), "sum", reduced->axes);
  Value divisor = n.broadcast(n.sizeAs(count, n.element(sum)), n.shape(sum));
  Value mean = isa<FloatType>(n.element(sum))
                   ? n.builder.create<arith::DivFOp>(sum, divisor).getResult()
                   : n.builder.create<arith::DivSIOp>(sum, divisor).getResult();
  return finish(n, mean, *reduced);
}

static Value squared(NodeLowering &n, Value x) {
  if (isa<FloatType>(n.element(x)))
    return n.builder.create<arith::MulFOp>(x, x);
  return n.builder.create<arith::MulIOp>(x, x);
}

static LogicalResult reduceSumSquare(NodeLowering &n) {
  FailureOr<Reduced> reduced = reducedAxes(n);
  if (failed(reduced) || failed(refuseUnsigned(n)))
    return failure();
  Value sum = reduce(n, squared(n, n.value(0)), "sum", reduced->axes);
  return finish(n, sum, *reduced);
}

static LogicalResult reduceL1(NodeLowering &n) {
  FailureOr<Reduced> reduced = reducedAxes(n);
  FailureOr<Value> input = floatInput(n, 0);
  if (failed(reduced) || failed(input))
    return failure();
  Value x = n.builder.create<math::AbsFOp>(*input);
  return finish(n, reduce(n, x, "sum", reduced->axes), *reduced);
}

static LogicalResult reduceL2(NodeLowering &n) {
  FailureOr<Reduced> reduced = reducedAxes(n);
  FailureOr<Value> x = floatInput(n, 0);
  if (failed(reduced) || failed(x))
    return failure();
  Value sum = reduce(n, squared(n, *x), "sum", reduced->axes);
  return finish(n, n.builder.create<math::SqrtOp>(sum), *reduced);
}

static LogicalResult reduceLogSum(NodeLowering &n) {
  FailureOr<Reduced> reduced = reducedAxes(n);
  FailureOr<Value> x = floatInput(n, 0);
  if (failed(reduced) || failed(x))
    return failure();
  Value sum = reduce(n, *x, "sum", reduced->axes);
  return finish(n, n.builder.create<math::LogOp>(sum), *reduced);
}

/// max + log(sum(exp(x - max))), which does not overflow. An infinite maximum
/// is the result itself.
static LogicalResult reduceLogSumExp(NodeLowering &n) {
  FailureOr<Reduced> reduced = reducedAxes(n);
  FailureOr<Value> x = floatInput(n, 0);
  if (failed(reduced) || failed(x))
    return failure();
  if (reduced->axes.empty())
    return n.result(*x);
  FloatBuilder wide(n, *x);
  Value max = n.reduceKept("max", *x, reduced->axes);
  FloatBuilder b(n, max);
  Value isFinite = b.less(b.abs(max), b.number(INFINITY));
  max = b.select(isFinite, max, b.number(0));
  Value shifted = wide.sub(*x, n.broadcast(max, n.shape(*x)));
  Value sum = n.reduceKept("sum", wide.exp(shifted), reduced->axes);
  Value result = b.add(max, b.log(sum));
  SymbolicShape dropped;
  for (auto [i, size] : llvm::enumerate(n.shape(*x)))
    if (!llvm::is_contained(reduced->axes, int64_t(i)))
      dropped.push_back(size);
  return finish(n, n.reshape(result, dropped), *reduced);
}

void legalize::registerReductions(Registry &registry) {
  registry.add("ReduceSum", reduceSum);
  registry.add("ReduceMax", reduceMax);
  registry.add("ReduceMin", reduceMin);
  registry.add("ReduceProd", reduceProd);
  registry.add("ReduceMean", reduceMean);
  registry.add("ReduceSumSquare", reduceSumSquare);
  registry.add("ReduceL1", reduceL1);
  registry.add("ReduceL2", reduceL2);
  registry.add("ReduceLogSum", reduceLogSum);
  registry.add("ReduceLogSumExp", reduceLogSumExp);
}
