//===- VerifyRanks.h - channels and ranks against the stages' ports -------===//
#ifndef TAKT_LIB_TRANSFORMS_VERIFYRANKS_H
#define TAKT_LIB_TRANSFORMS_VERIFYRANKS_H

#include "takt/Transforms/StagePorts.h"

namespace takt {

/// Checks that the module's takt.rank ops are the plan's ranks, that each rank
/// receives every value that its stage receives, through one channel from the
/// shard that holds it, and that its instructions are: receives, forward, then
/// frees and sends, one of each per channel.
mlir::LogicalResult verifyRanks(mlir::ModuleOp module, const StagePorts &ports);

} // namespace takt

#endif
