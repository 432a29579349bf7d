//===- Phases.h - the road, one phase after the other ---------------------===//
#ifndef TAKT_PIPELINE_PHASES_H
#define TAKT_PIPELINE_PHASES_H

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace takt {

/// The phases of docs/HowItWorks.md, in order. After each, `--to` can stop.
enum class Phase {
  Import,
  Legalize,
  Simplify,
  Plan,
  Stage,
  Partition,
  Dispatch,
  Codegen,
  Bundle,
};

/// `import`, …, `bundle`.
llvm::StringRef phaseName(Phase phase);
std::optional<Phase> parsePhase(llvm::StringRef name);
/// All names, separated by commas, for messages.
std::string phaseNames();

/// The grid that the user asks for.
struct GridOptions {
  int64_t dataParallel = 1;
  int64_t pipeline = 1;
  /// One number for all stages, or one per stage.
  llvm::SmallVector<int64_t> tensor = {1};
  /// Empty for the built-in description of a CPU core.
  std::string clusterFile;
};

/// Adds the passes of `phase`, its verifier last. Import, codegen and bundle
/// are no passes: they read or write files.
void addPhasePasses(mlir::OpPassManager &manager, Phase phase,
                    const GridOptions &grid);

} // namespace takt

#endif
