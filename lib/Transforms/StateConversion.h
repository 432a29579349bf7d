//===- StateConversion.h - one value in several states --------------------===//
#ifndef TAKT_LIB_TRANSFORMS_STATECONVERSION_H
#define TAKT_LIB_TRANSFORMS_STATECONVERSION_H

#include "takt/Dialect/Takt/SizeAnalysis.h"
#include "takt/Transforms/PlanAttributes.h"

namespace takt {

/// Converts the values of a stage between states, each once per wanted state,
/// before the first use in that state. Shapes are looked up on the global
/// values and recorded for the local ones.
class StateConverter {
public:
  StateConverter(mlir::ModuleOp stage, int64_t ways, SizeAnalysis &sizes)
      : stage(stage), ways(ways), sizes(sizes) {}

  /// Announces a use. All uses are announced before the first conversion,
  /// since they decide how the value is converted.
  void want(mlir::Value global, State state);

  /// Records a value that the local program has.
  void define(mlir::Value global, State state, mlir::Value local);

  /// The value in the wanted state. Fails with a diagnostic if no conversion
  /// leads to it (nothing becomes a partial sum).
  mlir::FailureOr<mlir::Value> get(mlir::Value global, State state,
                                   mlir::OpBuilder &builder);

  /// The shape of a rank's part; fails with a diagnostic at the value.
  mlir::FailureOr<SymbolicShape> localShapeOf(mlir::Value global, State state);

  /// The type of a rank's part of a value of this type and state. A size that
  /// the type leaves open stays open.
  mlir::RankedTensorType localTypeOf(mlir::Type global, State state) const;

private:
  struct Versions {
    State native;
    llvm::SmallVector<std::pair<State, mlir::Value>> made;
    llvm::SmallVector<State> wanted;
  };

  mlir::FailureOr<mlir::Value> convert(mlir::Value global, State state,
                                       mlir::OpBuilder &builder);
  mlir::FailureOr<mlir::Value> readSource(mlir::Value global, State state,
                                          mlir::OpBuilder &builder);
  mlir::Value slicePart(mlir::Value whole, State state,
                        llvm::ArrayRef<SizeExpr> local,
                        mlir::OpBuilder &builder);
  WeightOp shardOf(WeightOp weight, State state, mlir::RankedTensorType type);

  mlir::ModuleOp stage;
  int64_t ways;
  SizeAnalysis &sizes;
  llvm::DenseMap<mlir::Value, Versions> versions;
  /// The weight that a shard was cut from.
  llvm::DenseMap<mlir::Operation *, WeightOp> shards;
};

} // namespace takt

#endif
