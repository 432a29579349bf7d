//===- PoolOps.cpp - max_pool ---------------------------------------------===//
#include "OpHelpers.h"

#include <cmath>

using namespace mlir;
using namespace takt;

LogicalResult MaxPoolOp::verify() {
  auto in = cast<RankedTensorType>(getInput().getType());
  if (in.getRank() != 4)
    return emitOpError("needs an operand [N, C, H, W], found ") << in;
  for (ArrayRef<int64_t> list :
       {getKernel(), getStrides(), getPadsBegin(), getPadsEnd()})
    if (list.size() != 2)
      return emitOpError("needs kernel, strides and pads of two numbers each");
  for (int i = 0; i < 2; ++i)
    if (getKernel()[i] < 1 || getStrides()[i] < 1 || getPadsBegin()[i] < 0 ||
        getPadsEnd()[i] < 0 || getPadsBegin()[i] >= getKernel()[i] ||
        getPadsEnd()[i] >= getKernel()[i])
      return emitOpError(
          "needs positive kernel and strides, and pads below the kernel");
  return verifyResultRank(*this, 4);
}

SmallVector<SymbolicShape>
MaxPoolOp::inferShapes(ArrayRef<SymbolicShape> operands) {
  SymbolicShape result = operands[0];
  for (int i = 0; i < 2; ++i) {
    SizeExpr room = result[2 + i] + SizeExpr(getPadsBegin()[i] +
                                             getPadsEnd()[i] - getKernel()[i]);
    result[2 + i] = room.floorDiv(SizeExpr(getStrides()[i])) + SizeExpr(1);
  }
  return {result};
}

ShardingRule MaxPoolOp::getShardingRule(ArrayRef<SymbolicShape> operands,
                                        ArrayRef<SymbolicShape> results) {
  RuleBuilder rule;
  rule.factor("n", operands[0][0]).factor("c", operands[0][1]);
  for (int i = 0; i < 2; ++i) {
    rule.factor(i ? "w" : "h", operands[0][2 + i], FactorKind::Replicated);
    rule.factor(i ? "ow" : "oh", results[0][2 + i], FactorKind::Replicated);
  }
  return rule.operand({"n", "c", "h", "w"})
      .result({"n", "c", "oh", "ow"})
      .build();
}

SizeExpr MaxPoolOp::getFlops(ArrayRef<SymbolicShape>,
                             ArrayRef<SymbolicShape> results) {
  return product(results[0]) * SizeExpr(getKernel()[0] * getKernel()[1]);
}

Evaluated MaxPoolOp::evaluate(ArrayRef<const HostTensor *> operands,
                              const EvaluationContext &) {
  const HostTensor &in = *operands[0];
  SymbolicShape inShape;
  for (int64_t size : in.shape)
    inShape.push_back(SizeExpr(size));
  SmallVector<int64_t> shape;
  SmallVector<SymbolicShape> inferred = inferShapes({inShape});
  for (const SizeExpr &size : inferred[0])
    shape.push_back(*size.constant());
  HostTensor result = HostTensor::zeros(in.dtype, shape);
  int64_t height = in.shape[2], width = in.shape[3], position = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    double best = -INFINITY;
    for (int64_t y = 0; y < getKernel()[0]; ++y)
      for (int64_t x = 0; x < getKernel()[1]; ++x) {
        int64_t row = index[2] * getStrides()[0] + y - getPadsBegin()[0];
        int64_t column = index[3] * getStrides()[1] + x - getPadsBegin()[1];
        if (row < 0 || row >= height || column < 0 || column >= width)
          continue;
        int64_t plane = index[0] * in.shape[1] + index[1];
        double value = in.getFloat((plane * height + row) * width + column);
        best = std::isnan(best) || best > value ? best : value;
      }
    result.setFloat(position++, best);
  });
  return single(std::move(result));
}

FusionKind MaxPoolOp::getFusionKind() { return FusionKind::Library; }
