//===- ShardingRule.h - how an op may be cut over ranks -------------------===//
#ifndef TAKT_SUPPORT_SHARDINGRULE_H
#define TAKT_SUPPORT_SHARDINGRULE_H

#include "takt/Support/SizeExpr.h"

#include <initializer_list>

namespace takt {

/// What becomes of a factor when it is cut: Parallel factors are independent;
/// Sum, Max, Min and Product are reduced over by the op; Replicated ones cannot
/// be cut. Sum promises that the result is linear in the operands that hold the
/// factor and that the others only multiply it: a bias does not belong there.
enum class FactorKind { Parallel, Sum, Max, Min, Product, Replicated };
llvm::StringRef factorKindName(FactorKind kind);

struct Factor {
  SizeExpr size;
  FactorKind kind = FactorKind::Parallel;
};

/// The factors of one dimension, major to minor; none for a dimension of size
/// 1. The dimension's size is their product.
using DimFactors = llvm::SmallVector<int, 2>;
/// The dimensions of one tensor.
using TensorFactors = llvm::SmallVector<DimFactors, 4>;

/// An einsum-like rule: each dimension of each operand and result is a list of
/// factors (as Shardy's OpShardingRuleAttr).
struct ShardingRule {
  llvm::SmallVector<Factor, 4> factors;
  llvm::SmallVector<TensorFactors, 2> operands;
  llvm::SmallVector<TensorFactors, 1> results;
  /// Sets of operands that may all be partial sums at once while the other
  /// operands are replicated, and then all results are partial sums: {{0, 1}}
  /// for add, {{0}, {1}} for mul, {{0}} for transpose.
  llvm::SmallVector<llvm::SmallVector<int, 2>, 2> linearGroups;

  /// `([i, k], [k, j]) -> ([i, j]) {i=8, j=16, k=8} reduction={k}`. The factors
  /// of one dimension are written side by side, size-1 dimensions as `1`;
  /// further groups: max, min, product, replicated, linear.
  std::string str() const;
  void print(llvm::raw_ostream &os) const;

  /// The size of a dimension: the product of its factors.
  SizeExpr dimSize(const DimFactors &dim) const;

  /// Checks ids and uses of factors: no factor twice in a tensor, a Parallel
  /// one in all results, a reduced one in none, operand numbers in range.
  llvm::Error verify() const;
  /// verify(), and factor sizes multiply to the dimensions of these shapes.
  llvm::Error verify(llvm::ArrayRef<SymbolicShape> operandShapes,
                     llvm::ArrayRef<SymbolicShape> resultShapes) const;

  /// Each result has \p resultShape; the operands have it too, up to leading
  /// dimensions that they lack and dimensions where they have size 1
  /// (aligned at the last dimension). No linear groups.
  static ShardingRule pointwise(llvm::ArrayRef<SymbolicShape> operandShapes,
                                const SymbolicShape &resultShape,
                                unsigned numResults = 1);
  /// Every dimension a factor of its own that cannot be cut.
  static ShardingRule replicated(llvm::ArrayRef<SymbolicShape> operandShapes,
                                 llvm::ArrayRef<SymbolicShape> resultShapes);
};

/// Builds a rule with named factors:
///   RuleBuilder b;
///   b.factor("i", m).factor("j", n).factor("k", k, FactorKind::Sum);
///   b.operand({"i", "k"}).operand({"k", "j"}).result({"i", "j"});
///   b.linear({0}).linear({1});
///   ShardingRule rule = b.build();
/// A dimension may list several factors, major first: "h d"; "1" is a dimension
/// of size 1 without factors. Factors of constant size 1 are left out.
class RuleBuilder {
public:
  RuleBuilder &factor(llvm::StringRef name, SizeExpr size,
                      FactorKind kind = FactorKind::Parallel);
  RuleBuilder &operand(llvm::ArrayRef<std::string> dims);
  RuleBuilder &result(llvm::ArrayRef<std::string> dims);
  RuleBuilder &operand(std::initializer_list<llvm::StringRef> dims);
  RuleBuilder &result(std::initializer_list<llvm::StringRef> dims);
  RuleBuilder &linear(std::initializer_list<int> operands);
  /// Asserts that the rule verifies.
  ShardingRule build() const;

private:
  TensorFactors tensor(llvm::ArrayRef<llvm::StringRef> dims) const;
  ShardingRule rule;
  /// Name and id; -1 for a factor of size 1.
  llvm::SmallVector<std::pair<std::string, int>, 4> names;
};

/// Row-major reshape of one operand to one result. Where running products of
/// both sides meet, the common divisor of what is left of the current
/// dimensions is a shared Parallel factor; in between, factors are private to
/// one side and Replicated. Linear in its operand.
ShardingRule reshapeRule(llvm::ArrayRef<SizeExpr> input,
                         llvm::ArrayRef<SizeExpr> output);

//===----------------------------------------------------------------------===//
// States and strategies on one grid axis
//===----------------------------------------------------------------------===//

/// The state of a value on a stage's grid axis: whole on every rank, dimension
/// `dim` cut into equal parts, or a sum over ranks.
struct State {
  enum Kind { Replicated, Split, Partial };
  Kind kind = Replicated;
  int dim = -1; // of Split

  static State replicated() { return {}; }
  static State split(int dim) { return {Split, dim}; }
  static State partial() { return {Partial, -1}; }

  bool operator==(const State &rhs) const {
    return kind == rhs.kind && (kind != Split || dim == rhs.dim);
  }
  bool operator!=(const State &rhs) const { return !(*this == rhs); }
  bool operator<(const State &rhs) const {
    return kind != rhs.kind ? kind < rhs.kind : kind == Split && dim < rhs.dim;
  }

  /// `replicated`, `split 2`, `partial`.
  std::string str() const;
  static llvm::Expected<State> parse(llvm::StringRef text);
};
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const State &state);

/// One way to run an op on all ranks of a stage without communication inside.
struct Strategy {
  static constexpr int replicate = -1; // every rank does all the work
  static constexpr int linear = -2;    // partial sums in and out

  llvm::SmallVector<State, 2> operands;
  llvm::SmallVector<State, 1> results;
  /// The factor that is cut, or one of the above.
  int factor = replicate;

  bool operator==(const Strategy &rhs) const {
    return operands == rhs.operands && results == rhs.results &&
           factor == rhs.factor;
  }
  /// `(split 1, split 0) -> (partial)`.
  std::string str() const;
};

/// A factor that could be cut but for the reason given, for remarks.
struct UnusedFactor {
  int factor;
  std::string reason;
};

/// The strategies of an op on an axis of \p ways ranks, in this order:
/// replicate; one per Parallel or Sum factor whose constant size \p ways
/// divides and that is major in each dimension where it stands; one per linear
/// group. Only replicate for ways == 1.
llvm::SmallVector<Strategy>
enumerateStrategies(const ShardingRule &rule, int64_t ways,
                    llvm::SmallVectorImpl<UnusedFactor> *unused = nullptr);

/// The shape of a rank's part. Fails if the dimension does not exist or \p ways
/// does not provably divide it.
llvm::Expected<SymbolicShape> localShape(llvm::ArrayRef<SizeExpr> shape,
                                         const State &state, int64_t ways);

} // namespace takt

#endif // TAKT_SUPPORT_SHARDINGRULE_H
