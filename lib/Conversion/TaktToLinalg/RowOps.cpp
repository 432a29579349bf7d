//===- RowOps.cpp - reductions and normalisation --------------------------===//
#include "Reduction.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace takt;
using namespace takt::kernels;

void KernelBuilder::emitReduce(ReduceOp op) {
  const SymbolicShape space = sizes.shape(op.getInput());
  SmallVector<bool> reduced = markAxes(space.size(), op.getAxes());
  Type element = getElementTypeOrSelf(op.getResult());
  Type accumulator = accumulatorType(element);
  Reduction reduction = reductionOf(op.getKind(), accumulator, fastMath(op));
  bool isDirect = accumulator == scalarType(element);
  KernelBuffer target =
      isDirect ? destination(op.getResult())
               : temporary(sizes.shape(op.getResult()), accumulator);
  fill(target, reduction.identity);
  Value input = op.getInput();
  emitStage(space, reduced,
            StageOutput{target, dropReduced(identity(space), reduced),
                        [=](StageBody &body, Value sum) {
                          Value x = body.read(input, body.point());
                          if (isa<FloatType>(accumulator))
                            x = body.convertFloat(x, accumulator);
                          return reduction.combine(body, sum, x);
                        }});
  if (isDirect)
    buffers[op.getResult()] = target;
  else
    statistics[op] = {target, target, target};
}

/// sum / width
static Value average(StageBody &body, Value sum, const SizeExpr &width,
                     arith::FastMathFlagsAttr flags) {
  Value count = body.builder.create<arith::IndexCastOp>(
      body.loc, body.builder.getI64Type(), body.kernel.size(width));
  Value divisor =
      body.builder.create<arith::SIToFPOp>(body.loc, sum.getType(), count);
  return body.builder.create<arith::DivFOp>(body.loc, sum, divisor, flags);
}

/// 1 / sqrt(sum / width + epsilon)
static Value reciprocalDeviation(StageBody &body, Value sum,
                                 const SizeExpr &width, double epsilon,
                                 arith::FastMathFlagsAttr flags) {
  Type type = sum.getType();
  Value variance = body.builder.create<arith::AddFOp>(
      body.loc, average(body, sum, width, flags), body.constant(type, epsilon),
      flags);
  Value root = body.builder.create<math::SqrtOp>(body.loc, variance);
  return body.builder.create<arith::DivFOp>(body.loc, body.constant(type, 1),
                                            root);
}

void KernelBuilder::emitLayerNorm(LayerNormOp op) {
  const SymbolicShape space = sizes.shape(op.getInput());
  SmallVector<bool> reduced =
      markAxes(space.size(), {int64_t(space.size()) - 1});
  SymbolicShape rest = dropReduced(space, reduced);
  IndexList row = dropReduced(identity(space), reduced);
  Type type = accumulatorType(getElementTypeOrSelf(op.getInput()));
  arith::FastMathFlagsAttr flags = fastMath(op);
  KernelBuffer operand = store(op.getInput());
  KernelBuffer mean = temporary(rest, type), deviation = temporary(rest, type);
  Reduction add = reductionOf("sum", type, flags);
  SizeExpr width = space.back();
  fill(mean, add.identity);
  emitStage(space, reduced,
            StageOutput{mean, row, [=](StageBody &body, Value sum) {
                          return add.combine(body, sum,
                                             readPoint(body, operand, type));
                        }});
  update(mean, [=](StageBody &body, Value sum) {
    return average(body, sum, width, flags);
  });
  fill(deviation, add.identity);
  auto square = [=](StageBody &body, Value sum) {
    Value x = readPoint(body, operand, type);
    Value centered = body.builder.create<arith::SubFOp>(
        body.loc, x, body.readBuffer(mean, row), flags);
    return add.combine(body, sum,
                       body.builder.create<arith::MulFOp>(body.loc, centered,
                                                          centered, flags));
  };
  emitStage(space, reduced, StageOutput{deviation, row, square});
  double epsilon = op.getEpsilon().convertToDouble();
  update(deviation, [=](StageBody &body, Value sum) {
    return reciprocalDeviation(body, sum, width, epsilon, flags);
  });
  statistics[op] = {operand, mean, deviation};
}

Value StageBody::readLayerNorm(LayerNormOp op, ArrayRef<Index> index) {
  const RowStatistics &row = kernel.statistics.at(op);
  arith::FastMathFlagsAttr flags = kernel.fastMath(op);
  ArrayRef<Index> rest = index.drop_back(), last = index.take_back();
  Type type = row.first.element;
  Value x = convertFloat(readBuffer(row.operand, index), type);
  Value centered =
      builder.create<arith::SubFOp>(loc, x, readBuffer(row.first, rest), flags);
  Value scaled = builder.create<arith::MulFOp>(
      loc, centered, readBuffer(row.second, rest), flags);
  scaled = builder.create<arith::MulFOp>(
      loc, scaled, convertFloat(read(op.getScale(), last), type), flags);
  if (op.getBias())
    scaled = builder.create<arith::AddFOp>(
        loc, scaled, convertFloat(read(op.getBias(), last), type), flags);
  return convertFloat(scaled, getElementTypeOrSelf(op.getResult()));
}
