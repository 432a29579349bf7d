//===- Attention.cpp - Attention of opset 23 ------------------------------===//
#include "ElementwiseHelpers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

namespace {
/// The operands with explicit heads: [B, H, S, D], [B, H, T, D], [B, H, T, E];
/// the mask, if there is one, broadcasts to [B, H, S, T].
struct Operands {
  Value query, key, value, mask;
  double scale;

  SymbolicShape scores(NodeLowering &n) const {
    SymbolicShape shape = n.shape(query);
    shape[3] = n.shape(key)[2];
    return shape;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

/// Input `index` as [B, heads, S, D]; of rank 3 it is [B, S, heads * D].
static FailureOr<Value> withHeads(NodeLowering &n, unsigned index,
                                  StringRef attribute) {
  FailureOr<Value> x = floatInput(n, index);
  if (failed(x) || n.rankOf(*x) == 4)
    return x;
  int64_t heads = n.integer(attribute, 0);
  SymbolicShape shape = n.shape(*x);
  auto depth = shape.size() == 3 && heads > 0
                   ? shape[2].exactDiv(SizeExpr(heads))
                   : std::nullopt;
  if (!depth)
    return LogicalResult(n.fail("has input " + Twine(index) + " of shape " +
                                shapeText(shape) + " with " + attribute +
                                " = " + Twine(heads) +
                                ", expected [B, heads, S, D], or [B, S, "
                                "heads * D] with the number of heads"));
  Value split = n.reshape(*x, {shape[0], shape[1], SizeExpr(heads), *depth});
  return n.transpose(split, {0, 2, 1, 3});
}

/// Input `past` and what follows it; the whole is output `present`.
static FailureOr<Value> withPast(NodeLowering &n, Value x, unsigned past,
                                 unsigned present) {
  if (n.has(past)) {
    if (n.rank(past) != 4)
      return LogicalResult(n.fail("has a past of shape " +
                                  shapeText(n.input(past).shape) +
                                  ", expected [B, heads, S, D]"));
    SymbolicShape shape = n.shape(x), before = n.input(past).shape;
    for (int64_t dim : {0, 1, 3})
      if (failed(n.equate(shape[dim], before[dim],
                          "a past of the same batch, heads and depth")))
        return failure();
    shape[2] = before[2];
    x = n.concat({n.reshape(n.value(past), shape), x}, 2);
  }
  if (n.isUsed(present) && failed(n.result(x, present)))
    return failure();
  return x;
}

/// Each head of x `repeats` times, for groups of query heads that share it.
static Value repeatHeads(NodeLowering &n, Value x, const SizeExpr &repeats) {
  if (repeats.isConstant(1))
    return x;
  SymbolicShape shape = n.shape(x), split = shape, merged = shape;
  split.insert(split.begin() + 2, SizeExpr(1));
  SymbolicShape repeated = split;
  repeated[2] = repeats;
  merged[1] = shape[1] * repeats;
  return n.reshape(n.broadcast(n.reshape(x, split), repeated), merged);
}

//===----------------------------------------------------------------------===//
// The mask
//===----------------------------------------------------------------------===//

/// 0 where `condition` holds, else -inf.
static Value biasWhere(NodeLowering &n, Value condition, Type element) {
  ArrayRef<SizeExpr> shape = n.shape(condition);
  return n.builder.create<arith::SelectOp>(condition,
                                           n.splat(0, element, shape),
                                           n.splat(-INFINITY, element, shape));
}

/// Input 3 as a bias of rank 4; keys beyond its end are masked.
static FailureOr<Value> givenMask(NodeLowering &n, const Operands &o) {
  Value mask = n.value(3);
  Type element = n.element(o.query);
  if (n.element(mask).isInteger(1))
    mask = biasWhere(n, mask, element);
  if (n.element(mask) != element || n.rankOf(mask) < 2 || n.rankOf(mask) > 4)
    return LogicalResult(n.fail("has a mask of shape " +
                                shapeText(n.input(3).shape) +
                                ", expected rank 2 to 4 in the query's type or "
                                "bool"));
  SymbolicShape shape = n.shape(mask);
  shape.insert(shape.begin(), 4 - shape.size(), SizeExpr(1));
  mask = n.reshape(mask, shape);
  SizeExpr missing = n.shape(o.key)[2] - shape[3];
  if (!missing.isConstant(0) && isNonNegative(missing)) {
    shape[3] = missing;
    mask = n.concat({mask, n.splat(-INFINITY, element, shape)}, 3);
  }
  if (failed(n.commonShape({n.shape(mask), o.scores(n)})))
    return failure();
  return mask;
}

/// Queries see the past and the keys up to their own.
static Value causalMask(NodeLowering &n, const Operands &o) {
  SymbolicShape shape = o.scores(n);
  shape[0] = shape[1] = SizeExpr(1);
  Type i64 = n.builder.getI64Type();
  SizeExpr past = n.has(4) ? n.input(4).shape[2] : SizeExpr(0);
  Value last = n.builder.create<arith::AddIOp>(
      n.positions(shape, 2, i64), n.broadcast(n.sizeAs(past, i64), shape));
  Value isSeen = n.builder.create<arith::CmpIOp>(
      arith::CmpIPredicate::sle, n.positions(shape, 3, i64), last);
  return biasWhere(n, isSeen, n.element(o.query));
}

/// Keys from nonpad_kv_seqlen on, one number per batch, are padding.
static Value paddingMask(NodeLowering &n, const Operands &o) {
  SymbolicShape shape = o.scores(n);
  shape[1] = shape[2] = SizeExpr(1);
  Value lengths = convertTo(n, n.value(6), n.builder.getI64Type());
  Value isSeen = n.builder.create<arith::CmpIOp>(
      arith::CmpIPredicate::slt, n.positions(shape, 3, n.builder.getI64Type()),
      n.alongDim(lengths, 0, shape));
  return biasWhere(n, isSeen, n.element(o.query));
}

/// The sum of all that masks; null if nothing does.
static FailureOr<Value> wholeMask(NodeLowering &n, const Operands &o) {
  SmallVector<Value> parts;
  if (n.has(3)) {
    FailureOr<Value> mask = givenMask(n, o);
    if (failed(mask))
      return failure();
    parts.push_back(*mask);
  }
  if (n.integer("is_causal", 0))
    parts.push_back(causalMask(n, o));
  if (n.has(6))
    parts.push_back(paddingMask(n, o));
  if (parts.empty())
    return Value();
  if (failed(n.broadcastTogether(parts)))
    return failure();
  Value sum = parts.front();
  for (Value part : ArrayRef<Value>(parts).drop_front())
    sum = n.builder.create<arith::AddFOp>(sum, part);
  return sum;
}

//===----------------------------------------------------------------------===//
// The operator
//===----------------------------------------------------------------------===//

/// In steps, for what the op does not say: scores that are capped or an output.
static FailureOr<Value> inSteps(NodeLowering &n, const Operands &o) {
  Type element = n.element(o.query);
  Value product =
      n.make<MatmulOp>(element, o.query, o.key, n.builder.getUnitAttr());
  FloatBuilder b(n, product);
  SmallVector<Value, 4> stages = {b.mul(product, b.number(o.scale))};
  double cap = n.number("softcap", 0);
  stages.push_back(
      cap == 0 ? stages[0]
               : b.mul(b.tanh(b.div(stages[0], b.number(cap))), b.number(cap)));
  SymbolicShape shape = n.shape(product);
  stages.push_back(o.mask ? b.add(stages[1], n.broadcast(o.mask, shape))
                          : stages[1]);
  Value weights = n.make<SoftmaxOp>(element, stages[2], int64_t(3));
  stages.push_back(weights);
  if (o.mask) {
    Value isNaN = n.builder.create<arith::CmpFOp>(arith::CmpFPredicate::UNO,
                                                  weights, weights);
    weights = b.select(isNaN, b.number(0), weights);
  }
  int64_t mode = n.integer("qk_matmul_output_mode", 0);
  if (n.isUsed(3)) {
    if (mode < 0 || mode > 3)
      return LogicalResult(n.fail("has qk_matmul_output_mode = " + Twine(mode) +
                                  ", expected 0 to 3; correct the model"));
    if (failed(n.result(stages[mode], 3)))
      return failure();
  }
  return n.make<MatmulOp>(element, weights, o.value, UnitAttr());
}

static FailureOr<Operands> readOperands(NodeLowering &n) {
  FailureOr<Value> query = withHeads(n, 0, "q_num_heads"), key, value;
  if (failed(query) || failed(key = withHeads(n, 1, "kv_num_heads")) ||
      failed(value = withHeads(n, 2, "kv_num_heads")) ||
      failed(key = withPast(n, *key, 4, 1)) ||
      failed(value = withPast(n, *value, 5, 2)))
    return failure();
  SymbolicShape shape = n.shape(*query);
  auto repeats = shape[1].exactDiv(n.shape(*key)[1]);
  auto depth = shape[3].constant();
  if (!repeats || !depth)
    return LogicalResult(
        n.fail("has " + shape[1].str() + " query heads of depth " +
               shape[3].str() + " for " + n.shape(*key)[1].str() +
               " key heads, expected a multiple and a constant depth"));
  Operands o = {*query, repeatHeads(n, *key, *repeats),
                repeatHeads(n, *value, *repeats), Value(),
                n.number("scale", 1 / std::sqrt(double(*depth)))};
  FailureOr<Value> mask = wholeMask(n, o);
  if (failed(mask))
    return failure();
  o.mask = *mask;
  return o;
}

static LogicalResult attention(NodeLowering &n) {
  bool isMerged = n.rank(0) == 3;
  FailureOr<Operands> o = readOperands(n);
  if (failed(o))
    return failure();
  FailureOr<Value> result;
  if (n.number("softcap", 0) != 0 || n.isUsed(3))
    result = inSteps(n, *o);
  else
    result =
        n.make<AttentionOp>(n.element(o->query), o->query, o->key, o->value,
                            o->mask, n.builder.getF64FloatAttr(o->scale),
                            /*masked_rows_zero=*/n.builder.getUnitAttr());
  if (failed(result) || !isMerged)
    return failed(result) ? failure() : n.result(*result);
  Value merged = n.transpose(*result, {0, 2, 1, 3});
  SymbolicShape shape = n.shape(merged);
  return n.result(n.reshape(merged, {shape[0], shape[1], shape[2] * shape[3]}));
}

void legalize::registerAttentions(Registry &registry) {
  registry.add("Attention", attention, 23);
}
