//===- IndexMasks.cpp - what compares positions: Trilu, OneHot, .. --------===//
#include "ElementwiseHelpers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

static Value compare(NodeLowering &n, arith::CmpIPredicate predicate, Value a,
                     Value b) {
  return n.builder.create<arith::CmpIOp>(predicate, a, b);
}

/// The elements on and above (or below) the k-th diagonal of the last two
/// dimensions; 0 elsewhere.
static LogicalResult trilu(NodeLowering &n) {
  if (n.rank(0) < 2)
    return n.fail("has an input of rank " + Twine(n.rank(0)) +
                  ", expected matrices; correct the model");
  Value x = n.value(0);
  SymbolicShape shape = n.shape(x);
  int64_t last = shape.size() - 1;
  Type i64 = n.builder.getI64Type();
  Value diagonal = n.builder.create<arith::SubIOp>(
      n.positions(shape, last, i64), n.positions(shape, last - 1, i64));
  Value k = n.has(1) ? n.reshape(n.value(1), {}) : n.constant(0, i64);
  auto predicate = n.integer("upper", 1) ? arith::CmpIPredicate::sge
                                         : arith::CmpIPredicate::sle;
  Value keeps = compare(n, predicate, diagonal, n.broadcast(k, shape));
  return n.result(
      n.builder.create<arith::SelectOp>(keeps, x, n.splatLike(0, x)));
}

/// 1 on the k-th diagonal of a matrix of the input's size.
static LogicalResult eyeLike(NodeLowering &n) {
  const SymbolicShape shape = n.input(0).shape;
  Type element = n.input(0).element;
  if (n.node.attribute("dtype"))
    element = elementTypeOf(n.integer("dtype", 0), n.builder);
  if (shape.size() != 2 || !element)
    return n.fail("makes " + shapeText(shape) +
                  " of a type of its own, expected a matrix of floats of 16 "
                  "to 64 bits, integers of 8 to 64 bits or bool");
  Type i64 = n.builder.getI64Type();
  Value diagonal = n.builder.create<arith::SubIOp>(n.positions(shape, 1, i64),
                                                   n.positions(shape, 0, i64));
  Value isOne = compare(n, arith::CmpIPredicate::eq, diagonal,
                        n.splat(n.integer("k", 0), i64, shape));
  return n.result(n.builder.create<arith::SelectOp>(
      isOne, n.splat(1, element, shape), n.splat(0, element, shape)));
}

//===----------------------------------------------------------------------===//
// OneHot
//===----------------------------------------------------------------------===//

/// Element `index` of input 2, [off, on], as a scalar.
static Value chosenValue(NodeLowering &n, int64_t index) {
  return n.reshape(n.part(n.value(2), 0, SizeExpr(index), 1), {});
}

/// The depth, which may be written as a float; nullopt if it is not known.
static std::optional<SizeExpr> readDepth(NodeLowering &n) {
  if (const SizeContent *content = n.content(1))
    return content->size() == 1 ? std::optional(content->front())
                                : std::nullopt;
  DenseFPElementsAttr depth;
  if (!matchPattern(n.value(1), m_Constant(&depth)) ||
      depth.getNumElements() != 1)
    return std::nullopt;
  double value = depth.getSplatValue<FloatAttr>().getValueAsDouble();
  if (!(value >= 0 && value <= INT32_MAX))
    return std::nullopt;
  return SizeExpr(int64_t(value));
}

/// on where the position along a new dimension is the index, else off; negative
/// indices count from the end, others outside are off throughout.
static LogicalResult oneHot(NodeLowering &n) {
  std::optional<SizeExpr> depth = readDepth(n);
  if (!depth || !isNonNegative(*depth))
    return n.fail("computes its depth from data, expected a size or a "
                  "constant");
  if (n.rank(2) != 1 || isDifferent(n.input(2).shape[0], 2))
    return n.fail("has values of shape " + shapeText(n.input(2).shape) +
                  ", expected [2], off and on; correct the model");
  if (failed(n.equate(n.input(2).shape[0], 2, "two values")))
    return failure();
  SymbolicShape shape = n.input(0).shape;
  FailureOr<int64_t> axis = n.axis(n.integer("axis", -1), shape.size() + 1);
  if (failed(axis))
    return failure();
  shape.insert(shape.begin() + *axis, *depth);
  SymbolicShape kept = shape;
  kept[*axis] = SizeExpr(1);
  Type i64 = n.builder.getI64Type();
  Value indices = convertTo(n, n.value(0), i64);
  Value fromEnd = n.builder.create<arith::AddIOp>(
      indices, n.broadcast(n.sizeAs(*depth, i64), n.shape(indices)));
  Value isNegative =
      compare(n, arith::CmpIPredicate::slt, indices, n.splatLike(0, indices));
  indices = n.builder.create<arith::SelectOp>(isNegative, fromEnd, indices);
  Value isOn =
      compare(n, arith::CmpIPredicate::eq, n.positions(shape, *axis, i64),
              n.broadcast(n.reshape(indices, kept), shape));
  return n.result(n.builder.create<arith::SelectOp>(
      isOn, n.broadcast(chosenValue(n, 1), shape),
      n.broadcast(chosenValue(n, 0), shape)));
}

//===----------------------------------------------------------------------===//
// CumSum, CumProd
//===----------------------------------------------------------------------===//

/// Sums or products over the positions before each one. Their number grows with
/// the square of the dimension; nothing is stored between.
static LogicalResult accumulate(NodeLowering &n, StringRef kind,
                                double neutral) {
  auto given = n.constants(1);
  if (!given || given->size() != 1)
    return n.fail("computes its axis from data, expected a constant");
  FailureOr<int64_t> axis = n.axis(given->front(), n.rank(0));
  if (failed(axis))
    return failure();
  Value x = asSignless(n, n.value(0));
  // The result's position is dimension `axis`, the summed one the next.
  SymbolicShape pairs = n.shape(x);
  pairs.insert(pairs.begin() + *axis, pairs[*axis]);
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < n.rank(0); ++i)
    dims.push_back(i < *axis ? i : i + 1);
  Value wide =
      n.make<BroadcastOp>(n.element(x), x, n.builder.getDenseI64ArrayAttr(dims),
                          n.shapeAttr(pairs));
  bool isExclusive = n.integer("exclusive", 0) != 0;
  bool isReverse = n.integer("reverse", 0) != 0;
  using Predicate = arith::CmpIPredicate;
  Predicate counts = isReverse
                         ? (isExclusive ? Predicate::sgt : Predicate::sge)
                         : (isExclusive ? Predicate::slt : Predicate::sle);
  Type i64 = n.builder.getI64Type();
  Value isCounted = compare(n, counts, n.positions(pairs, *axis + 1, i64),
                            n.positions(pairs, *axis, i64));
  Value terms = n.builder.create<arith::SelectOp>(isCounted, wide,
                                                  n.splatLike(neutral, wide));
  Value sums = n.make<ReduceOp>(n.element(x), terms, kind,
                                n.builder.getDenseI64ArrayAttr(*axis + 1));
  return resultAs(n, sums, n.input(0).element);
}

static LogicalResult cumSum(NodeLowering &n) { return accumulate(n, "sum", 0); }
static LogicalResult cumProd(NodeLowering &n) {
  return accumulate(n, "prod", 1);
}

void legalize::registerIndexMasks(Registry &registry) {
  registry.add("Trilu", trilu, 14);
  registry.add("EyeLike", eyeLike, 9);
  registry.add("OneHot", oneHot, 9);
  registry.add("CumSum", cumSum, 11);
  registry.add("CumProd", cumProd, 26);
}
