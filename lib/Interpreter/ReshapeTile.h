//===- ReshapeTile.h - which part of a reshape's operand a part needs -----===//
#ifndef TAKT_LIB_INTERPRETER_RESHAPETILE_H
#define TAKT_LIB_INTERPRETER_RESHAPETILE_H

#include "takt/Support/TensorWindow.h"

namespace takt {

/// A reshape of static sizes as groups of dimensions with equal products on
/// both sides. A part of the result needs, in each group, a range of its
/// elements, which whole rows of the operand's leading dimension cover.
class ReshapeTile {
public:
  /// None where the sizes have no common groups (an empty tensor).
  static std::optional<ReshapeTile> find(llvm::ArrayRef<int64_t> from,
                                         llvm::ArrayRef<int64_t> to);

  /// In this order: read `operand`, see it as `regrouped` (one dimension per
  /// group), cut `rows`, see that as `covering`, cut `inner`.
  struct Plan {
    TensorWindow operand;
    llvm::SmallVector<int64_t> regrouped;
    TensorWindow rows;
    llvm::SmallVector<int64_t> covering;
    TensorWindow inner;
  };
  Plan plan(const TensorWindow &window) const;

private:
  struct Group {
    size_t fromBegin, fromEnd, toBegin, toEnd;
  };
  void planGroup(const Group &group, const TensorWindow &window,
                 Plan &plan) const;

  llvm::SmallVector<int64_t> from, to;
  llvm::SmallVector<Group> groups;
};

/// `tensor`, whose dimension i is dimension `dims[i]` of the result, repeated
/// to `shape` along the others and where it has size 1.
HostTensor repeatTile(const HostTensor &tensor, llvm::ArrayRef<int64_t> dims,
                      llvm::ArrayRef<int64_t> shape);

} // namespace takt

#endif
