//===- TensorOpInterface.h - what the phases ask of a tensor op -----------===//
#ifndef TAKT_DIALECT_TAKT_TENSOROPINTERFACE_H
#define TAKT_DIALECT_TAKT_TENSOROPINTERFACE_H

#include "takt/Support/HostTensor.h"
#include "takt/Support/ShardingRule.h"
#include "takt/Support/SizeExpr.h"

#include "mlir/IR/OpDefinition.h"
#include "llvm/Support/Error.h"

namespace takt {

/// What the fuser may do with an op.
enum class FusionKind {
  /// One result element needs a known set of operand elements: fuses freely.
  Pointwise,
  /// Reduces over trailing dimensions of its operand: fuses along rows.
  RowReduction,
  /// A call of the target's library, perhaps with epilogues.
  Library,
  /// The same bytes under another shape.
  View,
  /// Communication among ranks.
  Collective,
};

/// The error of a value that cannot be computed.
llvm::Error evaluationFailure(const llvm::Twine &text);

/// Values of the size symbols while an op is evaluated.
struct EvaluationContext {
  /// Null or the value of a symbol.
  llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> symbols;

  /// Fails, naming the expression, if a symbol is unbound or it overflows.
  llvm::Expected<int64_t> evaluate(const SizeExpr &expr) const;
  llvm::Expected<llvm::SmallVector<int64_t>>
  evaluate(llvm::ArrayRef<SizeExpr> exprs) const;
};

} // namespace takt

#include "takt/Dialect/Takt/TensorOpInterface.h.inc"

namespace takt {

/// Whether the op communicates among the ranks of a stage.
bool isCollective(mlir::Operation *op);

/// Calls `visit` with each size expression in the op's attributes; not with
/// those of ops in its regions.
void forEachSize(mlir::Operation *op,
                 llvm::function_ref<void(const SizeExpr &)> visit);

} // namespace takt

#endif
