//===- DuplicateSources.h - constants, one copy per use -------------------===//
#ifndef TAKT_LIB_TRANSFORMS_DUPLICATESOURCES_H
#define TAKT_LIB_TRANSFORMS_DUPLICATESOURCES_H

#include "takt/Dialect/Takt/SizeAnalysis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace takt {

/// Whether the op depends on no input of the model and computes nothing: a
/// source, or an op on one such value that moves its elements.
bool isFree(mlir::Operation *op, SizeAnalysis &sizes);

/// Gives each use of a free op in the function's body a copy of its own, right
/// before the user. So no such value crosses stages, none ties blocks of the
/// model together, and each user has it in the state that it wants.
void duplicateFreeOps(mlir::func::FuncOp function);

} // namespace takt

#endif
