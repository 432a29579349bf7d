//===- NormalizationOps.cpp - softmax and layer_norm ----------------------===//
#include "OpHelpers.h"

#include <cmath>

using namespace mlir;
using namespace takt;

/// A factor per dimension, of which `axis` cannot be cut.
static SmallVector<std::string>
declareRows(RuleBuilder &rule, ArrayRef<SizeExpr> sizes, int64_t axis) {
  SmallVector<std::string> names = factorNames("d", sizes.size());
  for (auto [i, size] : llvm::enumerate(sizes))
    rule.factor(names[i], size,
                int64_t(i) == axis ? FactorKind::Replicated
                                   : FactorKind::Parallel);
  return names;
}

//===----------------------------------------------------------------------===//
// softmax
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxOp::verify() {
  int64_t rank = cast<RankedTensorType>(getInput().getType()).getRank();
  if (int64_t(getAxis()) < 0 || int64_t(getAxis()) >= rank)
    return emitOpError("has axis ") << getAxis() << " with rank " << rank;
  return verifyResultRank(*this, rank);
}

SmallVector<SymbolicShape>
SoftmaxOp::inferShapes(ArrayRef<SymbolicShape> operands) {
  return {operands[0]};
}

ShardingRule SoftmaxOp::getShardingRule(ArrayRef<SymbolicShape> operands,
                                        ArrayRef<SymbolicShape>) {
  RuleBuilder rule;
  SmallVector<std::string> names = declareRows(rule, operands[0], getAxis());
  return rule.operand(names).result(names).build();
}

SizeExpr SoftmaxOp::getFlops(ArrayRef<SymbolicShape> operands,
                             ArrayRef<SymbolicShape>) {
  return SizeExpr(12) * product(operands[0]); // exp counts as ten
}

/// In place over `count` elements that lie `stride` apart.
static void softmaxRow(HostTensor &tensor, int64_t first, int64_t stride,
                       int64_t count) {
  double maximum = -INFINITY, sum = 0;
  for (int64_t i = 0; i < count; ++i)
    maximum = std::fmax(maximum, tensor.getFloat(first + i * stride));
  SmallVector<double> terms;
  for (int64_t i = 0; i < count; ++i) {
    terms.push_back(std::exp(tensor.getFloat(first + i * stride) - maximum));
    sum += terms.back();
  }
  for (int64_t i = 0; i < count; ++i)
    tensor.setFloat(first + i * stride, terms[i] / sum);
}

Evaluated SoftmaxOp::evaluate(ArrayRef<const HostTensor *> operands,
                              const EvaluationContext &) {
  HostTensor result = *operands[0];
  int64_t count = result.shape[getAxis()];
  int64_t stride = rowMajorStrides(result.shape)[getAxis()];
  int64_t total = result.numElements();
  for (int64_t outer = 0; outer < total; outer += stride * count)
    for (int64_t inner = 0; inner < stride; ++inner)
      softmaxRow(result, outer + inner, stride, count);
  return single(std::move(result));
}

FusionKind SoftmaxOp::getFusionKind() { return FusionKind::RowReduction; }

//===----------------------------------------------------------------------===//
// layer_norm
//===----------------------------------------------------------------------===//

LogicalResult LayerNormOp::verify() {
  auto in = cast<RankedTensorType>(getInput().getType());
  if (in.getRank() < 1)
    return emitOpError("needs an operand of rank 1 or more");
  for (Value vector : getOperands().drop_front()) {
    auto type = cast<RankedTensorType>(vector.getType());
    if (type.getRank() != 1 ||
        !mayEqual(type.getDimSize(0), in.getDimSize(in.getRank() - 1)))
      return emitOpError(
                 "needs scale and bias of the last dimension's size, found ")
             << type << " for " << in;
  }
  return verifyResultRank(*this, in.getRank());
}

SmallVector<SymbolicShape>
LayerNormOp::inferShapes(ArrayRef<SymbolicShape> operands) {
  return {operands[0]};
}

ShardingRule LayerNormOp::getShardingRule(ArrayRef<SymbolicShape> operands,
                                          ArrayRef<SymbolicShape>) {
  RuleBuilder rule;
  SmallVector<std::string> names =
      declareRows(rule, operands[0], operands[0].size() - 1);
  rule.operand(names);
  for (size_t i = 1; i < operands.size(); ++i)
    rule.operand(SmallVector<std::string>{names.back()});
  return rule.result(names).build();
}

SizeExpr LayerNormOp::getFlops(ArrayRef<SymbolicShape> operands,
                               ArrayRef<SymbolicShape>) {
  return SizeExpr(8) * product(operands[0]);
}

Evaluated LayerNormOp::evaluate(ArrayRef<const HostTensor *> operands,
                                const EvaluationContext &) {
  HostTensor result = *operands[0];
  int64_t n = result.shape.back();
  double epsilon = getEpsilon().convertToDouble();
  for (int64_t row = 0, total = result.numElements(); row < total; row += n) {
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < n; ++i)
      mean += result.getFloat(row + i) / n;
    for (int64_t i = 0; i < n; ++i) {
      double delta = result.getFloat(row + i) - mean;
      variance += delta * delta / n;
    }
    double factor = 1 / std::sqrt(variance + epsilon);
    for (int64_t i = 0; i < n; ++i) {
      double value = (result.getFloat(row + i) - mean) * factor;
      value *= operands[1]->getFloat(i);
      result.setFloat(row + i, operands.size() > 2
                                   ? value + operands[2]->getFloat(i)
                                   : value);
    }
  }
  return single(std::move(result));
}

FusionKind LayerNormOp::getFusionKind() { return FusionKind::RowReduction; }
