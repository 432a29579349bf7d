//===- Selection.cpp - ArgMax, ArgMin, TopK -------------------------------===//
#include "Selection.h"
#include "ElementwiseHelpers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

/// Whether both are equal; NaN equals nothing.
static Value equal(NodeLowering &n, Value a, Value b) {
  if (isa<FloatType>(n.element(a)))
    return n.builder.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, a, b);
  return n.builder.create<arith::CmpIOp>(arith::CmpIPredicate::eq, a, b);
}

Value legalize::indexOfBest(NodeLowering &n, Value x, int64_t axis,
                            StringRef kind, bool takesLast) {
  SymbolicShape shape = n.shape(x);
  ImplicitLocOpBuilder &b = n.builder;
  Type i64 = b.getI64Type();
  Value best = n.broadcast(n.reduceKept(kind, x, axis), shape);
  Value isBest = equal(n, x, best);
  if (isa<FloatType>(n.element(x))) {
    Value isNaN = b.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
    isBest = b.create<arith::OrIOp>(isBest, isNaN);
  }
  // What no element of the axis has, and what loses against all of them.
  Value none = takesLast ? n.splat(-1, i64, shape)
                         : n.broadcast(n.sizeAs(shape[axis], i64), shape);
  Value candidates =
      b.create<arith::SelectOp>(isBest, n.positions(shape, axis, i64), none);
  return n.reduceKept(takesLast ? "max" : "min", candidates, axis);
}

static LogicalResult argBest(NodeLowering &n, StringRef kind) {
  FailureOr<int64_t> axis = n.axis(n.integer("axis", 0), n.rank(0));
  if (failed(axis))
    return failure();
  bool takesLast = n.integer("select_last_index", 0) != 0;
  Value index =
      indexOfBest(n, toOrdered(n, n.value(0)), *axis, kind, takesLast);
  if (n.integer("keepdims", 1))
    return n.result(index);
  SymbolicShape shape = n.shape(index);
  shape.erase(shape.begin() + *axis);
  return n.result(n.reshape(index, shape));
}

static LogicalResult argMax(NodeLowering &n) { return argBest(n, "max"); }
static LogicalResult argMin(NodeLowering &n) { return argBest(n, "min"); }

//===----------------------------------------------------------------------===//
// TopK
//===----------------------------------------------------------------------===//

/// `value` with dimension `dim` inserted, repeated along it.
static Value repeatedAlong(NodeLowering &n, Value value, int64_t dim,
                           const SizeExpr &size) {
  SymbolicShape shape = n.shape(value);
  shape.insert(shape.begin() + dim, size);
  SmallVector<int64_t> dims;
  for (int64_t i = 0, rank = shape.size(); i < rank; ++i)
    if (i != dim)
      dims.push_back(i);
  return n.make<BroadcastOp>(n.element(value), value,
                             n.builder.getDenseI64ArrayAttr(dims),
                             n.shapeAttr(shape));
}

/// How many elements of its row stand before each element in descending (or
/// ascending) order: those that are larger, and equal ones with a lower index.
static Value ranksOf(NodeLowering &n, Value x, bool descends) {
  ImplicitLocOpBuilder &b = n.builder;
  Type i64 = b.getI64Type();
  int64_t last = n.rankOf(x) - 1;
  SizeExpr size = n.shape(x)[last];
  Value self = repeatedAlong(n, x, last + 1, size);
  Value other = repeatedAlong(n, x, last, size);
  SymbolicShape pairs = n.shape(self);
  Value high = descends ? other : self, low = descends ? self : other;
  Value isAhead;
  if (isa<FloatType>(n.element(x)))
    isAhead = b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, high, low);
  else
    isAhead = b.create<arith::CmpIOp>(arith::CmpIPredicate::sgt, high, low);
  Value isLower = b.create<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                          n.positions(pairs, last + 1, i64),
                                          n.positions(pairs, last, i64));
  Value isTie = b.create<arith::AndIOp>(equal(n, other, self), isLower);
  Value counts =
      b.create<arith::SelectOp>(b.create<arith::OrIOp>(isAhead, isTie),
                                n.splat(1, i64, pairs), n.splat(0, i64, pairs));
  return n.make<ReduceOp>(i64, counts, "sum", b.getDenseI64ArrayAttr(last + 1));
}

/// For each of `count` ranks the element of `values` that has it; ranks and
/// values are [.., n], the result [.., count].
static Value elementsByRank(NodeLowering &n, Value values, Value ranks,
                            const SizeExpr &count) {
  int64_t last = n.rankOf(values) - 1;
  Value wide = repeatedAlong(n, values, last, count);
  Value wideRanks = repeatedAlong(n, ranks, last, count);
  SymbolicShape shape = n.shape(wide);
  Value wanted = n.positions(shape, last, n.element(ranks));
  Value chosen = n.builder.create<arith::SelectOp>(equal(n, wideRanks, wanted),
                                                   wide, n.splatLike(0, wide));
  // One term is not 0.
  return n.make<ReduceOp>(n.element(values), chosen, "sum",
                          n.builder.getDenseI64ArrayAttr(last + 1));
}

/// Ranks by comparing all pairs of a row: no sort, any size, and equal elements
/// in the order of their indices. Its cost grows with the square of the row.
static LogicalResult topK(NodeLowering &n) {
  FailureOr<int64_t> axis = n.axis(n.integer("axis", -1), n.rank(0));
  if (failed(axis))
    return failure();
  const SizeContent *content = n.has(1) ? n.content(1) : nullptr;
  if (n.has(1) && (!content || content->size() != 1))
    return n.fail("computes k from data, expected a size or a constant");
  SizeExpr k = content ? content->front() : SizeExpr(n.integer("k", 0));
  const SizeExpr size = n.input(0).shape[*axis];
  if (!isNonNegative(k) || isDifferent(k, smaller(k, size)))
    return n.fail("takes " + k.str() + " of " + size.str() +
                  " elements, expected at most all; correct the model");
  SmallVector<int64_t> permutation;
  for (int64_t i = 0; i < n.rank(0); ++i)
    permutation.push_back(i);
  std::swap(permutation[*axis], permutation.back());
  Value x = n.transpose(toOrdered(n, n.value(0)), permutation);
  Value ranks = ranksOf(n, x, n.integer("largest", 1) != 0);
  Value indices = n.positions(n.shape(x), n.rankOf(x) - 1, n.element(ranks));
  Value values = n.transpose(elementsByRank(n, x, ranks, k), permutation);
  if (failed(resultOfOrdered(n, values, n.input(0).element)))
    return failure();
  if (!n.isUsed(1))
    return success();
  return n.result(
      n.transpose(elementsByRank(n, indices, ranks, k), permutation), 1);
}

void legalize::registerSelections(Registry &registry) {
  registry.add("ArgMax", argMax);
  registry.add("ArgMin", argMin);
  registry.add("TopK", topK);
}
