//===- PartitionSchedule.h - what each rank executes ----------------------===//
#ifndef TAKT_LIB_TRANSFORMS_PARTITIONSCHEDULE_H
#define TAKT_LIB_TRANSFORMS_PARTITIONSCHEDULE_H

#include "takt/Transforms/StagePorts.h"

namespace takt {

/// Adds `takt.channel` and `takt.rank` ops for all replicas of partitioned
/// stages. A channel leads from the rank that holds the receiver's part: the
/// same shard where the value crosses split, shard modulo the source's ranks
/// where it is whole. Fails with the shortest circle of waits if the ranks
/// could wait for each other for ever.
mlir::LogicalResult addSchedule(mlir::ModuleOp module, const StagePorts &ports);

} // namespace takt

#endif
