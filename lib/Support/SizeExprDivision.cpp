//===- SizeExprDivision.cpp - division, remainder, minimum, maximum -------===//
#include "SizeExprStorage.h"
#include "takt/Support/SizeExpr.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace takt;
using namespace takt::detail;

int64_t detail::floorQuotient(int64_t lhs, int64_t rhs) {
  int64_t quotient = lhs / rhs;
  return quotient - (lhs % rhs != 0 && (lhs < 0) != (rhs < 0));
}

int64_t detail::floorRemainder(int64_t lhs, int64_t rhs) {
  return lhs - floorQuotient(lhs, rhs) * rhs;
}

//===----------------------------------------------------------------------===//
// Exact division
//===----------------------------------------------------------------------===//

static std::optional<Term> divideTerm(const Term &lhs, const Term &rhs) {
  if (lhs.coefficient % rhs.coefficient != 0)
    return std::nullopt;
  std::optional<Monomial> monomial = divide(lhs.monomial, rhs.monomial);
  if (!monomial)
    return std::nullopt;
  return Term{lhs.coefficient / rhs.coefficient, std::move(*monomial)};
}

std::optional<SizeExpr> SizeExpr::exactDiv(const SizeExpr &rhs) const {
  if (isUndefined() || rhs.isUndefined() || rhs.impl->terms.empty())
    return std::nullopt;
  // Long division by the leading term. The leading monomial of the rest falls
  // in each step, so it ends; the bound only limits the work.
  std::vector<Term> quotient;
  SizeExpr rest = *this;
  for (unsigned step = 0; step < 4096; ++step) {
    if (rest.isUndefined())
      return std::nullopt;
    if (rest.impl->terms.empty())
      return makePolynomial(std::move(quotient));
    std::optional<Term> term =
        divideTerm(rest.impl->terms[0], rhs.impl->terms[0]);
    if (!term)
      return std::nullopt;
    rest = rest - makePolynomial({*term}) * rhs;
    quotient.push_back(std::move(*term));
  }
  return std::nullopt;
}

static Term commonTerm(const Term &lhs, const Term &rhs) {
  Term result{std::gcd(lhs.coefficient, rhs.coefficient), {}};
  std::set_intersection(lhs.monomial.begin(), lhs.monomial.end(),
                        rhs.monomial.begin(), rhs.monomial.end(),
                        std::back_inserter(result.monomial),
                        [](const AtomRef &a, const AtomRef &b) {
                          return compareAtoms(*a, *b) < 0;
                        });
  return result;
}

/// The greatest monomial, with coefficient, that divides every term.
static Term content(const std::vector<Term> &terms) {
  Term result = terms.front();
  for (const Term &term : terms)
    result = commonTerm(result, term);
  return result;
}

SizeExpr SizeExpr::commonDivisor(const SizeExpr &lhs, const SizeExpr &rhs) {
  if (lhs.isUndefined() || rhs.isUndefined())
    return SizeExpr(1);
  if (lhs.impl->terms.empty() || lhs.exactDiv(rhs))
    return rhs;
  if (rhs.impl->terms.empty() || rhs.exactDiv(lhs))
    return lhs;
  return makePolynomial(
      {commonTerm(content(lhs.impl->terms), content(rhs.impl->terms))});
}

//===----------------------------------------------------------------------===//
// Rounded division
//===----------------------------------------------------------------------===//

/// lhs = rhs * quotient + rest, with the quotient as large as can be shown
/// term by term; rhs is one term.
static void splitByTerm(const SizeExpr &lhs, const SizeExpr &rhs,
                        SizeExpr &quotient, SizeExpr &rest) {
  const Term &divisor = rhs.storage().terms.front();
  std::vector<Term> quotients, rests;
  for (const Term &term : lhs.storage().terms) {
    std::optional<Monomial> monomial = divide(term.monomial, divisor.monomial);
    if (!monomial) {
      rests.push_back(term);
      continue;
    }
    int64_t whole = floorQuotient(term.coefficient, divisor.coefficient);
    quotients.push_back({whole, std::move(*monomial)});
    rests.push_back(
        {floorRemainder(term.coefficient, divisor.coefficient), term.monomial});
  }
  quotient = makePolynomial(std::move(quotients));
  rest = makePolynomial(std::move(rests));
}

/// The constant term of \p expr.
static int64_t constantTerm(const SizeExpr &expr) {
  const auto &terms = expr.storage().terms;
  return !terms.empty() && terms.back().monomial.empty()
             ? terms.back().coefficient
             : 0;
}

/// floor(lhs / divisor) with divisor > 1, where no coefficient of lhs reaches
/// the divisor: constants fold, common factors and nested divisions merge.
static SizeExpr floorDivReduced(SizeExpr lhs, int64_t divisor) {
  if (std::optional<int64_t> value = lhs.constant())
    return floorQuotient(*value, divisor);
  // floor((g x + c) / (g d)) = floor((x + floor(c / g)) / d)
  int64_t constant = constantTerm(lhs), common = divisor;
  SizeExpr variable = lhs - SizeExpr(constant);
  for (const Term &term : variable.storage().terms)
    common = std::gcd(common, term.coefficient);
  lhs = *variable.exactDiv(common) + SizeExpr(floorQuotient(constant, common));
  divisor /= common;
  if (divisor == 1)
    return lhs;
  // floor(floor(x / a) / b) = floor(x / (a b))
  if (const Atom *atom = singleAtom(lhs);
      atom && atom->kind == AtomKind::FloorDiv) {
    std::optional<int64_t> inner = atom->rhs.constant();
    if (inner && *inner > 0 && fits(__int128(*inner) * divisor))
      return SizeExpr::floorDiv(atom->lhs, SizeExpr(*inner * divisor));
  }
  return makeAtom(AtomKind::FloorDiv, lhs, divisor);
}

SizeExpr SizeExpr::floorDiv(const SizeExpr &lhs, const SizeExpr &rhs) {
  if (lhs.isUndefined() || rhs.isUndefined() || rhs.isConstant(0))
    return undefined();
  if (std::optional<SizeExpr> quotient = lhs.exactDiv(rhs))
    return *quotient;
  if (rhs.impl->terms.size() != 1)
    return makeAtom(AtomKind::FloorDiv, lhs, rhs);
  if (rhs.constant().value_or(1) < 0)
    return floorDiv(-lhs, -rhs);
  SizeExpr quotient, rest;
  splitByTerm(lhs, rhs, quotient, rest);
  if (rest.isConstant(0))
    return quotient;
  if (std::optional<int64_t> divisor = rhs.constant())
    return quotient + floorDivReduced(rest, *divisor);
  return quotient + makeAtom(AtomKind::FloorDiv, rest, rhs);
}

SizeExpr SizeExpr::ceilDiv(const SizeExpr &lhs, const SizeExpr &rhs) {
  if (lhs.isUndefined() || rhs.isUndefined() || rhs.isConstant(0))
    return undefined();
  if (std::optional<SizeExpr> quotient = lhs.exactDiv(rhs))
    return *quotient;
  // One form for constants, so that `(n + 7) floordiv 8` equals `n ceildiv 8`.
  if (std::optional<int64_t> divisor = rhs.constant())
    return *divisor > 0 ? floorDiv(lhs + SizeExpr(*divisor - 1), rhs)
                        : ceilDiv(-lhs, -rhs);
  if (rhs.impl->terms.size() != 1)
    return makeAtom(AtomKind::CeilDiv, lhs, rhs);
  SizeExpr quotient, rest;
  splitByTerm(lhs, rhs, quotient, rest);
  return rest.isConstant(0) ? quotient
                            : quotient + makeAtom(AtomKind::CeilDiv, rest, rhs);
}

SizeExpr SizeExpr::mod(const SizeExpr &lhs, const SizeExpr &rhs) {
  if (lhs.isUndefined() || rhs.isUndefined() || rhs.isConstant(0))
    return undefined();
  if (lhs.exactDiv(rhs))
    return SizeExpr(0);
  if (rhs.impl->terms.size() != 1)
    return makeAtom(AtomKind::Mod, lhs, rhs);
  SizeExpr quotient, rest;
  splitByTerm(lhs, rhs, quotient, rest);
  if (rest.isConstant(0) || (rest.constant() && rhs.constant()))
    return rest;
  return makeAtom(AtomKind::Mod, rest, rhs);
}

//===----------------------------------------------------------------------===//
// Minimum and maximum
//===----------------------------------------------------------------------===//

/// The operands of nested \p kind operations.
static void flatten(AtomKind kind, const SizeExpr &expr,
                    llvm::SmallVectorImpl<SizeExpr> &operands) {
  const Atom *atom = singleAtom(expr);
  if (!atom || atom->kind != kind) {
    operands.push_back(expr);
    return;
  }
  flatten(kind, atom->lhs, operands);
  flatten(kind, atom->rhs, operands);
}

/// Sorted, without operands that differ from another by a constant and lose.
static SizeExpr makeExtreme(AtomKind kind, const SizeExpr &lhs,
                            const SizeExpr &rhs) {
  if (lhs.isUndefined() || rhs.isUndefined())
    return SizeExpr::undefined();
  llvm::SmallVector<SizeExpr> all, kept;
  flatten(kind, lhs, all);
  flatten(kind, rhs, all);
  for (const SizeExpr &candidate : all) {
    bool loses = false;
    for (SizeExpr &other : kept) {
      std::optional<int64_t> difference = (candidate - other).constant();
      if (!difference)
        continue;
      if ((kind == AtomKind::Min) == (*difference < 0))
        other = candidate;
      loses = true;
      break;
    }
    if (!loses)
      kept.push_back(candidate);
  }
  llvm::sort(kept);
  SizeExpr result = kept.back();
  for (const SizeExpr &operand :
       llvm::reverse(llvm::ArrayRef(kept).drop_back()))
    result = makeAtom(kind, operand, result);
  return result;
}

SizeExpr SizeExpr::min(const SizeExpr &lhs, const SizeExpr &rhs) {
  return makeExtreme(AtomKind::Min, lhs, rhs);
}

SizeExpr SizeExpr::max(const SizeExpr &lhs, const SizeExpr &rhs) {
  return makeExtreme(AtomKind::Max, lhs, rhs);
}
