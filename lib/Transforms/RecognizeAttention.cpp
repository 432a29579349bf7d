//===- RecognizeAttention.cpp - softmax(q k^T * scale + mask) v -----------===//
#include "RecognizeIdioms.h"

#include <cmath>

using namespace mlir;
using namespace takt;
using namespace takt::idioms;

namespace {
/// What the scores are made of; the scale is the product of all that was found.
struct Scores {
  Value query, key, mask;
  double scale = 1;
};
} // namespace

/// Takes constant factors off a value.
static Value withoutScale(Value value, double &scale) {
  while (Operation *op = value.getDefiningOp()) {
    Value other;
    std::optional<double> factor;
    if (isa<arith::MulFOp>(op)) {
      eitherOperand(
          op, [&](Value v) { return bool(factor = scalarOf(v)); }, other);
      if (factor)
        scale *= *factor;
    } else if (isa<arith::DivFOp>(op)) {
      factor = scalarOf(op->getOperand(1));
      other = op->getOperand(0);
      if (factor)
        scale /= *factor;
    }
    if (!factor)
      break;
    value = other;
  }
  return value;
}

//===----------------------------------------------------------------------===//
// The key: [B, H, T, D], from [B, H, D, T]
//===----------------------------------------------------------------------===//

static Value transposed(Recognition &r, Value value,
                        ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return value;
  return r.make<TransposeOp>(value.getLoc(),
                             getElementTypeOrSelf(value.getType()), value,
                             r.builder.getDenseI64ArrayAttr(permutation));
}

/// [B, H, D, T] as reshape(transpose [0, 2, 1](reshape [B * H, T, D])): what
/// was reshaped first, as [B, H, T, D].
static Value keyThroughMatrices(Recognition &r, Value value) {
  auto outer = value.getDefiningOp<ReshapeOp>();
  auto swap =
      outer ? outer.getInput().getDefiningOp<TransposeOp>() : TransposeOp();
  if (!swap || swap.getPermutation() != ArrayRef<int64_t>({0, 2, 1}))
    return {};
  SymbolicShape shape = r.sizes.shape(value);
  const SymbolicShape matrices = r.sizes.shape(swap.getInput());
  // The reshape must split the first dimension alone.
  if (shape[0] * shape[1] != matrices[0] || shape[2] != matrices[2] ||
      shape[3] != matrices[1])
    return {};
  std::swap(shape[2], shape[3]);
  if (auto inner = swap.getInput().getDefiningOp<ReshapeOp>())
    return r.reshape(inner.getInput(), shape);
  return r.reshape(swap.getInput(), shape);
}

/// The key, where `value` is its transpose times a scale; always possible.
static Value keyOf(Recognition &r, Value value, double &scale) {
  value = withoutScale(value, scale);
  Value key = keyThroughMatrices(r, value);
  if (!key) {
    auto op = value.getDefiningOp<TransposeOp>();
    SmallVector<int64_t> permutation = {0, 1, 2, 3};
    if (op) {
      permutation.assign(op.getPermutation().begin(),
                         op.getPermutation().end());
      value = op.getInput();
    }
    std::swap(permutation[2], permutation[3]);
    key = transposed(r, value, permutation);
  }
  return withoutScale(key, scale);
}

//===----------------------------------------------------------------------===//
// The mask: added, or chosen where a condition holds
//===----------------------------------------------------------------------===//

/// `value` with rank 4 and without the repetitions of a broadcast.
static Value narrowed(Recognition &r, Value value) {
  auto op = value.getDefiningOp<BroadcastOp>();
  if (!op)
    return value;
  SymbolicShape shape(4, SizeExpr(1));
  const SymbolicShape from = r.sizes.shape(op.getInput());
  for (auto [size, dim] : llvm::zip_equal(from, op.getDims()))
    shape[dim] = size;
  return r.reshape(op.getInput(), shape);
}

static Value filled(Recognition &r, Location loc, double value, Value like,
                    Type element) {
  auto type = RankedTensorType::get({}, element);
  Value scalar = r.builder.create<arith::ConstantOp>(
      loc,
      DenseElementsAttr::get(type, r.builder.getFloatAttr(element, value)));
  return r.make<BroadcastOp>(
      loc, element, scalar, r.builder.getDenseI64ArrayAttr({}),
      ShapeAttr::get(r.builder.getContext(), r.sizes.shape(like)));
}

/// The scores where a number so low that it absorbs every score is chosen at
/// masked places: the same as adding it. Fills in the mask.
static Value withoutChoice(Recognition &r, arith::SelectOp select,
                           Value &mask) {
  for (unsigned low : {1u, 2u}) {
    auto number = scalarOf(select->getOperand(low));
    if (!number || !(*number <= -1e30))
      continue;
    Type element = getElementTypeOrSelf(select.getType());
    Location loc = select.getLoc();
    Value condition = narrowed(r, select.getCondition());
    Value lowest = filled(r, loc, *number, condition, element);
    Value zero = filled(r, loc, 0, condition, element);
    mask = r.builder.create<arith::SelectOp>(
        loc, condition, low == 1 ? lowest : zero, low == 1 ? zero : lowest);
    return select->getOperand(3 - low);
  }
  return {};
}

/// q k^T under scales and at most one mask.
static std::optional<Scores> scoresOf(Recognition &r, Value value,
                                      Matched &matched) {
  Scores scores;
  auto split = [&](Value candidate) -> MatmulOp {
    double scale = 1;
    auto product = withoutScale(candidate, scale).getDefiningOp<MatmulOp>();
    if (product)
      scores.scale = scale;
    return product;
  };
  MatmulOp product = split(value);
  Operation *masking = product ? nullptr : value.getDefiningOp();
  if (auto add = dyn_cast_or_null<arith::AddFOp>(masking)) {
    Value mask;
    if (eitherOperand(
            add, [&](Value v) { return bool(product = split(v)); }, mask))
      scores.mask = narrowed(r, mask);
  } else if (auto select = dyn_cast_or_null<arith::SelectOp>(masking)) {
    if (Value inner = withoutChoice(r, select, scores.mask))
      product = split(inner);
  }
  if (!product || r.sizes.shape(product.getResult()).size() != 4 ||
      r.sizes.shape(product.getRhs()).size() != 4)
    return std::nullopt;
  // Everything between the product and the softmax goes.
  SmallVector<Operation *> path = {product};
  while (!path.empty()) {
    Operation *op = path.pop_back_val();
    if (op->getNumResults() == 0) // the function's results show it
      return std::nullopt;
    if (!matched.insert(op) || op->getResult(0) == value)
      continue;
    llvm::append_range(path, op->getUsers());
    if (matched.size() > 8)
      return std::nullopt;
  }
  scores.query = withoutScale(product.getLhs(), scores.scale);
  scores.key = product.getTransposeRhs()
                   ? withoutScale(product.getRhs(), scores.scale)
                   : keyOf(r, product.getRhs(), scores.scale);
  return scores;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// p, where `value` is p with NaN replaced by 0; null if it is something else.
static Value withoutNaN(Value value, Matched &matched) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto isNaN = select ? select.getCondition().getDefiningOp<arith::CmpFOp>()
                      : arith::CmpFOp();
  if (!isNaN || isNaN.getPredicate() != arith::CmpFPredicate::UNO ||
      isNaN.getLhs() != isNaN.getRhs() ||
      isNaN.getLhs() != select.getFalseValue() ||
      scalarOf(select.getTrueValue()) != 0.0)
    return {};
  matched.insert(select);
  matched.insert(isNaN);
  return isNaN.getLhs();
}

Value idioms::recognizeAttention(Recognition &r, Operation *op) {
  auto last = dyn_cast<MatmulOp>(op);
  if (!last || last.getTransposeRhs() ||
      r.sizes.shape(last.getLhs()).size() != 4 ||
      r.sizes.shape(last.getRhs()).size() != 4)
    return {};
  Matched matched;
  matched.insert(last);
  Value weights = last.getLhs();
  Value guarded = withoutNaN(weights, matched);
  auto softmax = (guarded ? guarded : weights).getDefiningOp<SoftmaxOp>();
  if (!softmax || softmax.getAxis() != 3)
    return {};
  matched.insert(softmax);
  auto scores = scoresOf(r, softmax.getInput(), matched);
  if (!scores || !areInnerValuesPrivate(matched, last) ||
      !std::isfinite(scores->scale))
    return {};
  return r.make<AttentionOp>(
      last.getLoc(), getElementTypeOrSelf(last.getType()), scores->query,
      scores->key, last.getRhs(), scores->mask,
      r.builder.getF64FloatAttr(scores->scale),
      guarded ? r.builder.getUnitAttr() : UnitAttr());
}
