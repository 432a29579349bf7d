//===- SizeContent.cpp - tensors whose elements are sizes -----------------===//
#include "SizeContent.h"

using namespace takt;
using namespace takt::legalize;

bool legalize::isNonNegative(const SizeExpr &expr) {
  if (auto value = expr.constant())
    return *value >= 0;
  if (expr.isUndefined())
    return false;
  // Names stand for values >= 0, and no operator but '-' leaves that range.
  return !llvm::StringRef(expr.str()).contains('-');
}

bool legalize::isAtMost(const SizeExpr &lhs, const SizeExpr &rhs) {
  return isNonNegative(rhs - lhs);
}

bool legalize::isDifferent(const SizeExpr &lhs, const SizeExpr &rhs) {
  return isNonNegative(lhs - rhs - 1) || isNonNegative(rhs - lhs - 1);
}

std::optional<bool> legalize::isEqual(const SizeExpr &lhs,
                                      const SizeExpr &rhs) {
  if (lhs == rhs && !lhs.isUndefined())
    return true;
  if (isDifferent(lhs, rhs))
    return false;
  return std::nullopt;
}

std::optional<bool> legalize::isLess(const SizeExpr &lhs, const SizeExpr &rhs) {
  if (isNonNegative(rhs - lhs - 1))
    return true;
  if (isNonNegative(lhs - rhs))
    return false;
  return std::nullopt;
}

SizeExpr legalize::smaller(const SizeExpr &lhs, const SizeExpr &rhs) {
  if (isAtMost(lhs, rhs))
    return lhs;
  return isAtMost(rhs, lhs) ? rhs : SizeExpr::min(lhs, rhs);
}

SizeExpr legalize::larger(const SizeExpr &lhs, const SizeExpr &rhs) {
  if (isAtMost(lhs, rhs))
    return rhs;
  return isAtMost(rhs, lhs) ? lhs : SizeExpr::max(lhs, rhs);
}

std::optional<SizeExpr> legalize::truncatedDiv(const SizeExpr &lhs,
                                               const SizeExpr &rhs) {
  if (rhs.isConstant(0))
    return std::nullopt;
  if (auto quotient = lhs.exactDiv(rhs))
    return quotient;
  bool lhsPositive = isNonNegative(lhs), rhsPositive = isNonNegative(rhs);
  if (!lhsPositive && !isNonNegative(-lhs))
    return std::nullopt;
  if (!rhsPositive && !isNonNegative(-rhs))
    return std::nullopt;
  SizeExpr quotient =
      SizeExpr::floorDiv(lhsPositive ? lhs : -lhs, rhsPositive ? rhs : -rhs);
  return lhsPositive == rhsPositive ? quotient : -quotient;
}
