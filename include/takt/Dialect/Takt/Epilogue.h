//===- Epilogue.h - the last steps of a library call ----------------------===//
#ifndef TAKT_DIALECT_TAKT_EPILOGUE_H
#define TAKT_DIALECT_TAKT_EPILOGUE_H

#include "takt/Dialect/Takt/SizeAnalysis.h"

namespace takt {

/// What the library call of a contraction or convolution may compute on its
/// result. A target says which of these it computes as exactly as a kernel
/// would.
enum class EpilogueKind {
  /// Adds a vector along the last dimension.
  Bias,
  /// Adds a tensor of the same shape.
  Add,
  /// max(x, 0); NaN stays NaN.
  Relu,
  GeluErf,
  GeluTanh,
  /// min(x, high) of a Relu's result.
  ReluCeiling,
};

struct Epilogue {
  EpilogueKind kind;
  /// Bias: the vector, of rank 1. Add: the tensor. Null for all else.
  mlir::Value operand;
  /// Of ReluCeiling.
  double high = 0;
};

/// The epilogue that `op` is on its operand `tail`, the value so far; none if
/// it is another op.
std::optional<Epilogue> epilogueOf(mlir::Operation *op, mlir::Value tail,
                                   SizeAnalysis &sizes);

} // namespace takt

#endif
