//===- Softmax.cpp - softmax as stages of a kernel ------------------------===//
#include "Reduction.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace takt;
using namespace takt::kernels;

/// Softmax that overwrites the buffer of its result, which nobody else reads,
/// needs no other row.
static bool isOnlyResult(KernelBuilder &kernel, SoftmaxOp op) {
  return kernel.resultBuffer(op.getResult()) && op->hasOneUse() &&
         accumulatorType(getElementTypeOrSelf(op.getResult())) ==
             scalarType(getElementTypeOrSelf(op.getResult()));
}

namespace {
/// The stages of one softmax.
struct SoftmaxStages {
  SoftmaxStages(KernelBuilder &kernel, SoftmaxOp op)
      : kernel(kernel), space(kernel.sizes.shape(op.getInput())),
        reduced(markAxes(space.size(), {int64_t(op.getAxis())})),
        row(dropReduced(kernel.identity(space), reduced)),
        type(accumulatorType(getElementTypeOrSelf(op.getInput()))),
        flags(kernel.fastMath(op)) {}

  void placeOperand(Value input);
  void findLargest();
  void sumExponentials();
  void divide();

  KernelBuilder &kernel;
  const SymbolicShape space;
  SmallVector<bool> reduced;
  IndexList row;
  Type type;
  arith::FastMathFlagsAttr flags;
  /// Of the whole space, and of one entry per row.
  KernelBuffer exps, operand, largest, sum;
};
} // namespace

/// The operand is read twice: as it is, or from the place of the exponentials.
void SoftmaxStages::placeOperand(Value input) {
  operand = exps;
  if (const KernelBuffer *known = kernel.find(input)) {
    operand = *known;
    return;
  }
  kernel.emitStage(space, SmallVector<bool>(space.size(), false),
                   StageOutput{exps, kernel.identity(space),
                               [input, type = type](StageBody &body, Value) {
                                 return body.convertFloat(
                                     body.read(input, body.point()), type);
                               }});
}

void SoftmaxStages::findLargest() {
  Reduction max = reductionOf("max", type, flags);
  largest = kernel.temporary(dropReduced(space, reduced), type);
  sum = kernel.temporary(dropReduced(space, reduced), type);
  kernel.fill(largest, max.identity);
  kernel.emitStage(
      space, reduced,
      StageOutput{largest, row, [this, max](StageBody &body, Value old) {
                    return max.combine(body, old,
                                       readPoint(body, operand, type));
                  }});
}

void SoftmaxStages::sumExponentials() {
  Reduction add = reductionOf("sum", type, flags);
  kernel.fill(sum, add.identity);
  auto shared = std::make_shared<Value>();
  auto exponential = [this, shared](StageBody &body, Value) -> Value {
    Value difference = body.builder.create<arith::SubFOp>(
        body.loc, readPoint(body, operand, type), body.readBuffer(largest, row),
        flags);
    // It is at most 1, and what is nearly 0 beside it need not be exact.
    return *shared = body.builder.create<math::ExpOp>(
               body.loc, difference,
               arith::FastMathFlagsAttr::get(body.kernel.context,
                                             arith::FastMathFlags::afn));
  };
  kernel.emitStage(
      space, reduced,
      {StageOutput{exps, kernel.identity(space), exponential},
       StageOutput{sum, row, [add, shared](StageBody &body, Value old) {
                     return add.combine(body, old, *shared);
                   }}});
}

void SoftmaxStages::divide() {
  kernel.emitStage(space, SmallVector<bool>(space.size(), false),
                   StageOutput{exps, kernel.identity(space),
                               [this](StageBody &body, Value old) -> Value {
                                 return body.builder.create<arith::DivFOp>(
                                     body.loc, old, body.readBuffer(sum, row),
                                     flags);
                               }});
}

void KernelBuilder::emitSoftmax(SoftmaxOp op) {
  SoftmaxStages stages(*this, op);
  bool inPlace = isOnlyResult(*this, op);
  stages.exps = inPlace ? *resultBuffer(op.getResult())
                        : temporary(stages.space, stages.type);
  stages.placeOperand(op.getInput());
  stages.findLargest();
  stages.sumExponentials();
  statistics[op] = {stages.exps, stages.sum, stages.sum};
  if (!inPlace)
    return;
  stages.divide();
  buffers[op.getResult()] = stages.exps;
}

Value StageBody::readSoftmax(SoftmaxOp op, ArrayRef<Index> index) {
  const RowStatistics &row = kernel.statistics.at(op);
  IndexList rest(index);
  rest.erase(rest.begin() + op.getAxis());
  Value quotient = builder.create<arith::DivFOp>(
      loc, readBuffer(row.operand, index), readBuffer(row.first, rest),
      kernel.fastMath(op));
  return convertFloat(quotient, getElementTypeOrSelf(op.getResult()));
}
