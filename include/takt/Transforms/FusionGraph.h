//===- FusionGraph.h - what the fuser sees of a block -----------*- C++ -*-===//
#ifndef TAKT_TRANSFORMS_FUSIONGRAPH_H
#define TAKT_TRANSFORMS_FUSIONGRAPH_H

#include "takt/Analysis/Fuser.h"
#include "takt/Dialect/Takt/SizeAnalysis.h"

namespace takt {

/// Whether `consumer` is an operation that a contraction's library call
/// computes as its last step, exactly: adding a vector along the last dimension
/// or a tensor of the same shape, max(x, 0), gelu. `tail` is the value so far.
bool isLibraryEpilogue(mlir::Operation *library, mlir::Value tail,
                       mlir::Operation *consumer);

/// The ops of a block as nodes: tensor ops and constants, in order. Weight
/// reads and block arguments are outside.
struct FusionGraph {
  llvm::SmallVector<mlir::Operation *> ops;
  std::vector<FusionNode> nodes;

  static FusionGraph build(mlir::Block &block, SizeAnalysis &sizes);

  /// The fuser's groups under isLibraryEpilogue.
  std::vector<FusionGroup> fuse() const;
};

} // namespace takt

#endif
