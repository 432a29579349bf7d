//===- SizeExprText.cpp - text and value of a SizeExpr --------------------===//
#include "SizeExprStorage.h"
#include "takt/Support/SizeExpr.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace takt;
using namespace takt::detail;

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printAtom(llvm::raw_ostream &os, const Atom &atom, bool inProduct);

/// As an operand of floordiv, ceildiv or mod.
static void printOperand(llvm::raw_ostream &os, const SizeExpr &expr) {
  std::optional<int64_t> value = expr.constant();
  if (expr.symbolName() || (value && *value >= 0))
    return expr.print(os);
  os << '(';
  expr.print(os);
  os << ')';
}

static llvm::StringRef keyword(AtomKind kind) {
  switch (kind) {
  case AtomKind::Symbol:
    return "";
  case AtomKind::FloorDiv:
    return "floordiv";
  case AtomKind::CeilDiv:
    return "ceildiv";
  case AtomKind::Mod:
    return "mod";
  case AtomKind::Min:
    return "min";
  case AtomKind::Max:
    return "max";
  }
  return "";
}

static void printAtom(llvm::raw_ostream &os, const Atom &atom, bool inProduct) {
  if (atom.kind == AtomKind::Symbol) {
    os << atom.name;
  } else if (atom.kind == AtomKind::Min || atom.kind == AtomKind::Max) {
    os << keyword(atom.kind) << '(' << atom.lhs << ", " << atom.rhs << ')';
  } else {
    os << (inProduct ? "(" : "");
    printOperand(os, atom.lhs);
    os << ' ' << keyword(atom.kind) << ' ';
    printOperand(os, atom.rhs);
    os << (inProduct ? ")" : "");
  }
}

void SizeExpr::print(llvm::raw_ostream &os) const {
  if (isUndefined()) {
    os << "<undefined>";
    return;
  }
  if (impl->terms.empty())
    os << 0;
  bool first = true;
  for (const Term &term : impl->terms) {
    int64_t magnitude = std::abs(term.coefficient);
    bool negative = term.coefficient < 0;
    os << (first ? (negative ? "-" : "") : (negative ? " - " : " + "));
    bool number = magnitude != 1 || term.monomial.empty();
    if (number)
      os << magnitude;
    // A leading minus binds to the first factor only, hence the parentheses.
    bool inProduct = number || term.monomial.size() > 1 || (first && negative);
    for (const AtomRef &atom : term.monomial) {
      os << (number || &atom != term.monomial.begin() ? "*" : "");
      printAtom(os, *atom, inProduct);
    }
    first = false;
  }
}

std::string SizeExpr::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

llvm::raw_ostream &takt::operator<<(llvm::raw_ostream &os,
                                    const SizeExpr &expr) {
  expr.print(os);
  return os;
}

std::string takt::shapeText(llvm::ArrayRef<SizeExpr> shape) {
  return "[" +
         llvm::join(llvm::map_range(
                        shape, [](const SizeExpr &size) { return size.str(); }),
                    ", ") +
         "]";
}

//===----------------------------------------------------------------------===//
// Value
//===----------------------------------------------------------------------===//

using Lookup = llvm::function_ref<std::optional<int64_t>(llvm::StringRef)>;

static std::optional<int64_t> evaluateAtom(const Atom &atom, Lookup lookup) {
  if (atom.kind == AtomKind::Symbol)
    return lookup(atom.name);
  std::optional<int64_t> lhs = atom.lhs.evaluate(lookup);
  std::optional<int64_t> rhs = atom.rhs.evaluate(lookup);
  if (!lhs || !rhs)
    return std::nullopt;
  if (atom.kind == AtomKind::Min)
    return std::min(*lhs, *rhs);
  if (atom.kind == AtomKind::Max)
    return std::max(*lhs, *rhs);
  if (*rhs == 0 || *lhs == INT64_MIN)
    return std::nullopt;
  int64_t remainder = floorRemainder(*lhs, *rhs);
  if (atom.kind == AtomKind::Mod)
    return remainder;
  return floorQuotient(*lhs, *rhs) +
         (atom.kind == AtomKind::CeilDiv && remainder != 0);
}

std::optional<int64_t> SizeExpr::evaluate(Lookup lookup) const {
  if (isUndefined())
    return std::nullopt;
  int64_t sum = 0;
  for (const Term &term : impl->terms) {
    int64_t value = term.coefficient;
    for (const AtomRef &atom : term.monomial) {
      std::optional<int64_t> factor = evaluateAtom(*atom, lookup);
      if (!factor || llvm::MulOverflow(value, *factor, value))
        return std::nullopt;
    }
    if (llvm::AddOverflow(sum, value, sum))
      return std::nullopt;
  }
  return sum;
}
