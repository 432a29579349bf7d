//===- AttentionOp.cpp - attention with explicit heads --------------------===//
#include "OpHelpers.h"

#include <cmath>

using namespace mlir;
using namespace takt;

LogicalResult AttentionOp::verify() {
  auto query = cast<RankedTensorType>(getQuery().getType());
  auto key = cast<RankedTensorType>(getKey().getType());
  auto value = cast<RankedTensorType>(getValue().getType());
  for (RankedTensorType type : {query, key, value})
    if (type.getRank() != 4)
      return emitOpError("needs query, key and value of rank 4, found ")
             << type;
  for (int64_t i = 0; i < 2; ++i)
    if (!mayEqual(query.getDimSize(i), key.getDimSize(i)) ||
        !mayEqual(query.getDimSize(i), value.getDimSize(i)))
      return emitOpError("has query ")
             << query << ", key " << key << " and value " << value
             << ", whose batches or heads differ";
  if (!mayEqual(query.getDimSize(3), key.getDimSize(3)) ||
      !mayEqual(key.getDimSize(2), value.getDimSize(2)))
    return emitOpError("has query ")
           << query << ", key " << key << " and value " << value
           << ", which do not fit";
  if (getMask() && cast<RankedTensorType>(getMask().getType()).getRank() != 4)
    return emitOpError("needs a mask of rank 4, found ") << getMask().getType();
  return verifyResultRank(*this, 4);
}

SmallVector<SymbolicShape>
AttentionOp::inferShapes(ArrayRef<SymbolicShape> operands) {
  SymbolicShape result = operands[0];
  result[3] = operands[2][3];
  return {result};
}

ShardingRule AttentionOp::getShardingRule(ArrayRef<SymbolicShape> operands,
                                          ArrayRef<SymbolicShape>) {
  RuleBuilder rule;
  rule.factor("b", operands[0][0]).factor("h", operands[0][1]);
  rule.factor("s", operands[0][2]).factor("e", operands[2][3]);
  rule.factor("t", operands[1][2], FactorKind::Replicated);
  rule.factor("d", operands[0][3], FactorKind::Replicated);
  rule.operand({"b", "h", "s", "d"}).operand({"b", "h", "t", "d"});
  rule.operand({"b", "h", "t", "e"});
  if (operands.size() > 3) {
    SmallVector<std::string> mask = {"b", "h", "s", "t"};
    for (auto [i, size] : llvm::enumerate(operands[3]))
      if (size.isConstant(1))
        mask[i] = "1";
    rule.operand(mask);
  }
  return rule.result({"b", "h", "s", "e"}).build();
}

SizeExpr AttentionOp::getFlops(ArrayRef<SymbolicShape> operands,
                               ArrayRef<SymbolicShape>) {
  SizeExpr scores =
      operands[0][0] * operands[0][1] * operands[0][2] * operands[1][2];
  return SizeExpr(2) * scores * (operands[0][3] + operands[2][3]) +
         SizeExpr(12) * scores;
}

/// exp(row - max) / sum, with NaN or 0 for a row of -inf.
static void normalizeScores(MutableArrayRef<double> scores,
                            bool maskedRowsZero) {
  double maximum = -INFINITY, sum = 0;
  for (double score : scores)
    maximum = std::fmax(maximum, score);
  for (double &score : scores)
    sum += score = std::exp(score - maximum);
  for (double &score : scores) {
    score /= sum;
    if (maskedRowsZero && std::isnan(score))
      score = 0;
  }
}

/// The position in the mask of scores[b, h, s, t]; sizes of 1 are repeated.
static int64_t maskPosition(const HostTensor &mask, ArrayRef<int64_t> index) {
  int64_t position = 0;
  for (auto [i, size] : llvm::zip_equal(index, mask.shape))
    position = position * size + (size == 1 ? 0 : i);
  return position;
}

Evaluated AttentionOp::evaluate(ArrayRef<const HostTensor *> operands,
                                const EvaluationContext &) {
  const HostTensor &query = *operands[0], &key = *operands[1],
                   &value = *operands[2];
  const HostTensor *mask = operands.size() > 3 ? operands[3] : nullptr;
  int64_t keys = key.shape[2], depth = key.shape[3], width = value.shape[3];
  int64_t heads = query.shape[1];
  double scale = getScale().convertToDouble();
  SmallVector<int64_t> shape(query.shape);
  shape[3] = width;
  HostTensor result = HostTensor::zeros(query.dtype, shape);
  SmallVector<double> scores(keys);
  int64_t row = 0;
  forEachIndex(
      ArrayRef<int64_t>(shape).drop_back(), [&](ArrayRef<int64_t> index) {
        int64_t head = index[0] * heads + index[1];
        for (int64_t t = 0; t < keys; ++t) {
          double sum = 0;
          for (int64_t d = 0; d < depth; ++d)
            sum += query.getFloat(row * depth + d) *
                   key.getFloat((head * keys + t) * depth + d);
          scores[t] = sum * scale;
          if (mask)
            scores[t] += mask->getFloat(
                maskPosition(*mask, {index[0], index[1], index[2], t}));
        }
        normalizeScores(scores, getMaskedRowsZero());
        for (int64_t e = 0; e < width; ++e) {
          double sum = 0;
          for (int64_t t = 0; t < keys; ++t)
            sum += scores[t] * value.getFloat((head * keys + t) * width + e);
          result.setFloat(row * width + e, sum);
        }
        ++row;
      });
  return single(std::move(result));
}

FusionKind AttentionOp::getFusionKind() { return FusionKind::Library; }
