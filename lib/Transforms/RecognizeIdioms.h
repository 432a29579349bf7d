//===- RecognizeIdioms.h - matching written-out idioms --------------------===//
#ifndef TAKT_LIB_TRANSFORMS_RECOGNIZEIDIOMS_H
#define TAKT_LIB_TRANSFORMS_RECOGNIZEIDIOMS_H

#include "takt/Dialect/Takt/SizeAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"

namespace takt::idioms {

/// What a recogniser builds with: new ops stand before the idiom's last op.
struct Recognition {
  mlir::OpBuilder &builder;
  SizeAnalysis &sizes;

  template <typename Op, typename... Args>
  mlir::Value make(mlir::Location loc, mlir::Type element, Args &&...args) {
    return createInferred<Op>(builder, loc, sizes, element,
                              std::forward<Args>(args)...);
  }
  /// `value` itself if it has the shape already.
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<SizeExpr> shape);
  bool hasShape(mlir::Value value, llvm::ArrayRef<SizeExpr> shape) {
    return llvm::ArrayRef<SizeExpr>(sizes.shape(value)) == shape;
  }
};

/// The ops that an idiom replaces.
using Matched = llvm::SmallSetVector<mlir::Operation *, 16>;

/// Whether nothing outside reads a matched op's result, the last op's excepted.
bool areInnerValuesPrivate(const Matched &matched, mlir::Operation *last);

/// The number that fills a float tensor, through broadcasts and reshapes.
std::optional<double> scalarOf(mlir::Value value);
/// Equal but for rounding to a constant's type.
bool isClose(double value, double expected);

/// An operand of a commutative op for which `accepts` holds; the other one is
/// left in `other`.
mlir::Value eitherOperand(mlir::Operation *op,
                          llvm::function_ref<bool(mlir::Value)> accepts,
                          mlir::Value &other);

/// A product: constant * factors.
struct Product {
  double constant = 1;
  llvm::SmallVector<mlir::Value> factors;
};
/// Multiplies out nested products and quotients by constants; `leaf` and what
/// is no product stay factors. Adds the ops to `matched`.
Product productOf(mlir::Value value, mlir::Value leaf, Matched &matched);

/// The operand of a broadcast along the last dimension, `[.., 1]` or one
/// dimension less; null if `value` is something else.
mlir::Value rowsOf(Recognition &r, mlir::Value value);
/// The operand of a reshape that only adds a last dimension of size 1, else
/// `value` itself.
mlir::Value withoutUnit(Recognition &r, mlir::Value value);
/// The operand of a reduction over the last dimension only; null otherwise.
mlir::Value reducedRows(Recognition &r, mlir::Value value, llvm::StringRef kind,
                        Matched &matched);

// Each returns the value that replaces `op`'s result, or null if `op` does not
// end the idiom.
mlir::Value recognizeGelu(Recognition &r, mlir::Operation *op);
mlir::Value recognizeSoftmax(Recognition &r, mlir::Operation *op);
mlir::Value recognizeLayerNorm(Recognition &r, mlir::Operation *op);
mlir::Value recognizeAttention(Recognition &r, mlir::Operation *op);
mlir::Value recognizeFlattenedProduct(Recognition &r, mlir::Operation *op);

} // namespace takt::idioms

#endif
