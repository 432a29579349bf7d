//===- PoolOps.cpp - pool, channels last ----------------------------------===//
#include "WindowHelpers.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace takt;

static Window windowOf(PoolOp op, ArrayRef<int64_t> dense) {
  return {op.getKernel(), op.getStrides(), dense, op.getPadsBegin(),
          op.getPadsEnd()};
}

static SmallVector<int64_t> denseOf(PoolOp op) {
  return SmallVector<int64_t>(op.getKernel().size(), 1);
}

LogicalResult PoolOp::verify() {
  if (getKind() != "max" && getKind() != "average" &&
      getKind() != "average_include_pad")
    return emitOpError("has kind '")
           << getKind() << "'; expected max, average or average_include_pad";
  SmallVector<int64_t> dense = denseOf(*this);
  if (failed(verifyWindow(*this, getInput(), windowOf(*this, dense))))
    return failure();
  for (auto [i, size] : llvm::enumerate(getKernel()))
    if (getPadsBegin()[i] >= size || getPadsEnd()[i] >= size)
      return emitOpError("needs pads below the kernel's sizes");
  return success();
}

SmallVector<SymbolicShape>
PoolOp::inferShapes(ArrayRef<SymbolicShape> operands) {
  SmallVector<int64_t> dense = denseOf(*this);
  return {windowShape(operands[0], windowOf(*this, dense), operands[0].back())};
}

ShardingRule PoolOp::getShardingRule(ArrayRef<SymbolicShape> operands,
                                     ArrayRef<SymbolicShape> results) {
  RuleBuilder rule;
  rule.factor("n", operands[0][0]).factor("c", operands[0].back());
  auto around = [](SmallVector<std::string> spatial) {
    spatial.insert(spatial.begin(), "n");
    spatial.push_back("c");
    return spatial;
  };
  rule.operand(around(declareSpatialFactors(rule, "s", operands[0])));
  rule.result(around(declareSpatialFactors(rule, "t", results[0])));
  if (getKind() != "max")
    rule.linear({0});
  return rule.build();
}

SizeExpr PoolOp::getFlops(ArrayRef<SymbolicShape>,
                          ArrayRef<SymbolicShape> results) {
  int64_t taps = 1;
  for (int64_t size : getKernel())
    taps *= size;
  return product(results[0]) * SizeExpr(taps);
}

Evaluated PoolOp::evaluate(ArrayRef<const HostTensor *> operands,
                           const EvaluationContext &) {
  const HostTensor &in = *operands[0];
  SmallVector<int64_t> dense = denseOf(*this), shape;
  Window window = windowOf(*this, dense);
  SymbolicShape inShape(in.shape.begin(), in.shape.end());
  for (const SizeExpr &size : windowShape(inShape, window, inShape.back()))
    shape.push_back(*size.constant());
  ArrayRef<int64_t> sizes =
      ArrayRef<int64_t>(in.shape).drop_front().drop_back();
  int64_t channels = in.shape.back(), plane = 1, taps = 1, number = 0;
  for (auto [size, extent] : llvm::zip(sizes, getKernel())) {
    plane *= size;
    taps *= extent;
  }
  bool isMax = getKind() == "max";
  HostTensor result = HostTensor::zeros(in.dtype, shape);
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    double value = isMax ? -INFINITY : 0;
    int64_t count = 0;
    forEachTap(window, sizes, index.drop_front(), [&](int64_t at, int64_t) {
      double x = in.getFloat((index[0] * plane + at) * channels + index.back());
      value = isMax ? std::fmax(value, x) : value + x;
      ++count;
    });
    if (!isMax)
      value /= getKind() == "average" ? count : taps;
    result.setFloat(number++, value);
  });
  return single(std::move(result));
}

FusionKind PoolOp::getFusionKind() { return FusionKind::Library; }
