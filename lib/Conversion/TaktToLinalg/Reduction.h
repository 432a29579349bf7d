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

/// `kind` is sum, max, min or prod, as in takt.reduce. NaN wins in max and min.
Reduction reductionOf(llvm::StringRef kind, mlir::Type type,
                      mlir::arith::FastMathFlagsAttr flags);

} // namespace takt::kernels

#endif
