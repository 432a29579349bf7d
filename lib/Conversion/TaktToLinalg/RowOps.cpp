//===- RowOps.cpp - reductions, softmax and normalisation -----------------===//
#include "Reduction.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace takt;
using namespace takt::kernels;

static SmallVector<bool> markAxes(unsigned rank, ArrayRef<int64_t> axes) {
  SmallVector<bool> reduced(rank, false);
  for (int64_t axis : axes)
    reduced[axis] = true;
  return reduced;
}

/// Entries that are not reduced.
template <typename List>
static List dropReduced(const List &list, ArrayRef<bool> reduced) {
  List kept;
  for (unsigned i = 0; i < reduced.size(); ++i)
    if (!reduced[i])
      kept.push_back(list[i]);
  return kept;
}

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

void KernelBuilder::emitReduce(ReduceOp op) {
  const SymbolicShape space = sizes.shape(op.getInput());
  SmallVector<bool> reduced = markAxes(space.size(), op.getAxes());
  Type element = elementOf(op.getResult());
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

/// Softmax that overwrites the buffer of its result, which nobody else reads,
/// needs no other row.
static bool isOnlyResult(KernelBuilder &kernel, SoftmaxOp op) {
  return kernel.resultBuffer(op.getResult()) && op->hasOneUse() &&
         accumulatorType(elementOf(op.getResult())) ==
             scalarType(elementOf(op.getResult()));
}

void KernelBuilder::emitSoftmax(SoftmaxOp op) {
  const SymbolicShape space = sizes.shape(op.getInput());
  SmallVector<bool> reduced = markAxes(space.size(), {int64_t(op.getAxis())});
  SmallVector<bool> parallel(space.size(), false);
  SymbolicShape rest = dropReduced(space, reduced);
  Type type = accumulatorType(elementOf(op.getInput()));
  arith::FastMathFlagsAttr flags = fastMath(op);
  bool inPlace = isOnlyResult(*this, op);
  Value input = op.getInput();

  KernelBuffer exps =
      inPlace ? *resultBuffer(op.getResult()) : temporary(space, type);
  KernelBuffer operand = exps;
  auto readInput = [=](StageBody &body) {
    return body.convertFloat(body.read(input, body.point()), type);
  };
  // The operand is read twice: as it is, or from the place of the exponentials.
  if (const KernelBuffer *known = find(input))
    operand = *known;
  else
    emitStage(space, parallel,
              StageOutput{exps, identity(space), [=](StageBody &body, Value) {
                            return readInput(body);
                          }});
  auto readOperand = [=](StageBody &body) {
    return body.convertFloat(body.readBuffer(operand, body.point()), type);
  };

  KernelBuffer largest = temporary(rest, type), sum = temporary(rest, type);
  IndexList row = dropReduced(identity(space), reduced);
  Reduction max = reductionOf("max", type, flags);
  Reduction add = reductionOf("sum", type, flags);
  fill(largest, max.identity);
  emitStage(space, reduced,
            StageOutput{largest, row, [=](StageBody &body, Value old) {
                          return max.combine(body, old, readOperand(body));
                        }});
  fill(sum, add.identity);
  auto exponential = [=](StageBody &body) -> Value {
    Value difference = body.builder.create<arith::SubFOp>(
        body.loc, readOperand(body), body.readBuffer(largest, row), flags);
    // It is at most 1, and what is nearly 0 beside it need not be exact.
    return body.builder.create<math::ExpOp>(
        body.loc, difference,
        arith::FastMathFlagsAttr::get(body.kernel.context,
                                      arith::FastMathFlags::afn));
  };
  auto shared = std::make_shared<Value>();
  emitStage(space, reduced,
            {StageOutput{exps, identity(space),
                         [=](StageBody &body, Value) {
                           return *shared = exponential(body);
                         }},
             StageOutput{sum, row, [=](StageBody &body, Value old) {
                           return add.combine(body, old, *shared);
                         }}});
  statistics[op] = {exps, sum, sum};
  if (!inPlace)
    return;
  emitStage(space, parallel,
            StageOutput{exps, identity(space),
                        [=](StageBody &body, Value old) -> Value {
                          return body.builder.create<arith::DivFOp>(
                              body.loc, old, body.readBuffer(sum, row), flags);
                        }});
  buffers[op.getResult()] = exps;
}

Value StageBody::readSoftmax(SoftmaxOp op, ArrayRef<Index> index) {
  const RowStatistics &row = kernel.statistics.at(op);
  IndexList rest(index);
  rest.erase(rest.begin() + op.getAxis());
  Value quotient = builder.create<arith::DivFOp>(
      loc, readBuffer(row.operand, index), readBuffer(row.first, rest),
      kernel.fastMath(op));
  return convertFloat(quotient, elementOf(op.getResult()));
}

void KernelBuilder::emitLayerNorm(LayerNormOp op) {
  const SymbolicShape space = sizes.shape(op.getInput());
  SmallVector<bool> reduced =
      markAxes(space.size(), {int64_t(space.size()) - 1});
  SymbolicShape rest = dropReduced(space, reduced);
  IndexList row = dropReduced(identity(space), reduced);
  Type type = accumulatorType(elementOf(op.getInput()));
  arith::FastMathFlagsAttr flags = fastMath(op);
  KernelBuffer operand = store(op.getInput());
  KernelBuffer mean = temporary(rest, type), deviation = temporary(rest, type);
  Reduction add = reductionOf("sum", type, flags);
  SizeExpr width = space.back();
  // sum / width
  auto average = [=](StageBody &body, Value sum) -> Value {
    Value count = body.builder.create<arith::IndexCastOp>(
        body.loc, body.builder.getI64Type(), body.kernel.size(width));
    Value divisor = body.builder.create<arith::SIToFPOp>(body.loc, type, count);
    return body.builder.create<arith::DivFOp>(body.loc, sum, divisor, flags);
  };
  fill(mean, add.identity);
  emitStage(space, reduced,
            StageOutput{mean, row, [=](StageBody &body, Value sum) {
                          Value x = body.readBuffer(operand, body.point());
                          return add.combine(body, sum,
                                             body.convertFloat(x, type));
                        }});
  update(mean, average);
  fill(deviation, add.identity);
  emitStage(space, reduced,
            StageOutput{deviation, row, [=](StageBody &body, Value sum) {
                          Value x = body.convertFloat(
                              body.readBuffer(operand, body.point()), type);
                          Value centered = body.builder.create<arith::SubFOp>(
                              body.loc, x, body.readBuffer(mean, row), flags);
                          Value square = body.builder.create<arith::MulFOp>(
                              body.loc, centered, centered, flags);
                          return add.combine(body, sum, square);
                        }});
  double epsilon = op.getEpsilon().convertToDouble();
  update(deviation, [=](StageBody &body, Value sum) -> Value {
    Value variance = body.builder.create<arith::AddFOp>(
        body.loc, average(body, sum), body.constant(type, epsilon), flags);
    Value root = body.builder.create<math::SqrtOp>(body.loc, variance);
    return body.builder.create<arith::DivFOp>(body.loc, body.constant(type, 1),
                                              root);
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
  return convertFloat(scaled, elementOf(op.getResult()));
}
