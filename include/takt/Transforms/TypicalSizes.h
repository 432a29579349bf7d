//===- TypicalSizes.h - sizes that costs are computed at ------------------===//
#ifndef TAKT_TRANSFORMS_TYPICALSIZES_H
#define TAKT_TRANSFORMS_TYPICALSIZES_H

#include "takt/Dialect/Takt/SizeAnalysis.h"

#include "mlir/IR/BuiltinOps.h"

namespace takt {

/// Sizes at the typical values that the module's takt.dim ops state. Unknown
/// names count as 1: costs are estimates.
class TypicalSizes {
public:
  explicit TypicalSizes(mlir::ModuleOp module);
  /// 1 for a size without a value, 0 for a negative one.
  double operator()(const SizeExpr &expr) const;
  /// Of a value; sizes of ranked tensors come from the analysis, all other
  /// types count as 8 bytes.
  double bytes(mlir::Value value, SizeAnalysis &sizes) const;

private:
  llvm::StringMap<int64_t> values;
};

} // namespace takt

#endif
