//===- SinkTranspose.h - an op before the transpose of its operands -------===//
#ifndef TAKT_LIB_TRANSFORMS_SINKTRANSPOSE_H
#define TAKT_LIB_TRANSFORMS_SINKTRANSPOSE_H

#include "takt/Dialect/Takt/SizeAnalysis.h"

namespace takt {

/// Where operands of `op` are transposes, and the others can follow for free,
/// computes it on what is transposed and transposes its result:
/// op(transpose(x)) becomes transpose(op(x)). The old op is left without uses.
/// True if it did.
bool sinkTranspose(mlir::Operation *op, SizeAnalysis &sizes);

/// Reshapes of a transpose: the dimensions of `from`, which is the operand's
/// shape permuted by `permutation`, fall into groups with equal products in
/// `to`. If the dimensions of each group lie side by side in the operand, the
/// reshape can come first: returns the shape that it makes then and the
/// permutation that gives `to`. None otherwise.
struct ReshapeBefore {
  SymbolicShape shape;
  llvm::SmallVector<int64_t> permutation;
};
std::optional<ReshapeBefore>
reshapeBeforeTranspose(llvm::ArrayRef<SizeExpr> from,
                       llvm::ArrayRef<int64_t> permutation,
                       llvm::ArrayRef<SizeExpr> to);

} // namespace takt

#endif
