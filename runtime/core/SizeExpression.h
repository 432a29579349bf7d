/// Size expressions of a manifest (docs/Architecture.md gives the grammar),
/// parsed to postfix form and evaluated with 64-bit overflow checks.
#ifndef TAKT_RUNTIME_CORE_SIZEEXPRESSION_H
#define TAKT_RUNTIME_CORE_SIZEEXPRESSION_H

#include "runtime/core/Status.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace takt::runtime {

class SizeExpression {
public:
  /// Most values that an evaluation holds at once; deeper text is refused.
  static constexpr size_t maxDepth = 256;

  /// Parses `text`; names are looked up in `dims` (their index is stored).
  static Result<SizeExpression> parse(std::string_view text,
                                      const std::vector<std::string> &dims);

  /// The value for `dims`. Division rounds towards minus infinity (floordiv,
  /// mod) or plus infinity (ceildiv). Fails on overflow and on a divisor that
  /// is not positive; allocates only then.
  Status evaluate(const int64_t *dims, int64_t &value) const;

  /// Index of the dimension that the whole expression is, or -1.
  int getBareDim() const;
  bool isConstant() const;
  /// Whether dimension `dim` occurs.
  bool mentions(int dim) const;
  const std::string &getText() const { return text; }

  enum class Opcode {
    Constant,
    Dim,
    Add,
    Subtract,
    Multiply,
    FloorDiv,
    CeilDiv,
    Mod,
    Min,
    Max,
    Negate,
  };
  struct Step {
    Opcode opcode;
    int64_t operand; // constant or index of the dimension
  };

private:
  std::string text;
  std::vector<Step> steps;
};

/// Product of `factors` and `elementBytes`; fails where a factor is negative
/// or the product exceeds 2^62.
Result<int64_t> checkedBytes(const std::vector<int64_t> &factors,
                             int64_t elementBytes);

} // namespace takt::runtime

#endif
