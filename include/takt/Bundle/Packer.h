//===- Packer.h - writes the weight files of a stage ----------------------===//
#ifndef TAKT_BUNDLE_PACKER_H
#define TAKT_BUNDLE_PACKER_H

#include "takt/Bundle/OutputFile.h"
#include "takt/Bundle/WeightFiles.h"
#include "takt/Interpreter/WeightEvaluator.h"

#include "mlir/IR/BuiltinOps.h"

namespace takt {

/// The value of `weight` on each of a stage's `shards` ranks. Values that do
/// not depend on the rank are computed once and shared. Errors are
/// BundleErrors.
llvm::Expected<ShardedTensor> evaluateWeight(WeightOp weight, int64_t shards,
                                             WeightFiles &files);

/// Where a stage's weight file lies in the bundle:
/// `weights/stage0.shard1.safetensors`.
std::string weightFilePath(int64_t stage, int64_t shard);

/// Writes one safetensors file per shard below `root` with the weights `names`
/// of `module`, in the order of their names. In memory is a band of one weight
/// at a time, with what it is computed from; of a weight that is more than
/// moved and elementwise computed elements, all of it.
llvm::Expected<std::vector<BundleFile>>
packStage(mlir::ModuleOp module, int64_t stage, int64_t shards,
          llvm::ArrayRef<std::string> names, WeightFiles &files,
          llvm::StringRef root, const WriteProgress &progress = {});

} // namespace takt

#endif
