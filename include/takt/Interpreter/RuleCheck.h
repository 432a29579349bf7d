//===- RuleCheck.h - an op's sharding rule against its values -------------===//
#ifndef TAKT_INTERPRETER_RULECHECK_H
#define TAKT_INTERPRETER_RULECHECK_H

#include "takt/Interpreter/BlockEvaluator.h"
#include "takt/Support/ShardingRule.h"

namespace takt {

/// How checkRule makes operands and compares results.
struct RuleCheckOptions {
  /// Values of the dimensions that the op's sizes mention.
  SymbolValues dims;
  /// Operands hold whole numbers in [low, high]; entry i overrides operand i.
  int64_t low = -3;
  int64_t high = 3;
  llvm::SmallVector<std::pair<int64_t, int64_t>> ranges;
  /// Results may differ by so many units in the last place of f32, relative to
  /// the result's largest magnitude. 0: exactly equal.
  double ulps = 0;
  uint64_t seed = 1;
};

/// Runs `op` unsharded and, for each strategy that its rule gives for `ways`
/// ranks, cut: operands are split by the strategy's states (a partial operand
/// into whole numbers that sum to it), each rank's clone has local types and
/// was localized, and the joined results must equal the unsharded ones. Also
/// fails if the rule does not verify, if a local op does not, or if
/// `inferShapes` disagrees with the value. `op` must be in a function, with
/// operands whose shapes SizeAnalysis knows. Returns the number of strategies.
llvm::Expected<int> checkRule(mlir::Operation *op, int64_t ways,
                              const RuleCheckOptions &options);

} // namespace takt

#endif
