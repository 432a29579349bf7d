//===- PlanAttributes.h - the plan as attributes of the IR ----------------===//
#ifndef TAKT_TRANSFORMS_PLANATTRIBUTES_H
#define TAKT_TRANSFORMS_PLANATTRIBUTES_H

#include "takt/Dialect/Takt/Takt.h"

#include "mlir/IR/BuiltinOps.h"

namespace takt {

namespace attr {
/// On the module: the plan (see ModulePlan).
inline constexpr llvm::StringLiteral plan = "takt.plan";
/// On the module after the stage phase: names of the model's inputs and
/// outputs, in order.
inline constexpr llvm::StringLiteral inputs = "takt.inputs";
inline constexpr llvm::StringLiteral outputs = "takt.outputs";
/// On arguments and results of a partitioned stage: the state in which a port
/// or channel carries its value.
inline constexpr llvm::StringLiteral sharding = "takt.sharding";
} // namespace attr

/// One stage of the plan.
struct StageRecord {
  /// The ranks of replica 0, in order of their shard.
  llvm::SmallVector<int64_t> ranks;
  int64_t tensorParallel = 1;
  /// One micro-batch at the typical sizes, communication included.
  double seconds = 0;
  double communicationSeconds = 0;
  /// Held by each rank.
  int64_t weightBytes = 0;
};

/// The attribute `takt.plan`: `{data_parallel, idle_ranks, stages = [{ranks,
/// tensor_parallel, predicted_seconds, predicted_communication_seconds,
/// weight_bytes}, …]}`.
struct ModulePlan {
  int64_t dataParallel = 1;
  /// Per replica; their ids follow those of the last stage.
  int64_t idleRanks = 0;
  std::vector<StageRecord> stages;

  int64_t ranksPerReplica() const;

  /// Fails with a diagnostic if the module has no plan, or a malformed one.
  static mlir::FailureOr<ModulePlan> read(mlir::ModuleOp module);
  void write(mlir::ModuleOp module) const;
};

/// The op's `takt.stage`, if any.
std::optional<int64_t> stageOf(mlir::Operation *op);
void setStage(mlir::Operation *op, int64_t stage);

/// The op's states; replicated throughout where it has no such attributes.
/// Fails with a diagnostic if the lists do not match operands and results.
mlir::FailureOr<Strategy> statesOf(mlir::Operation *op);
void setStates(mlir::Operation *op, const Strategy &strategy);

/// Whether the op computes one of a few results from nothing: a constant, a
/// weight, sizes. Each stage has its own copy and chooses its state freely.
bool isSource(mlir::Operation *op);

/// The operands, and what the op's regions use from outside.
llvm::SmallVector<mlir::Value> usedValues(mlir::Operation *op);

} // namespace takt

#endif
