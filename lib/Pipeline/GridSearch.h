//===- GridSearch.h - the degrees for a number of devices -----------------===//
#ifndef TAKT_LIB_PIPELINE_GRIDSEARCH_H
#define TAKT_LIB_PIPELINE_GRIDSEARCH_H

#include "takt/Pipeline/Compile.h"

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace takt {

/// One way to use the devices, as the plan pass predicts it.
struct GridCandidate {
  GridOptions grid;
  double taktSeconds = 0;
  double latencySeconds = 0;
  /// Why it can't be; empty if it can.
  std::string problem;

  /// Micro-batches per second of all replicas; 0 if it can't be.
  double rate() const {
    return taktSeconds > 0 ? double(grid.dataParallel) / taktSeconds : 0;
  }
};

/// Plans the module, which has passed the simplify phase and is left as it is,
/// for every power of two of shards and every number of stages that `devices`
/// hold, with as many replicas as are left room for. Best first by the
/// objective, then by fewer ranks; what can't be comes last.
std::vector<GridCandidate> searchGrids(mlir::ModuleOp module, int64_t devices,
                                       Objective objective,
                                       llvm::StringRef clusterFile);

} // namespace takt

#endif
