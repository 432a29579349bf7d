//===- RecognizeGelu.cpp - x * 0.5 * (1 + erf or tanh) --------------------===//
#include "RecognizeIdioms.h"

#include <cmath>

using namespace mlir;
using namespace takt;
using namespace takt::idioms;

/// The y of 1 + Op(y); null if `value` is something else.
template <typename Op>
static Value insideOnePlus(Value value, Matched &matched) {
  auto add = value.getDefiningOp<arith::AddFOp>();
  Value other;
  if (!add ||
      !eitherOperand(add, [](Value v) { return scalarOf(v) == 1.0; }, other))
    return {};
  auto function = other.getDefiningOp<Op>();
  if (!function)
    return {};
  matched.insert(add);
  matched.insert(function);
  return function.getOperand();
}

/// The first factor of a nest of products that is 1 + Op(y), and y.
template <typename Op>
static std::pair<Value, Value> findOnePlus(Value value, Matched &matched) {
  if (Value inner = insideOnePlus<Op>(value, matched))
    return {value, inner};
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::DivFOp>(op))
    return {};
  for (Value operand : op->getOperands())
    if (auto found = findOnePlus<Op>(operand, matched); found.first)
      return found;
  return {};
}

/// x, where y = x / sqrt(2).
static Value erfArgument(Value y, Matched &matched) {
  auto mul = y.getDefiningOp<arith::MulFOp>();
  auto div = y.getDefiningOp<arith::DivFOp>();
  Value x;
  if (mul && eitherOperand(
                 mul,
                 [](Value v) {
                   auto number = scalarOf(v);
                   return number && isClose(*number, M_SQRT1_2);
                 },
                 x)) {
    matched.insert(mul);
    return x;
  }
  auto divisor = div ? scalarOf(div.getRhs()) : std::nullopt;
  if (!divisor || !isClose(*divisor, M_SQRT2))
    return {};
  matched.insert(div);
  return div.getLhs();
}

/// Whether `value` is 0.044715 * x^power.
static bool isCubicTerm(Value value, Value x, unsigned power,
                        Matched &matched) {
  Product product = productOf(value, x, matched);
  return isClose(product.constant, 0.044715) &&
         product.factors.size() == power &&
         llvm::all_of(product.factors, [&](Value v) { return v == x; });
}

/// x, where y = sqrt(2/pi) * (x + 0.044715 x^3), or with x factored out.
static Value tanhArgument(Value y, Matched &matched) {
  Product outer = productOf(y, {}, matched);
  if (!isClose(outer.constant, std::sqrt(2 / M_PI)) || outer.factors.empty() ||
      outer.factors.size() > 2)
    return {};
  for (Value factor : outer.factors) {
    auto add = factor.getDefiningOp<arith::AddFOp>();
    if (!add)
      continue;
    for (unsigned i : {0u, 1u}) {
      Value first = add->getOperand(i), cubic = add->getOperand(1 - i);
      Matched inner;
      inner.insert(add);
      Value x = first;
      unsigned power = 3;
      if (outer.factors.size() == 2) {
        if (scalarOf(first) != 1.0)
          continue;
        x = outer.factors[outer.factors[0] == factor ? 1 : 0];
        power = 2;
      }
      if (!isCubicTerm(cubic, x, power, inner))
        continue;
      matched.insert(inner.begin(), inner.end());
      return x;
    }
  }
  return {};
}

template <typename Op>
static Value recognize(Recognition &r, arith::MulFOp last,
                       Value (*argument)(Value, Matched &)) {
  Matched matched;
  auto [onePlus, inner] = findOnePlus<Op>(last.getResult(), matched);
  Value x = onePlus ? argument(inner, matched) : Value();
  if (!x)
    return {};
  Product product = productOf(last.getResult(), x, matched);
  bool hasBoth = product.factors.size() == 2 &&
                 llvm::is_contained(product.factors, x) &&
                 llvm::is_contained(product.factors, onePlus);
  if (!hasBoth || !isClose(product.constant, 0.5) ||
      !areInnerValuesPrivate(matched, last))
    return {};
  return r.make<GeluOp>(last.getLoc(), getElementTypeOrSelf(x.getType()), x,
                        std::is_same_v<Op, math::TanhOp>);
}

Value idioms::recognizeGelu(Recognition &r, Operation *op) {
  auto last = dyn_cast<arith::MulFOp>(op);
  if (!last)
    return {};
  if (Value value = recognize<math::ErfOp>(r, last, erfArgument))
    return value;
  return recognize<math::TanhOp>(r, last, tanhArgument);
}
