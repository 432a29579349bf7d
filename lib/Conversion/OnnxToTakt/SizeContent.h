//===- SizeContent.h - tensors whose elements are sizes -------------------===//
#ifndef TAKT_LIB_CONVERSION_ONNXTOTAKT_SIZECONTENT_H
#define TAKT_LIB_CONVERSION_ONNXTOTAKT_SIZECONTENT_H

#include "takt/Support/SizeExpr.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace takt::legalize {

/// The elements of an integer or boolean tensor, row-major, where each is known
/// as an expression over the dimension names.
using SizeContent = llvm::SmallVector<SizeExpr, 4>;

/// Tensors with more elements are data.
inline constexpr int64_t maxContentElements = 64;

/// True only if the expression is >= 0 whatever the dimensions are. May miss
/// some.
bool isNonNegative(const SizeExpr &expr);
/// True only if lhs <= rhs whatever the dimensions are.
bool isAtMost(const SizeExpr &lhs, const SizeExpr &rhs);
/// True only if the two differ whatever the dimensions are.
bool isDifferent(const SizeExpr &lhs, const SizeExpr &rhs);
/// Whether lhs == rhs; nullopt if that depends on the request.
std::optional<bool> isEqual(const SizeExpr &lhs, const SizeExpr &rhs);
/// Whether lhs < rhs; nullopt if that depends on the request.
std::optional<bool> isLess(const SizeExpr &lhs, const SizeExpr &rhs);

/// min and max, resolved where the order is provable.
SizeExpr smaller(const SizeExpr &lhs, const SizeExpr &rhs);
SizeExpr larger(const SizeExpr &lhs, const SizeExpr &rhs);

/// Integer division that truncates toward zero, as ONNX's Div; nullopt if the
/// signs are not known.
std::optional<SizeExpr> truncatedDiv(const SizeExpr &lhs, const SizeExpr &rhs);

} // namespace takt::legalize

#endif
