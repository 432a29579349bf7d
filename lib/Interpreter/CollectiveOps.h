//===- CollectiveOps.h - collective ops on the shards of a stage ----------===//
#ifndef TAKT_LIB_INTERPRETER_COLLECTIVEOPS_H
#define TAKT_LIB_INTERPRETER_COLLECTIVEOPS_H

#include "takt/Interpreter/BlockEvaluator.h"

namespace takt {

/// The op's result on each shard, given its operand on each shard. Fails if the
/// op names another number of ranks than there are shards.
llvm::Expected<ShardedTensor> evaluateCollective(mlir::Operation *op,
                                                 const ShardedTensor &operand);

} // namespace takt

#endif
