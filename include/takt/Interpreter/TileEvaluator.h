//===- TileEvaluator.h - parts of weights ---------------------------------===//
#ifndef TAKT_INTERPRETER_TILEEVALUATOR_H
#define TAKT_INTERPRETER_TILEEVALUATOR_H

#include "takt/Interpreter/BlockEvaluator.h"
#include "takt/Support/TensorWindow.h"

namespace takt {

/// Reads part of a weight that has a source.
using WindowReader = std::function<llvm::Expected<HostTensor>(
    WeightOp weight, const TensorWindow &window)>;

/// Whether each part of the weight's value follows from parts of what it is
/// computed from: its initializer, and those it reads, only move elements or
/// compute them one by one.
bool canEvaluateInTiles(WeightOp weight);

/// The elements of `weight` in `window` on the shard that `symbols` describes.
/// Nothing beyond what they depend on is read, but for whole rows where a
/// reshape regroups them. Only if `canEvaluateInTiles`.
llvm::Expected<HostTensor> evaluateTile(WeightOp weight,
                                        const TensorWindow &window,
                                        const SymbolValues &symbols,
                                        const WindowReader &read);

} // namespace takt

#endif
