//===- ContractionOps.cpp - matmul ----------------------------------------===//
#include "OpHelpers.h"

using namespace mlir;
using namespace takt;

LogicalResult MatmulOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  if (lhs.getRank() < 2 ||
      (rhs.getRank() != 2 && rhs.getRank() != lhs.getRank()))
    return emitOpError("multiplies ")
           << lhs << " by " << rhs << "; ranks must be equal or the second 2";
  int64_t k = lhs.getDimSize(lhs.getRank() - 1);
  int64_t rhsK = rhs.getDimSize(rhs.getRank() - (getTransposeRhs() ? 1 : 2));
  if (!mayEqual(k, rhsK))
    return emitOpError("sums over ")
           << k << " elements on the left and " << rhsK << " on the right";
  for (int64_t i = 0; i < rhs.getRank() - 2; ++i)
    if (!mayEqual(lhs.getDimSize(i), rhs.getDimSize(i)))
      return emitOpError("has batch sizes ")
             << lhs.getDimSize(i) << " and " << rhs.getDimSize(i);
  return verifyResultRank(*this, lhs.getRank());
}

SmallVector<SymbolicShape>
MatmulOp::inferShapes(ArrayRef<SymbolicShape> operands) {
  SymbolicShape result = operands[0];
  const SymbolicShape &rhs = operands[1];
  result.back() = rhs[rhs.size() - (getTransposeRhs() ? 2 : 1)];
  return {result};
}

ShardingRule MatmulOp::getShardingRule(ArrayRef<SymbolicShape> operands,
                                       ArrayRef<SymbolicShape> results) {
  RuleBuilder rule;
  bool isShared = operands[1].size() == 2 && operands[0].size() > 2;
  SmallVector<std::string> batch =
      declareFactors(rule, "b", ArrayRef<SizeExpr>(operands[0]).drop_back(2));
  rule.factor("i", operands[0].end()[-2]);
  rule.factor("j", results[0].back());
  rule.factor("k", operands[0].back(), FactorKind::Sum);
  auto with = [&](SmallVector<std::string> dims, StringRef row,
                  StringRef column) {
    dims.push_back(row.str());
    dims.push_back(column.str());
    return dims;
  };
  SmallVector<std::string> rhsBatch =
      isShared ? SmallVector<std::string>() : batch;
  rule.operand(with(batch, "i", "k"));
  rule.operand(getTransposeRhs() ? with(rhsBatch, "j", "k")
                                 : with(rhsBatch, "k", "j"));
  rule.result(with(batch, "i", "j"));
  return rule.linear({0}).linear({1}).build();
}

SizeExpr MatmulOp::getFlops(ArrayRef<SymbolicShape> operands,
                            ArrayRef<SymbolicShape> results) {
  return SizeExpr(2) * product(results[0]) * operands[0].back();
}

Evaluated MatmulOp::evaluate(ArrayRef<const HostTensor *> operands,
                             const EvaluationContext &) {
  const HostTensor &lhs = *operands[0], &rhs = *operands[1];
  bool isShared = rhs.shape.size() == 2 && lhs.shape.size() > 2;
  int64_t m = lhs.shape.end()[-2], k = lhs.shape.back();
  int64_t n = rhs.shape.end()[getTransposeRhs() ? -2 : -1];
  SmallVector<int64_t> shape(lhs.shape);
  shape.back() = n;
  HostTensor result = HostTensor::zeros(lhs.dtype, shape);
  int64_t batches = 1;
  for (int64_t size : ArrayRef<int64_t>(shape).drop_back(2))
    batches *= size;
  int64_t rowStride = getTransposeRhs() ? 1 : n,
          columnStride = getTransposeRhs() ? k : 1;
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        int64_t left = (b * m + i) * k;
        int64_t right = (isShared ? 0 : b * k * n) + j * columnStride;
        for (int64_t x = 0; x < k; ++x)
          sum += lhs.getFloat(left + x) * rhs.getFloat(right + x * rowStride);
        result.setFloat((b * m + i) * n + j, sum);
      }
  return single(std::move(result));
}

FusionKind MatmulOp::getFusionKind() { return FusionKind::Library; }
