//===- HoistWeights.h - values that no request changes --------------------===//
#ifndef TAKT_LIB_TRANSFORMS_HOISTWEIGHTS_H
#define TAKT_LIB_TRANSFORMS_HOISTWEIGHTS_H

#include "takt/Dialect/Takt/Takt.h"

namespace takt {

/// The values of a block that depend on weights and constants alone and name no
/// size of the request.
class FixedValues {
public:
  explicit FixedValues(mlir::Block &block);

  bool isFixed(mlir::Value value) const;
  /// The value to store in place of `value`, which a request's op reads:
  /// itself, or what it repeats. Null if nothing is gained.
  mlir::Value worthHoisting(mlir::Value value) const;

private:
  /// Whether a weight is among what it is computed from.
  llvm::DenseMap<mlir::Value, bool> fixed;
};

} // namespace takt

#endif
