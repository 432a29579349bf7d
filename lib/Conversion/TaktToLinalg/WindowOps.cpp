//===- WindowOps.cpp - convolution and pooling as loops -------------------===//
#include "Reduction.h"

using namespace mlir;
using namespace takt;
using namespace takt::kernels;

namespace {
/// The iteration space of an op that slides a window over [N, spatial.., C]:
/// the result's dimensions, then those of the kernel.
struct WindowSpace {
  WindowSpace(KernelBuilder &kernel, Value input, Value result,
              ArrayRef<int64_t> kernelSizes);

  /// The coordinate of spatial dimension `dim` in the input at this point;
  /// `isInside` becomes the conjunction of it and what it was before.
  Value position(StageBody &body, unsigned dim, int64_t stride,
                 int64_t dilation, int64_t pad, Value &isInside) const;

  unsigned spatial;
  SymbolicShape input, space;
  SmallVector<bool> reduced;
  IndexList all, result;
};
} // namespace

WindowSpace::WindowSpace(KernelBuilder &kernel, Value inputValue,
                         Value resultValue, ArrayRef<int64_t> kernelSizes)
    : spatial(kernelSizes.size()), input(kernel.sizes.shape(inputValue)),
      space(kernel.sizes.shape(resultValue)) {
  unsigned rank = space.size();
  space.append(kernelSizes.begin(), kernelSizes.end());
  reduced.assign(rank, false);
  reduced.append(spatial, true);
  all = kernel.identity(space);
  result.assign(all.begin(), all.begin() + rank);
}

Value WindowSpace::position(StageBody &body, unsigned dim, int64_t stride,
                            int64_t dilation, int64_t pad,
                            Value &isInside) const {
  OpBuilder &builder = body.builder;
  auto scaled = [&](const Index &index, int64_t factor) -> Value {
    return builder.create<arith::MulIOp>(body.loc, body.toValue(index),
                                         body.constantIndex(factor));
  };
  Value start = scaled(all[1 + dim], stride);
  Value tap = scaled(all[spatial + 2 + dim], dilation);
  Value sum = builder.create<arith::AddIOp>(body.loc, start, tap);
  Value at =
      builder.create<arith::SubIOp>(body.loc, sum, body.constantIndex(pad));
  // Unsigned: positions in the left padding are large numbers.
  Value inside =
      builder.create<arith::CmpIOp>(body.loc, arith::CmpIPredicate::ult, at,
                                    body.kernel.size(input[1 + dim]));
  isInside = isInside
                 ? builder.create<arith::AndIOp>(body.loc, isInside, inside)
                 : inside;
  return at;
}

/// The input channel that output channel `o` and number `c` within its group
/// name.
static Value inputChannel(StageBody &body, const Index &o, const Index &c,
                          int64_t outputsPerGroup, int64_t inputsPerGroup) {
  OpBuilder &builder = body.builder;
  Value group = builder.create<arith::DivUIOp>(
      body.loc, body.toValue(o), body.constantIndex(outputsPerGroup));
  Value first = builder.create<arith::MulIOp>(
      body.loc, group, body.constantIndex(inputsPerGroup));
  return builder.create<arith::AddIOp>(body.loc, first, body.toValue(c));
}

void KernelBuilder::emitConv(ConvOp op) {
  WindowSpace window(*this, op.getInput(), op.getResult(), op.getKernel());
  const SymbolicShape &weight = sizes.shape(op.getWeight());
  int64_t inputs = *weight[1].constant();
  int64_t outputs = *weight[0].constant() / op.getGroups();
  window.space.push_back(weight[1]);
  window.reduced.push_back(true);
  window.all = identity(window.space);
  Type type = accumulatorType(getElementTypeOrSelf(op.getResult()));
  bool isDirect = type == scalarType(getElementTypeOrSelf(op.getResult()));
  KernelBuffer target = isDirect ? destination(op.getResult())
                                 : temporary(sizes.shape(op.getResult()), type);
  arith::FastMathFlagsAttr flags = fastMath(op);
  fill(target, prologue.getZeroAttr(type));
  auto step = [=](StageBody &body, Value sum) mutable -> Value {
    Value isInside;
    IndexList place = {window.all[0]};
    for (unsigned i = 0; i < window.spatial; ++i)
      place.push_back(
          {AffineExpr(),
           window.position(body, i, op.getStrides()[i], op.getDilations()[i],
                           op.getPadsBegin()[i], isInside)});
    const Index &o = window.all[window.spatial + 1], &c = window.all.back();
    place.push_back({AffineExpr(), inputChannel(body, o, c, outputs, inputs)});
    IndexList weightPlace = {o, c};
    weightPlace.append(window.all.begin() + window.spatial + 2,
                       window.all.end() - 1);
    return body.branch(
        isInside, type,
        [&] {
          return multiplyAdd(body, sum, body.read(op.getInput(), place),
                             body.read(op.getWeight(), weightPlace), flags);
        },
        [&] { return sum; });
  };
  emitStage(window.space, window.reduced,
            StageOutput{target, window.result, step});
  if (isDirect)
    buffers[op.getResult()] = target;
  else
    statistics[op] = {target, target, target};
}

void KernelBuilder::emitPool(PoolOp op) {
  WindowSpace window(*this, op.getInput(), op.getResult(), op.getKernel());
  Type type = scalarType(getElementTypeOrSelf(op.getResult()));
  bool isMax = op.getKind() == "max";
  Reduction reduction =
      reductionOf(isMax ? "maxnum" : "sum", type, fastMath(op));
  KernelBuffer target = destination(op.getResult());
  auto isInside = [=](StageBody &body, IndexList &place) mutable {
    Value inside;
    for (unsigned i = 0; i < window.spatial; ++i)
      place.push_back(
          {AffineExpr(), window.position(body, i, op.getStrides()[i], 1,
                                         op.getPadsBegin()[i], inside)});
    return inside;
  };
  fill(target, reduction.identity);
  auto step = [=](StageBody &body, Value old) mutable -> Value {
    IndexList place = {window.all[0]};
    Value inside = isInside(body, place);
    place.push_back(window.all[window.spatial + 1]);
    return body.branch(
        inside, type,
        [&] {
          return reduction.combine(body, old, body.read(op.getInput(), place));
        },
        [&] { return old; });
  };
  emitStage(window.space, window.reduced,
            StageOutput{target, window.result, step});
  if (!isMax)
    divideByCount(op, target);
  buffers[op.getResult()] = target;
}

/// How many elements of one dimension of the input the window at `index`
/// covers.
static Value countInside(StageBody &body, PoolOp op, unsigned dim,
                         const SizeExpr &size, const Index &index) {
  OpBuilder &builder = body.builder;
  int64_t pad = op.getPadsBegin()[dim];
  Value scaled = builder.create<arith::MulIOp>(
      body.loc, body.toValue(index), body.constantIndex(op.getStrides()[dim]));
  Value first =
      builder.create<arith::SubIOp>(body.loc, scaled, body.constantIndex(pad));
  Value end = builder.create<arith::AddIOp>(
      body.loc, first, body.constantIndex(op.getKernel()[dim]));
  Value from =
      builder.create<arith::MaxSIOp>(body.loc, first, body.constantIndex(0));
  Value to =
      builder.create<arith::MinSIOp>(body.loc, end, body.kernel.size(size));
  return builder.create<arith::SubIOp>(body.loc, to, from);
}

void KernelBuilder::divideByCount(PoolOp op, const KernelBuffer &target) {
  SymbolicShape input = sizes.shape(op.getInput());
  Type type = scalarType(getElementTypeOrSelf(op.getResult()));
  bool isPadCounted = op.getKind() == "average_include_pad";
  update(target, [=](StageBody &body, Value sum) mutable -> Value {
    OpBuilder &builder = body.builder;
    Value count = body.constantIndex(1);
    for (unsigned i = 0; i + 2 < input.size(); ++i) {
      Value extent = isPadCounted ? body.constantIndex(op.getKernel()[i])
                                  : countInside(body, op, i, input[1 + i],
                                                body.point()[1 + i]);
      count = builder.create<arith::MulIOp>(body.loc, count, extent);
    }
    Value integer = builder.create<arith::IndexCastOp>(
        body.loc, builder.getI64Type(), count);
    Value divisor = builder.create<arith::SIToFPOp>(body.loc, type, integer);
    return builder.create<arith::DivFOp>(body.loc, sum, divisor);
  });
}
