//===- WindowHelpers.h - windows that slide over [N, spatial.., C] --------===//
#ifndef TAKT_LIB_DIALECT_TAKT_WINDOWHELPERS_H
#define TAKT_LIB_DIALECT_TAKT_WINDOWHELPERS_H

#include "OpHelpers.h"

namespace takt {

/// How a window slides; one number per spatial dimension in each list.
struct Window {
  llvm::ArrayRef<int64_t> kernel, strides, dilations, padsBegin, padsEnd;

  int64_t spatialRank() const { return kernel.size(); }
  /// Elements of the input from a window's first to its last, both included.
  int64_t extent(int64_t dim) const {
    return (kernel[dim] - 1) * dilations[dim] + 1;
  }
  /// Where tap `tap` of output position `out` lies in the input; may be
  /// outside of it.
  int64_t position(int64_t dim, int64_t out, int64_t tap) const {
    return out * strides[dim] + tap * dilations[dim] - padsBegin[dim];
  }
};

/// Fails with a diagnostic unless `input` is [N, spatial.., C] with one to
/// three spatial dimensions and the lists have that length and are in range.
mlir::LogicalResult verifyWindow(mlir::Operation *op, mlir::Value input,
                                 const Window &window);

/// The result's shape, with `channels` as its last size.
SymbolicShape windowShape(const SymbolicShape &input, const Window &window,
                          const SizeExpr &channels);

/// `body(position)` for each tap of the window at `out` that lies inside of the
/// input; `position` is the row-major number of its spatial element, `tap` the
/// row-major number within the kernel.
void forEachTap(const Window &window, llvm::ArrayRef<int64_t> inputSizes,
                llvm::ArrayRef<int64_t> out,
                llvm::function_ref<void(int64_t position, int64_t tap)> body);

/// Names of one factor per spatial dimension, which cannot be cut.
llvm::SmallVector<std::string>
declareSpatialFactors(RuleBuilder &rule, llvm::StringRef prefix,
                      const SymbolicShape &shape);

} // namespace takt

#endif
