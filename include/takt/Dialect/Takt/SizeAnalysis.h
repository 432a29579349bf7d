//===- SizeAnalysis.h - the symbolic shape of every value -----------------===//
#ifndef TAKT_DIALECT_TAKT_SIZEANALYSIS_H
#define TAKT_DIALECT_TAKT_SIZEANALYSIS_H

#include "takt/Dialect/Takt/Takt.h"

namespace takt {

/// Derives symbolic shapes on demand: from `takt.shape` of function arguments
/// and dispatch operands, from the type where it is static, else by the shape
/// function of the defining op. Values must not be erased while it is in use.
class SizeAnalysis {
public:
  /// Shape of a ranked tensor value. A size that nothing determines is a fatal
  /// error: the verifier of the legalize phase rejects such programs.
  const SymbolicShape &shape(mlir::Value value);

  /// Records a shape that the IR does not say (block arguments of regions).
  void set(mlir::Value value, SymbolicShape shape);

  /// Whether `shape` would succeed.
  bool isKnown(mlir::Value value);

  llvm::SmallVector<SymbolicShape> operandShapes(mlir::Operation *op);
  llvm::SmallVector<SymbolicShape> resultShapes(mlir::Operation *op);

private:
  const SymbolicShape *find(mlir::Value value);

  // Behind pointers, so that references survive growth of the map.
  llvm::DenseMap<mlir::Value, std::unique_ptr<SymbolicShape>> shapes;
};

/// Builds `Op` with a result type inferred by its shape function; `operands`
/// sizes come from the analysis.
template <typename Op, typename... Args>
Op createInferred(mlir::OpBuilder &builder, mlir::Location loc,
                  SizeAnalysis &sizes, mlir::Type element, Args &&...args) {
  // The placeholder never escapes: the type is set before anyone verifies.
  auto op = builder.create<Op>(loc, mlir::RankedTensorType::get({}, element),
                               std::forward<Args>(args)...);
  auto tensorOp = mlir::cast<TensorOpInterface>(op.getOperation());
  auto shapes = tensorOp.inferShapes(sizes.operandShapes(op));
  for (auto [result, shape] : llvm::zip(op->getResults(), shapes)) {
    result.setType(tensorType(shape, element));
    sizes.set(result, shape);
  }
  return op;
}

} // namespace takt

#endif
