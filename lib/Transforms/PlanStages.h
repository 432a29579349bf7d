//===- PlanStages.h - the stage cut of a function -------------------------===//
#ifndef TAKT_LIB_TRANSFORMS_PLANSTAGES_H
#define TAKT_LIB_TRANSFORMS_PLANSTAGES_H

#include "PlanShardings.h"

namespace takt {

/// Shardings by tensor degree, one per degree that a stage has.
using ShardingsByWays = std::map<int64_t, Shardings>;

/// Sets `takt.stage` on every op of the function: the cut of the fuser's
/// dispatches into at most tensor.size() stages with the least maximal load,
/// where stage i has tensor[i] ranks, each with room for `memory` bytes of
/// weights. Returns the stages that have work (at least one), in order, with
/// their degrees and predicted times. Fails with a diagnostic.
mlir::FailureOr<std::vector<StageRecord>>
chooseStages(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> tensor,
             const ShardingsByWays &shardings, const CostModel &model,
             int64_t memory, SizeAnalysis &sizes, const TypicalSizes &typical);

} // namespace takt

#endif
