//===- Reduction.h - sums, maxima and products ----------------------------===//
#ifndef TAKT_LIB_CONVERSION_TAKTTOLINALG_REDUCTION_H
#define TAKT_LIB_CONVERSION_TAKTTOLINALG_REDUCTION_H

#include "StageBody.h"

namespace takt::kernels {

/// Identity and step of a reduction over elements of one type.
struct Reduction {
  mlir::TypedAttr identity;
  std::function<mlir::Value(StageBody &, mlir::Value, mlir::Value)> combine;
};

/// `kind` is sum, max, min or prod, as in takt.reduce, where NaN wins in max
/// and min; or maxnum, which passes NaN over.
Reduction reductionOf(llvm::StringRef kind, mlir::Type type,
                      mlir::arith::FastMathFlagsAttr flags);

/// True at the axes, of `rank` dimensions.
llvm::SmallVector<bool> markAxes(unsigned rank, llvm::ArrayRef<int64_t> axes);

/// The entries of `list` that are not reduced.
template <typename List>
List dropReduced(const List &list, llvm::ArrayRef<bool> reduced) {
  List kept;
  for (unsigned i = 0; i < reduced.size(); ++i)
    if (!reduced[i])
      kept.push_back(list[i]);
  return kept;
}

/// The element of `buffer` at this point of the space, as float `type`.
mlir::Value readPoint(StageBody &body, const KernelBuffer &buffer,
                      mlir::Type type);

/// sum + a * b, kept in `sum`'s type.
mlir::Value multiplyAdd(StageBody &body, mlir::Value sum, mlir::Value a,
                        mlir::Value b, mlir::arith::FastMathFlagsAttr flags);

} // namespace takt::kernels

#endif
