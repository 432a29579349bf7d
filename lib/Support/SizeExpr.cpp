//===- SizeExpr.cpp - polynomials over named dimensions -------------------===//
#include "takt/Support/SizeExpr.h"
#include "SizeExprStorage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <set>

using namespace takt;
using namespace takt::detail;

/// More terms than any shape computation needs; keeps products of sums, which
/// grow exponentially, from filling memory.
static constexpr size_t maxTerms = 4096;

//===----------------------------------------------------------------------===//
// Order and canonical form
//===----------------------------------------------------------------------===//

int detail::compareAtoms(const Atom &lhs, const Atom &rhs) {
  if (&lhs == &rhs)
    return 0;
  if (lhs.kind != rhs.kind)
    return lhs.kind < rhs.kind ? -1 : 1;
  if (lhs.kind == AtomKind::Symbol)
    return lhs.name.compare(rhs.name);
  if (int order = lhs.lhs.compare(rhs.lhs))
    return order;
  return lhs.rhs.compare(rhs.rhs);
}

int detail::compareMonomials(const Monomial &lhs, const Monomial &rhs) {
  if (lhs.size() != rhs.size())
    return lhs.size() > rhs.size() ? 1 : -1;
  for (auto [left, right] : llvm::zip_equal(lhs, rhs))
    if (int order = compareAtoms(*left, *right))
      return -order;
  return 0;
}

Monomial detail::multiply(const Monomial &lhs, const Monomial &rhs) {
  Monomial result;
  std::merge(lhs.begin(), lhs.end(), rhs.begin(), rhs.end(),
             std::back_inserter(result), [](const auto &a, const auto &b) {
               return compareAtoms(*a, *b) < 0;
             });
  return result;
}

std::optional<Monomial> detail::divide(const Monomial &lhs,
                                       const Monomial &rhs) {
  Monomial result;
  size_t next = 0;
  for (const AtomRef &atom : lhs) {
    if (next < rhs.size() && compareAtoms(*atom, *rhs[next]) == 0)
      ++next;
    else
      result.push_back(atom);
  }
  if (next != rhs.size())
    return std::nullopt;
  return result;
}

bool detail::fits(__int128 value) {
  return value >= -INT64_MAX && value <= INT64_MAX;
}

SizeExpr detail::makePolynomial(std::vector<Term> terms) {
  llvm::sort(terms, [](const Term &a, const Term &b) {
    return compareMonomials(a.monomial, b.monomial) > 0;
  });
  auto storage = std::make_shared<SizeExpr::Storage>();
  for (size_t begin = 0; begin < terms.size();) {
    __int128 sum = 0;
    size_t end = begin;
    for (; end < terms.size() &&
           compareMonomials(terms[begin].monomial, terms[end].monomial) == 0;
         ++end)
      sum += terms[end].coefficient;
    if (!fits(sum))
      return SizeExpr::undefined();
    if (sum != 0)
      storage->terms.push_back(
          {int64_t(sum), std::move(terms[begin].monomial)});
    begin = end;
  }
  if (storage->terms.size() > maxTerms)
    return SizeExpr::undefined();
  return SizeExpr(std::move(storage));
}

SizeExpr detail::makeAtom(AtomKind kind, const SizeExpr &lhs,
                          const SizeExpr &rhs) {
  auto atom = std::make_shared<Atom>(Atom{kind, "", lhs, rhs});
  return makePolynomial({{1, {std::move(atom)}}});
}

const Atom *detail::singleAtom(const SizeExpr &expr) {
  const auto &terms = expr.storage().terms;
  if (expr.isUndefined() || terms.size() != 1 || terms[0].coefficient != 1 ||
      terms[0].monomial.size() != 1)
    return nullptr;
  return terms[0].monomial[0].get();
}

//===----------------------------------------------------------------------===//
// Construction and arithmetic
//===----------------------------------------------------------------------===//

SizeExpr::SizeExpr() : SizeExpr(int64_t(0)) {}

SizeExpr::SizeExpr(int64_t value) {
  auto storage = std::make_shared<Storage>();
  if (value == INT64_MIN)
    storage->undefined = true;
  else if (value != 0)
    storage->terms.push_back({value, {}});
  impl = std::move(storage);
}

SizeExpr SizeExpr::symbol(llvm::StringRef name) {
  assert(isValidName(name) &&
         "not a name of the grammar in docs/Architecture.md");
  auto atom =
      std::make_shared<Atom>(Atom{AtomKind::Symbol, name.str(), {}, {}});
  return makePolynomial({{1, {std::move(atom)}}});
}

SizeExpr SizeExpr::undefined() { return SizeExpr(INT64_MIN); }

bool SizeExpr::isValidName(llvm::StringRef name) {
  static constexpr llvm::StringLiteral words[] = {"floordiv", "ceildiv", "mod",
                                                  "min", "max"};
  if (name.empty() || !(llvm::isAlpha(name.front()) || name.front() == '_'))
    return false;
  return llvm::all_of(
             name,
             [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }) &&
         !llvm::is_contained(words, name);
}

SizeExpr SizeExpr::operator+(const SizeExpr &rhs) const {
  if (isUndefined() || rhs.isUndefined())
    return undefined();
  std::vector<Term> terms = impl->terms;
  terms.insert(terms.end(), rhs.impl->terms.begin(), rhs.impl->terms.end());
  return makePolynomial(std::move(terms));
}

SizeExpr SizeExpr::operator-() const { return *this * SizeExpr(-1); }

SizeExpr SizeExpr::operator-(const SizeExpr &rhs) const {
  return *this + (-rhs);
}

SizeExpr SizeExpr::operator*(const SizeExpr &rhs) const {
  if (isUndefined() || rhs.isUndefined() ||
      impl->terms.size() * rhs.impl->terms.size() > maxTerms * 16)
    return undefined();
  std::vector<Term> terms;
  for (const Term &left : impl->terms)
    for (const Term &right : rhs.impl->terms) {
      __int128 coefficient = __int128(left.coefficient) * right.coefficient;
      if (!fits(coefficient))
        return undefined();
      terms.push_back(
          {int64_t(coefficient), multiply(left.monomial, right.monomial)});
    }
  return makePolynomial(std::move(terms));
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

bool SizeExpr::isUndefined() const { return impl->undefined; }

std::optional<int64_t> SizeExpr::constant() const {
  if (isUndefined())
    return std::nullopt;
  if (impl->terms.empty())
    return 0;
  if (impl->terms.size() == 1 && impl->terms[0].monomial.empty())
    return impl->terms[0].coefficient;
  return std::nullopt;
}

std::optional<llvm::StringRef> SizeExpr::symbolName() const {
  const Atom *atom = singleAtom(*this);
  if (!atom || atom->kind != AtomKind::Symbol)
    return std::nullopt;
  return llvm::StringRef(atom->name);
}

static void collect(const SizeExpr &expr, std::set<std::string> &names) {
  for (const Term &term : expr.storage().terms)
    for (const AtomRef &atom : term.monomial) {
      if (atom->kind == AtomKind::Symbol) {
        names.insert(atom->name);
        continue;
      }
      collect(atom->lhs, names);
      collect(atom->rhs, names);
    }
}

void SizeExpr::collectSymbols(llvm::SmallVectorImpl<std::string> &names) const {
  std::set<std::string> all(names.begin(), names.end());
  collect(*this, all);
  names.assign(all.begin(), all.end());
}

int SizeExpr::compare(const SizeExpr &rhs) const {
  if (impl == rhs.impl)
    return 0;
  if (isUndefined() != rhs.isUndefined())
    return isUndefined() ? 1 : -1;
  const auto &left = impl->terms, &right = rhs.impl->terms;
  if (left.size() != right.size())
    return left.size() < right.size() ? -1 : 1;
  for (auto [a, b] : llvm::zip_equal(left, right)) {
    if (int order = compareMonomials(a.monomial, b.monomial))
      return -order;
    if (a.coefficient != b.coefficient)
      return a.coefficient < b.coefficient ? -1 : 1;
  }
  return 0;
}

llvm::hash_code takt::hash_value(const SizeExpr &expr) {
  llvm::hash_code hash = llvm::hash_value(expr.isUndefined());
  for (const Term &term : expr.storage().terms) {
    hash = llvm::hash_combine(hash, term.coefficient);
    for (const AtomRef &atom : term.monomial)
      hash = atom->kind == AtomKind::Symbol
                 ? llvm::hash_combine(hash, atom->name)
                 : llvm::hash_combine(hash, unsigned(atom->kind),
                                      hash_value(atom->lhs),
                                      hash_value(atom->rhs));
  }
  return hash;
}

SizeExpr takt::product(llvm::ArrayRef<SizeExpr> sizes) {
  SizeExpr result(1);
  for (const SizeExpr &size : sizes)
    result = result * size;
  return result;
}
