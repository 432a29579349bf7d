//===- FusionGraph.h - what the fuser sees of a block ---------------------===//
#ifndef TAKT_TRANSFORMS_FUSIONGRAPH_H
#define TAKT_TRANSFORMS_FUSIONGRAPH_H

#include "takt/Analysis/Fuser.h"
#include "takt/Dialect/Takt/SizeAnalysis.h"

namespace takt {

/// The ops of a block as nodes: tensor ops and constants, in order. Weight
/// reads and block arguments are outside.
struct FusionGraph {
  llvm::SmallVector<mlir::Operation *> ops;
  std::vector<FusionNode> nodes;

  static FusionGraph build(mlir::Block &block, SizeAnalysis &sizes);

  /// The fuser's groups; matrix products take the epilogues of Epilogue.h.
  std::vector<FusionGroup> fuse(SizeAnalysis &sizes) const;
};

} // namespace takt

#endif
