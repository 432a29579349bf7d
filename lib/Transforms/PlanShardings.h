//===- PlanShardings.h - the sharding problem of a function ---------------===//
#ifndef TAKT_LIB_TRANSFORMS_PLANSHARDINGS_H
#define TAKT_LIB_TRANSFORMS_PLANSHARDINGS_H

#include "takt/Analysis/ShardingSolver.h"
#include "takt/Transforms/PlanAttributes.h"
#include "takt/Transforms/TypicalSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace takt {

/// What an op takes, whole.
struct OpWork {
  double flops = 0;
  llvm::SmallVector<double> operandBytes, resultBytes;
};

/// `operandBytes` is in the order of usedValues(op). A view takes nothing, and
/// an op without flops reads no more of an operand than it writes (the rows of
/// a table that a gather reads).
OpWork workOf(mlir::Operation *op, SizeAnalysis &sizes,
              const TypicalSizes &typical);

/// The cheapest shardings of a function on stages of `ways` ranks.
struct Shardings {
  int64_t ways = 1;
  /// Of all ops but sources; states in the order of usedValues and results.
  llvm::DenseMap<mlir::Operation *, Strategy> strategies;
  /// The time of all conversions of a value.
  llvm::DenseMap<mlir::Value, Cost> conversions;

  /// The state in which a source is read by its only user.
  State stateOfSource(mlir::Operation *source) const;
};

/// Solves the problem for the function's body, in which each source has one
/// use. Emits remarks on ops that stay whole because a size does not divide.
/// Fails with a diagnostic.
mlir::FailureOr<Shardings> chooseShardings(mlir::func::FuncOp function,
                                           int64_t ways, const CostModel &model,
                                           SizeAnalysis &sizes,
                                           const TypicalSizes &typical);

} // namespace takt

#endif
