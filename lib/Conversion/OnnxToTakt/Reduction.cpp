//===- Reduction.cpp - Reduce* --------------------------------------------===//
#include "Registry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

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

static LogicalResult finish(NodeLowering &n, Value value,
                            const Reduced &reduced) {
  if (!reduced.keeps)
    return n.result(value);
  SymbolicShape shape = n.input(0).shape;
  for (int64_t axis : reduced.axes)
    shape[axis] = SizeExpr(1);
  return n.result(n.reshape(value, shape));
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
  return finish(n, reduce(n, n.value(0), kind, reduced->axes), *reduced);
}

static LogicalResult reduceSum(NodeLowering &n) { return reduceBy(n, "sum"); }
static LogicalResult reduceMax(NodeLowering &n) { return reduceBy(n, "max"); }
static LogicalResult reduceMin(NodeLowering &n) { return reduceBy(n, "min"); }
static LogicalResult reduceProd(NodeLowering &n) { return reduceBy(n, "prod"); }

static LogicalResult reduceMean(NodeLowering &n) {
  FailureOr<Reduced> reduced = reducedAxes(n);
  if (failed(reduced))
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
  if (failed(reduced))
    return failure();
  Value sum = reduce(n, squared(n, n.value(0)), "sum", reduced->axes);
  return finish(n, sum, *reduced);
}

static LogicalResult reduceL1(NodeLowering &n) {
  FailureOr<Reduced> reduced = reducedAxes(n);
  if (failed(reduced))
    return failure();
  if (!isa<FloatType>(n.input(0).element))
    return n.fail("has an integer operand, expected floats; insert a Cast");
  Value x = n.builder.create<math::AbsFOp>(n.value(0));
  return finish(n, reduce(n, x, "sum", reduced->axes), *reduced);
}

static LogicalResult reduceL2(NodeLowering &n) {
  FailureOr<Reduced> reduced = reducedAxes(n);
  if (failed(reduced))
    return failure();
  if (!isa<FloatType>(n.input(0).element))
    return n.fail("has an integer operand, expected floats; insert a Cast");
  Value sum = reduce(n, squared(n, n.value(0)), "sum", reduced->axes);
  return finish(n, n.builder.create<math::SqrtOp>(sum), *reduced);
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
}
