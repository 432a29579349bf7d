//===- LocalizeStage.h - a stage becomes the program of one rank ----------===//
#ifndef TAKT_LIB_TRANSFORMS_LOCALIZESTAGE_H
#define TAKT_LIB_TRANSFORMS_LOCALIZESTAGE_H

#include "takt/Transforms/StagePorts.h"

namespace takt {

/// The states in which values cross stages, by channel number.
using CrossingStates = std::map<int64_t, State>;

/// Split where both stages have equally many ranks and all uses of the value in
/// the target stage want that split, else replicated. Fails if an op's states
/// are malformed.
mlir::FailureOr<CrossingStates> chooseCrossingStates(const StagePorts &ports);

/// Rewrites the stage's forward function to local shapes, with explicit
/// conversions between states, and adds the weights' shards. Model inputs and
/// outputs are replicated. Fails with a diagnostic if an op's states are not
/// those of a strategy that its rule allows.
mlir::LogicalResult localizeStage(StagePorts::Stage &stage,
                                  const CrossingStates &crossings);

} // namespace takt

#endif
