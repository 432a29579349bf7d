//===- ModuleSymbols.h - dimensions and weights of the module -------------===//
#ifndef TAKT_LIB_IMPORT_MODULESYMBOLS_H
#define TAKT_LIB_IMPORT_MODULESYMBOLS_H

#include "DimNames.h"
#include "ImportState.h"

#include "takt/Dialect/Takt/Takt.h"

namespace takt::import {

/// Declares the dimensions and weights in front of \p main and returns the
/// weights in the order of `state.weights`. Weight names that are taken get a
/// suffix.
llvm::SmallVector<WeightOp> declareSymbols(ImportState &state,
                                           mlir::ModuleOp module,
                                           mlir::Operation *main,
                                           const DimNames &dims);

/// Erases reads without users and then weights without reads.
void eraseUnusedWeights(mlir::ModuleOp module,
                        llvm::ArrayRef<WeightOp> weights);

} // namespace takt::import

#endif // TAKT_LIB_IMPORT_MODULESYMBOLS_H
