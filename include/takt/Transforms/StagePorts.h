//===- StagePorts.h - what stages receive, send, read and return ----------===//
#ifndef TAKT_TRANSFORMS_STAGEPORTS_H
#define TAKT_TRANSFORMS_STAGEPORTS_H

#include "takt/Transforms/PlanAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

namespace takt {

/// The stage modules and their ports, as the stage phase leaves them.
struct StagePorts {
  struct Stage {
    mlir::ModuleOp module;
    mlir::func::FuncOp forward;
    int64_t tensorParallel = 1;
  };
  /// One end of a channel: an argument or result of a stage's forward function.
  struct End {
    int64_t stage;
    unsigned index;
    mlir::Type type;
  };
  struct Channel {
    std::optional<End> source; // a result
    std::optional<End> target; // an argument
  };

  std::vector<Stage> stages;
  /// By number.
  std::map<int64_t, Channel> channels;
  /// How many arguments or results have this name.
  llvm::StringMap<unsigned> inputs, outputs;

  /// Fails with a diagnostic unless the modules are stages 0, 1, … of the plan,
  /// each has a function @forward of one block, every argument and result is a
  /// named port or the end of a channel, and each channel has two ends of one
  /// type and leads to a later stage.
  static mlir::FailureOr<StagePorts> read(mlir::ModuleOp module);
};

} // namespace takt

#endif
