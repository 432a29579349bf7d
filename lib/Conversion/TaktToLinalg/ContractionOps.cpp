//===- ContractionOps.cpp - what a target's library usually does ----------===//
#include "Reduction.h"

using namespace mlir;
using namespace takt;
using namespace takt::kernels;

namespace {
/// The iteration space of a product and where its three matrices lie in it. The
/// order is that in which the right-hand side lies in memory: [.., M, K, N] or
/// [.., M, N, K].
struct MatmulSpace {
  MatmulSpace(KernelBuilder &kernel, MatmulOp op);

  SymbolicShape space;
  SmallVector<bool> reduced;
  IndexList lhs, rhs, result;
};
} // namespace

MatmulSpace::MatmulSpace(KernelBuilder &kernel, MatmulOp op) {
  const SymbolicShape &lhsShape = kernel.sizes.shape(op.getLhs());
  const SymbolicShape &resultShape = kernel.sizes.shape(op.getResult());
  unsigned batch = resultShape.size() - 2;
  bool isTransposed = op.getTransposeRhs();
  unsigned kDim = isTransposed ? batch + 2 : batch + 1;
  unsigned nDim = isTransposed ? batch + 1 : batch + 2;
  space.assign(resultShape.begin(), resultShape.end() - 1);
  space.resize(batch + 3);
  space[kDim] = lhsShape.back();
  space[nDim] = resultShape.back();
  reduced.assign(space.size(), false);
  reduced[kDim] = true;

  IndexList all = kernel.identity(space);
  lhs.assign(all.begin(), all.begin() + batch + 1);
  result = lhs;
  lhs.push_back(all[kDim]);
  result.push_back(all[nDim]);
  bool isShared = kernel.sizes.shape(op.getRhs()).size() == 2;
  if (!isShared)
    rhs.append(all.begin(), all.begin() + batch);
  rhs.push_back(all[isTransposed ? nDim : kDim]);
  rhs.push_back(all[isTransposed ? kDim : nDim]);
}

/// sum + a * b, kept in `sum`'s type.
static Value multiplyAdd(StageBody &body, Value sum, Value a, Value b,
                         arith::FastMathFlagsAttr flags) {
  OpBuilder &builder = body.builder;
  Type type = sum.getType();
  if (!isa<FloatType>(type)) {
    Value product = builder.create<arith::MulIOp>(body.loc, a, b);
    return builder.create<arith::AddIOp>(body.loc, sum, product);
  }
  Value product = builder.create<arith::MulFOp>(
      body.loc, body.convertFloat(a, type), body.convertFloat(b, type), flags);
  return builder.create<arith::AddFOp>(body.loc, sum, product, flags);
}

void KernelBuilder::emitMatmul(MatmulOp op) {
  MatmulSpace places(*this, op);
  Type element = getElementTypeOrSelf(op.getResult());
  Type type = accumulatorType(element);
  bool isDirect = type == scalarType(element);
  KernelBuffer target = isDirect ? destination(op.getResult())
                                 : temporary(sizes.shape(op.getResult()), type);
  arith::FastMathFlagsAttr flags = fastMath(op);
  fill(target, prologue.getZeroAttr(type));
  auto step = [=](StageBody &body, Value sum) mutable {
    Value a = body.read(op.getLhs(), places.lhs);
    Value b = body.read(op.getRhs(), places.rhs);
    return multiplyAdd(body, sum, a, b, flags);
  };
  emitStage(places.space, places.reduced,
            StageOutput{target, places.result, step});
  if (isDirect)
    buffers[op.getResult()] = target;
  else
    statistics[op] = {target, target, target};
}

/// The coordinate in the input that output `index` and window position `tap`
/// name, and whether it lies in the input.
static Value windowCoordinate(StageBody &body, const Index &index,
                              const Index &tap, int64_t stride, int64_t pad,
                              const SizeExpr &size, Value &isInside) {
  OpBuilder &builder = body.builder;
  Value start = builder.create<arith::MulIOp>(body.loc, body.toValue(index),
                                              body.constantIndex(stride));
  Value sum = builder.create<arith::AddIOp>(body.loc, start, body.toValue(tap));
  Value position =
      builder.create<arith::SubIOp>(body.loc, sum, body.constantIndex(pad));
  // Unsigned: positions in the left padding are large numbers.
  Value inside = builder.create<arith::CmpIOp>(
      body.loc, arith::CmpIPredicate::ult, position, body.kernel.size(size));
  isInside = isInside
                 ? builder.create<arith::AndIOp>(body.loc, isInside, inside)
                 : inside;
  return position;
}

void KernelBuilder::emitMaxPool(MaxPoolOp op) {
  const SymbolicShape input = sizes.shape(op.getInput());
  const SymbolicShape result = sizes.shape(op.getResult());
  SymbolicShape space = result;
  for (int64_t extent : op.getKernel())
    space.push_back(SizeExpr(extent));
  SmallVector<bool> reduced(space.size(), false);
  reduced[4] = reduced[5] = true;
  Type type = scalarType(getElementTypeOrSelf(op.getResult()));
  Reduction max = reductionOf("max", type, fastMath(op));
  KernelBuffer target = destination(op.getResult());
  fill(target, max.identity);
  IndexList all = identity(space);
  auto step = [=](StageBody &body, Value old) mutable -> Value {
    Value isInside;
    IndexList place(all.begin(), all.begin() + 2);
    for (unsigned i = 0; i < 2; ++i)
      place.push_back(
          {AffineExpr(),
           windowCoordinate(body, all[2 + i], all[4 + i], op.getStrides()[i],
                            op.getPadsBegin()[i], input[2 + i], isInside)});
    Value x = body.branch(
        isInside, type, [&] { return body.read(op.getInput(), place); },
        [&]() -> Value {
          return body.builder.create<arith::ConstantOp>(body.loc, max.identity);
        });
    return max.combine(body, old, x);
  };
  emitStage(space, reduced,
            StageOutput{target, IndexList(all.begin(), all.begin() + 4), step});
  buffers[op.getResult()] = target;
}
