//===- RecognizeNormalizations.cpp - softmax and layer norm ---------------===//
#include "RecognizeIdioms.h"

using namespace mlir;
using namespace takt;
using namespace takt::idioms;

//===----------------------------------------------------------------------===//
// Softmax: e / sum(e) with e = exp(x - max(x)), over the last dimension
//===----------------------------------------------------------------------===//

Value idioms::recognizeSoftmax(Recognition &r, Operation *op) {
  auto last = dyn_cast<arith::DivFOp>(op);
  auto exp = last ? last.getLhs().getDefiningOp<math::ExpOp>() : math::ExpOp();
  if (!exp)
    return {};
  Matched matched;
  matched.insert(last);
  matched.insert(exp);
  Value sum = rowsOf(r, last.getRhs());
  if (!sum || reducedRows(r, sum, "sum", matched) != exp.getResult())
    return {};
  auto shifted = exp.getOperand().getDefiningOp<arith::SubFOp>();
  Value max = shifted ? rowsOf(r, shifted.getRhs()) : Value();
  if (!max || reducedRows(r, max, "max", matched) != shifted.getLhs())
    return {};
  matched.insert(shifted);
  matched.insert(last.getRhs().getDefiningOp());
  matched.insert(shifted.getRhs().getDefiningOp());
  if (!areInnerValuesPrivate(matched, last))
    return {};
  Value x = shifted.getLhs();
  int64_t rank = r.sizes.shape(x).size();
  return r.make<SoftmaxOp>(last.getLoc(), getElementTypeOrSelf(x.getType()), x,
                           rank - 1);
}

//===----------------------------------------------------------------------===//
// Layer norm: (d / sqrt(mean(d * d) + epsilon)) * scale + bias, d = x - mean(x)
//===----------------------------------------------------------------------===//

/// The x whose mean over its static last dimension `value` is.
static Value meanOf(Recognition &r, Value value, Matched &matched) {
  Value mean = withoutUnit(r, value);
  if (mean != value)
    matched.insert(value.getDefiningOp());
  Matched scaling;
  Product product = productOf(mean, {}, scaling);
  if (product.factors.size() != 1 || scaling.empty())
    return {};
  Value x = reducedRows(r, product.factors[0], "sum", matched);
  if (!x)
    return {};
  auto count = r.sizes.shape(x).back().constant();
  if (!count || !isClose(product.constant * *count, 1.0))
    return {};
  matched.insert(scaling.begin(), scaling.end());
  return x;
}

/// d and epsilon, where `value` is sqrt(mean(d * d) + epsilon), per row.
static Value deviationOf(Recognition &r, Value value, double &epsilon,
                         Matched &matched) {
  Value rows = withoutUnit(r, value);
  if (rows != value)
    matched.insert(value.getDefiningOp());
  Operation *root = rows.getDefiningOp();
  if (!isa_and_nonnull<math::SqrtOp, math::RsqrtOp>(root))
    return {};
  auto sum = root->getOperand(0).getDefiningOp<arith::AddFOp>();
  Value variance;
  if (!sum || !eitherOperand(
                  sum,
                  [&](Value v) {
                    auto number = scalarOf(v);
                    epsilon = number.value_or(0);
                    return number.has_value();
                  },
                  variance))
    return {};
  Value squared = meanOf(r, variance, matched);
  auto square =
      squared ? squared.getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  if (!square || square.getLhs() != square.getRhs())
    return {};
  for (Operation *op : {root, sum.getOperation(), square.getOperation()})
    matched.insert(op);
  return square.getLhs();
}

/// d, where `value` is d times the reciprocal of its deviation.
static Value normalizedBy(Recognition &r, Value value, double &epsilon,
                          Matched &matched) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::DivFOp, arith::MulFOp>(op))
    return {};
  matched.insert(op);
  for (unsigned i : {0u, 1u}) {
    Value divided = op->getOperand(i), rows = rowsOf(r, op->getOperand(1 - i));
    if (!rows || (isa<arith::DivFOp>(op) && i == 1))
      continue;
    Matched inner;
    inner.insert(op->getOperand(1 - i).getDefiningOp());
    bool isReciprocal = false;
    Value root = withoutUnit(r, rows);
    if (auto one = root.getDefiningOp<arith::DivFOp>();
        one && scalarOf(one.getLhs()) == 1.0) {
      inner.insert(one);
      if (root != rows)
        inner.insert(rows.getDefiningOp());
      isReciprocal = true;
      rows = one.getRhs();
    }
    Value d = deviationOf(r, rows, epsilon, inner);
    bool hasRsqrt =
        llvm::any_of(inner, [](Operation *o) { return isa<math::RsqrtOp>(o); });
    if (d != divided || !d || (isReciprocal && hasRsqrt) ||
        (isReciprocal || hasRsqrt) == isa<arith::DivFOp>(op))
      continue;
    matched.insert(inner.begin(), inner.end());
    return d;
  }
  return {};
}

/// The vector along the last dimension that `value` repeats; null if none.
static Value vectorOf(Recognition &r, Value value) {
  const SymbolicShape shape = r.sizes.shape(value);
  if (shape.size() == 1)
    return value;
  auto op = value.getDefiningOp<BroadcastOp>();
  if (!op || op.getDims().empty() ||
      op.getDims().back() != int64_t(shape.size()) - 1)
    return {};
  const SymbolicShape from = r.sizes.shape(op.getInput());
  for (const SizeExpr &size : ArrayRef<SizeExpr>(from).drop_back())
    if (!size.isConstant(1))
      return {};
  if (from.back() != shape.back())
    return {};
  return r.reshape(op.getInput(), {from.back()});
}

namespace {
struct Affine {
  Value x, scale;
  double epsilon = 0;
};
} // namespace

/// x and scale, where `value` is the norm of x times the scale.
static std::optional<Affine> scaledNorm(Recognition &r, Value value,
                                        Matched &matched) {
  auto mul = value.getDefiningOp<arith::MulFOp>();
  if (!mul)
    return std::nullopt;
  for (unsigned i : {0u, 1u}) {
    Matched inner;
    Affine affine;
    Value norm = mul->getOperand(i);
    Value d = normalizedBy(r, norm, affine.epsilon, inner);
    auto centered = d ? d.getDefiningOp<arith::SubFOp>() : arith::SubFOp();
    Value mean = centered ? rowsOf(r, centered.getRhs()) : Value();
    if (!mean || meanOf(r, mean, inner) != centered.getLhs())
      continue;
    affine.x = centered.getLhs();
    affine.scale = vectorOf(r, mul->getOperand(1 - i));
    if (!affine.scale)
      continue;
    inner.insert(centered);
    inner.insert(centered.getRhs().getDefiningOp());
    inner.insert(mul);
    matched.insert(inner.begin(), inner.end());
    return affine;
  }
  return std::nullopt;
}

static Value build(Recognition &r, Operation *last, const Affine &affine,
                   Value bias) {
  return r.make<LayerNormOp>(
      last->getLoc(), getElementTypeOrSelf(affine.x.getType()), affine.x,
      affine.scale, bias, r.builder.getF64FloatAttr(affine.epsilon));
}

Value idioms::recognizeLayerNorm(Recognition &r, Operation *op) {
  if (auto add = dyn_cast<arith::AddFOp>(op)) {
    for (unsigned i : {0u, 1u}) {
      Matched matched;
      auto affine = scaledNorm(r, add->getOperand(i), matched);
      if (!affine)
        continue;
      matched.insert(add);
      Value bias = vectorOf(r, add->getOperand(1 - i));
      if (bias && areInnerValuesPrivate(matched, add))
        return build(r, add, *affine, bias);
    }
    return {};
  }
  if (!isa<arith::MulFOp>(op))
    return {};
  // With a bias, the addition that follows is the end.
  if (op->hasOneUse() && isa<arith::AddFOp>(*op->user_begin())) {
    Operation *user = *op->user_begin();
    unsigned self = user->getOperand(0) == op->getResult(0) ? 0 : 1;
    if (vectorOf(r, user->getOperand(1 - self)))
      return {};
  }
  Matched matched;
  auto affine = scaledNorm(r, op->getResult(0), matched);
  if (!affine || !areInnerValuesPrivate(matched, op))
    return {};
  return build(r, op, *affine, Value());
}
