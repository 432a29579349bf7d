//===- ContractionOps.cpp - products as loops -----------------------------===//
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
