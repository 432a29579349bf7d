//===- Fuser.h - which ops form one dispatch ------------------------------===//
#ifndef TAKT_ANALYSIS_FUSER_H
#define TAKT_ANALYSIS_FUSER_H

#include "takt/Support/SizeExpr.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace takt {

/// What the fuser knows of an op. Nodes are in topological order.
struct FusionNode {
  enum Kind {
    Pointwise,    ///< an element needs a known set of operand elements
    RowReduction, ///< reduces trailing dimensions of operand 0
    Library,      ///< a call of the target's library
    View,         ///< the same bytes under another shape
    Collective,
    Standalone, ///< a kernel of its own
  };
  Kind kind = Pointwise;
  /// Producing nodes; -1 for what comes from outside (arguments, weights).
  llvm::SmallVector<int, 3> operands;
  /// The shape that the op iterates over: of the result, or of operand 0 for a
  /// row reduction.
  SymbolicShape space;
  /// Leading dimensions of the space that are not reduced (RowReduction).
  int64_t rows = 0;
  /// Element i of the result needs only row i of the operands, whatever leading
  /// dimensions a row has: elementwise ops, and repetition along trailing ones.
  bool isRowwise = false;
  /// Costs next to nothing and reads next to nothing: copied to each group that
  /// reads it (constants, iota, repetition), and stored by a
  /// group of its own where a library call, view or collective reads it.
  bool isCheap = false;
  /// Its value is returned by the program.
  bool isReturned = false;
};

/// One dispatch.
struct FusionGroup {
  enum Kind { Kernel, Library, View, Collective };
  Kind kind = Kernel;
  /// In topological order; cheap nodes may occur in several groups.
  llvm::SmallVector<int> nodes;
  /// Nodes whose value leaves the group.
  llvm::SmallVector<int> outputs;
};

/// Asked whether `consumer` can be the next epilogue of the library call
/// `library`, whose value so far is that of `tail`.
using EpilogueQuery =
    llvm::function_ref<bool(int library, int tail, int consumer)>;

/// Groups in topological order, every node that is needed in one of them.
/// Deterministic: depends on the order of the nodes only.
std::vector<FusionGroup> fuse(llvm::ArrayRef<FusionNode> nodes,
                              EpilogueQuery canFuseEpilogue);

/// Checks groups that anyone made: each needed node that is not cheap is in
/// exactly one group, operands come from the own group, an earlier one's
/// outputs or outside, and kinds fit.
llvm::Error verifyGroups(llvm::ArrayRef<FusionNode> nodes,
                         llvm::ArrayRef<FusionGroup> groups);

} // namespace takt

#endif
