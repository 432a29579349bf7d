//===- SizeExpr.h - sizes as expressions over named dimensions ------------===//
#ifndef TAKT_SUPPORT_SIZEEXPR_H
#define TAKT_SUPPORT_SIZEEXPR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace takt {

/// A size: a polynomial over named symbols with integer coefficients, in one
/// canonical form, so that `==` on the form decides equality of polynomials.
/// What is no polynomial (floordiv, ceildiv, mod, min, max) is an opaque factor
/// in it, compared by structure. Immutable; copies share their storage.
///
/// Symbols stand for integers; a divisor is taken to be non-zero. A result
/// whose coefficients leave 64 bits, a division by constant 0 or an expression
/// of more than 4,096 terms is `undefined`: it spreads like NaN, evaluates to
/// nullopt and equals no constant.
class SizeExpr {
public:
  struct Storage;

  /// The constant 0.
  SizeExpr();
  /// A constant. INT64_MIN, which has no negation, is undefined.
  SizeExpr(int64_t value);
  /// The named dimension. \p name must satisfy isValidName.
  static SizeExpr symbol(llvm::StringRef name);
  static SizeExpr undefined();

  /// True for `[A-Za-z_][A-Za-z0-9_.]*` that is no operator word.
  static bool isValidName(llvm::StringRef name);

  /// Reads the grammar in docs/Architecture.md. Fails with the offset of the
  /// fault.
  static llvm::Expected<SizeExpr> parse(llvm::StringRef text);
  /// The canonical text; parse(str()) is this expression again. `<undefined>`,
  /// which does not parse, for an undefined one.
  std::string str() const;
  void print(llvm::raw_ostream &os) const;

  SizeExpr operator+(const SizeExpr &rhs) const;
  SizeExpr operator-(const SizeExpr &rhs) const;
  SizeExpr operator*(const SizeExpr &rhs) const;
  SizeExpr operator-() const;

  /// Rounds to minus infinity.
  static SizeExpr floorDiv(const SizeExpr &lhs, const SizeExpr &rhs);
  /// Rounds to plus infinity.
  static SizeExpr ceilDiv(const SizeExpr &lhs, const SizeExpr &rhs);
  /// lhs - rhs * floorDiv(lhs, rhs).
  static SizeExpr mod(const SizeExpr &lhs, const SizeExpr &rhs);
  static SizeExpr min(const SizeExpr &lhs, const SizeExpr &rhs);
  static SizeExpr max(const SizeExpr &lhs, const SizeExpr &rhs);
  SizeExpr floorDiv(const SizeExpr &rhs) const { return floorDiv(*this, rhs); }
  SizeExpr ceilDiv(const SizeExpr &rhs) const { return ceilDiv(*this, rhs); }
  SizeExpr mod(const SizeExpr &rhs) const { return mod(*this, rhs); }

  /// q with q * rhs == *this as polynomials; nullopt if there is none.
  std::optional<SizeExpr> exactDiv(const SizeExpr &rhs) const;
  /// A common divisor: the greatest one for constants and monomials and where
  /// one divides the other, else the greatest monomial that divides both.
  static SizeExpr commonDivisor(const SizeExpr &lhs, const SizeExpr &rhs);

  bool isUndefined() const;
  /// The value if it names no symbol.
  std::optional<int64_t> constant() const;
  bool isConstant(int64_t value) const { return constant() == value; }
  /// The name if this is one bare symbol. Lives as long as the expression.
  std::optional<llvm::StringRef> symbolName() const;
  /// Appends the names that occur, sorted, without repetition.
  void collectSymbols(llvm::SmallVectorImpl<std::string> &names) const;

  /// The value; nullopt where \p lookup knows a name not, a divisor is 0 or a
  /// step leaves 64 bits.
  std::optional<int64_t> evaluate(
      llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> lookup) const;

  /// A total order that does not depend on addresses: <0, 0 or >0.
  int compare(const SizeExpr &rhs) const;
  bool operator==(const SizeExpr &rhs) const { return compare(rhs) == 0; }
  bool operator!=(const SizeExpr &rhs) const { return compare(rhs) != 0; }
  bool operator<(const SizeExpr &rhs) const { return compare(rhs) < 0; }
  friend llvm::hash_code hash_value(const SizeExpr &expr);

  const Storage &storage() const { return *impl; }
  explicit SizeExpr(std::shared_ptr<const Storage> impl)
      : impl(std::move(impl)) {}

private:
  std::shared_ptr<const Storage> impl;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const SizeExpr &expr);

/// The reserved symbol: a rank's coordinate on its stage's tensor axis.
inline constexpr llvm::StringLiteral shardSymbol = "shard";

/// The sizes of a tensor, outermost dimension first.
using SymbolicShape = llvm::SmallVector<SizeExpr, 4>;

/// The product of all sizes; 1 for none.
SizeExpr product(llvm::ArrayRef<SizeExpr> sizes);

/// `[batch, 4*seq, 384]`.
std::string shapeText(llvm::ArrayRef<SizeExpr> shape);

} // namespace takt

#endif // TAKT_SUPPORT_SIZEEXPR_H
