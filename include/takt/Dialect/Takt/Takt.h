//===- Takt.h - the takt dialect ------------------------------------------===//
#ifndef TAKT_DIALECT_TAKT_TAKT_H
#define TAKT_DIALECT_TAKT_TAKT_H

#include "takt/Dialect/Takt/TensorOpInterface.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace takt {
/// For attribute storage.
inline llvm::hash_code hash_value(const State &state) {
  return llvm::hash_combine(int(state.kind),
                            state.kind == State::Split ? state.dim : -1);
}
} // namespace takt

#include "takt/Dialect/Takt/TaktDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "takt/Dialect/Takt/TaktAttributes.h.inc"

#define GET_OP_CLASSES
#include "takt/Dialect/Takt/TaktOps.h.inc"

namespace takt {

/// Names of discardable attributes. Function arguments and results carry
/// `name` (model port) or `channel` (value received or sent), and `shape`.
namespace attr {
inline constexpr llvm::StringLiteral name = "takt.name";
inline constexpr llvm::StringLiteral shape = "takt.shape";
inline constexpr llvm::StringLiteral channel = "takt.channel";
inline constexpr llvm::StringLiteral stage = "takt.stage";
inline constexpr llvm::StringLiteral tensorParallel = "takt.tensor_parallel";
inline constexpr llvm::StringLiteral operandStates = "takt.operand_states";
inline constexpr llvm::StringLiteral resultStates = "takt.result_states";
} // namespace attr

/// The ranks of a stage, `takt.tensor_parallel` of its module; 1 where the
/// attribute is missing.
int64_t tensorParallelOf(mlir::Operation *stage);

/// `tensor<…xelement>` with `?` where a size is not constant.
mlir::RankedTensorType tensorType(llvm::ArrayRef<SizeExpr> shape,
                                  mlir::Type element);

/// The static sizes of a type; `?` is not allowed.
SymbolicShape staticShape(mlir::RankedTensorType type);

/// The runtime's name of an element type; none for types that it lacks.
std::optional<DType> dtypeOf(mlir::Type element);
/// The element type that a dtype stands for.
mlir::Type typeOf(DType dtype, mlir::MLIRContext *context);

/// Gives the elementwise ops of arith and math the TensorOpInterface.
void registerElementwiseModels(mlir::DialectRegistry &registry);

} // namespace takt

#endif
