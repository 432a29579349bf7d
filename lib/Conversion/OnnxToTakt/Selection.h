//===- Selection.h - which element is the best ----------------------------===//
#ifndef TAKT_LIB_CONVERSION_ONNXTOTAKT_SELECTION_H
#define TAKT_LIB_CONVERSION_ONNXTOTAKT_SELECTION_H

#include "NodeLowering.h"

namespace takt::legalize {

/// The i64 index of the largest (`kind` max) or smallest (min) element along
/// `axis`, which keeps size 1: the first of equal ones, or the last. A NaN
/// counts as the best.
mlir::Value indexOfBest(NodeLowering &n, mlir::Value x, int64_t axis,
                        llvm::StringRef kind, bool takesLast);

} // namespace takt::legalize

#endif
