//===- StageProblem.h - a function as the stage cut's problem -------------===//
#ifndef TAKT_LIB_TRANSFORMS_STAGEPROBLEM_H
#define TAKT_LIB_TRANSFORMS_STAGEPROBLEM_H

#include "PlanStages.h"

#include "takt/Analysis/StageCut.h"

namespace takt {

/// The function as units (dispatches) and the tensors between them.
class StageProblem {
public:
  StageProblem(mlir::func::FuncOp function, const CostModel &model,
               SizeAnalysis &sizes, const TypicalSizes &typical)
      : body(function.getBody().front()), model(model), sizes(sizes),
        typical(typical) {}

  /// Asks the fuser for the dispatches.
  void formUnits();
  /// Options of stages are the degrees of the shardings, in their order. Units
  /// cost their dispatch and the conversions of its values.
  StageCutProblem build(llvm::ArrayRef<int64_t> tensor,
                        const ShardingsByWays &shardings);
  /// Sets the attribute on all ops.
  void assign(llvm::ArrayRef<int> stageOfUnit);
  /// The time of the conversions after a unit's ops.
  Cost communication(int unit, const Shardings &shardings) const;
  size_t size() const { return units.size(); }

private:
  Cost unitTime(llvm::ArrayRef<mlir::Operation *> ops,
                const Shardings &shardings);
  int64_t unitMemory(llvm::ArrayRef<mlir::Operation *> ops,
                     const Shardings &shardings);
  double localBytes(mlir::Value value, State state, int64_t ways);
  void addTensors(StageCutProblem &problem);
  void joinSmallUnits(StageCutProblem &problem);

  mlir::Block &body;
  const CostModel &model;
  SizeAnalysis &sizes;
  const TypicalSizes &typical;
  std::vector<llvm::SmallVector<mlir::Operation *>> units;
  llvm::DenseMap<mlir::Operation *, int> unitOf;
};

} // namespace takt

#endif
