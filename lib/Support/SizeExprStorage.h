//===- SizeExprStorage.h - canonical form of a SizeExpr -------------------===//
#ifndef TAKT_LIB_SUPPORT_SIZEEXPRSTORAGE_H
#define TAKT_LIB_SUPPORT_SIZEEXPRSTORAGE_H

#include "takt/Support/SizeExpr.h"

#include <vector>

namespace takt {
namespace detail {

enum class AtomKind { Symbol, FloorDiv, CeilDiv, Mod, Min, Max };

/// What a polynomial is made of: a symbol, or an operation that is no
/// polynomial.
struct Atom {
  AtomKind kind;
  std::string name;  // Symbol
  SizeExpr lhs, rhs; // the others
};
using AtomRef = std::shared_ptr<const Atom>;
int compareAtoms(const Atom &lhs, const Atom &rhs);

/// A product of atoms, sorted by compareAtoms, with repetition.
using Monomial = llvm::SmallVector<AtomRef, 2>;
/// Graded lexicographic: >0 if \p lhs comes first (higher degree). The order is
/// kept by multiplication, which polynomial division needs.
int compareMonomials(const Monomial &lhs, const Monomial &rhs);
Monomial multiply(const Monomial &lhs, const Monomial &rhs);
/// lhs / rhs, or nullopt if rhs does not divide lhs.
std::optional<Monomial> divide(const Monomial &lhs, const Monomial &rhs);

struct Term {
  int64_t coefficient;
  Monomial monomial;
};

/// Sorts by descending monomial and adds up equal ones; undefined on overflow.
SizeExpr makePolynomial(std::vector<Term> terms);
SizeExpr makeAtom(AtomKind kind, const SizeExpr &lhs, const SizeExpr &rhs);
/// The atom if the expression is one atom with coefficient 1, else null.
const Atom *singleAtom(const SizeExpr &expr);

/// Quotient rounded to minus infinity, and its remainder. rhs != 0; operands
/// are never INT64_MIN here.
int64_t floorQuotient(int64_t lhs, int64_t rhs);
int64_t floorRemainder(int64_t lhs, int64_t rhs);
bool fits(__int128 value);

} // namespace detail

/// Terms in descending order, no zero coefficients, no equal monomials.
struct SizeExpr::Storage {
  std::vector<detail::Term> terms;
  bool undefined = false;
};

} // namespace takt

#endif // TAKT_LIB_SUPPORT_SIZEEXPRSTORAGE_H
