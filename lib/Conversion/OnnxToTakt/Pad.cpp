//===- Pad.cpp - more or fewer elements at the edges ----------------------===//
#include "Registry.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

namespace {
/// What one dimension gains before its first and after its last element;
/// negative: what it loses.
struct Padding {
  int64_t dim;
  SizeExpr before, after;
};
} // namespace

/// How many elements a dimension must have, beyond the larger padding; nullopt
/// if any size will do.
static std::optional<int64_t> requiredBeyond(StringRef mode) {
  if (mode == "reflect")
    return 1;
  return mode == "wrap" ? std::optional<int64_t>(0) : std::nullopt;
}

/// Fails with a message unless the elements that the mode repeats are there.
static LogicalResult checkSize(NodeLowering &n, const SizeExpr &size,
                               const Padding &padding, StringRef mode) {
  std::optional<int64_t> required;
  if (mode == "edge")
    required = 1;
  if (auto beyond = requiredBeyond(mode)) {
    auto most = larger(padding.before, padding.after).constant();
    if (!most)
      return n.fail("has mode = " + mode +
                    " with pads that depend on the "
                    "request, expected constants; bind a dimension with --dim");
    required = *most + *beyond;
  }
  if (!required || isAtMost(SizeExpr(*required), size) ||
      n.state.requireAtLeast(size, *required))
    return success();
  return n.fail("has mode = " + mode + " over a size of " + size.str() +
                ", expected at least " + Twine(*required));
}

/// `count` elements before the first of dimension `dim`, or after its last.
static Value border(NodeLowering &n, Value x, int64_t dim,
                    const SizeExpr &count, bool isBefore, StringRef mode,
                    Value fill) {
  SymbolicShape shape = n.shape(x);
  SizeExpr size = shape[dim];
  if (mode == "reflect")
    return n.part(x, dim, isBefore ? count : size - 2, count, -1);
  if (mode == "wrap")
    return n.part(x, dim, isBefore ? size - count : SizeExpr(0), count);
  shape[dim] = count;
  if (mode == "edge")
    return n.broadcast(n.part(x, dim, isBefore ? SizeExpr(0) : size - 1, 1),
                       shape);
  return n.broadcast(fill, shape);
}

static FailureOr<Value> padDim(NodeLowering &n, Value x, const Padding &padding,
                               StringRef mode, Value fill) {
  auto [dim, before, after] = padding;
  SizeExpr cut = 0;
  for (const SizeExpr &side : {before, after})
    if (!isNonNegative(side))
      cut = cut - side;
  if (!cut.isConstant(0)) {
    SizeExpr start = isNonNegative(before) ? SizeExpr(0) : -before;
    SizeExpr left = n.shape(x)[dim] - cut;
    if (!isNonNegative(left) && !n.state.requireAtLeast(left, 0) &&
        !n.state.requireAtLeast(n.shape(x)[dim], cut.constant().value_or(0)))
      return LogicalResult(n.fail("cuts off " + cut.str() + " of " +
                                  n.shape(x)[dim].str() +
                                  " elements; correct the model"));
    x = n.part(x, dim, start, left);
  }
  Padding added = {dim, larger(before, 0), larger(after, 0)};
  if (failed(checkSize(n, n.shape(x)[dim], added, mode)))
    return failure();
  SmallVector<Value> parts;
  if (!added.before.isConstant(0))
    parts.push_back(border(n, x, dim, added.before, true, mode, fill));
  parts.push_back(x);
  if (!added.after.isConstant(0))
    parts.push_back(border(n, x, dim, added.after, false, mode, fill));
  return n.concat(parts, dim);
}

/// The pads by dimension, from the attribute (until opset 10) or input 1, for
/// all dimensions or those of input 3.
static FailureOr<SmallVector<Padding>> readPads(NodeLowering &n) {
  SizeContent pads;
  if (auto given = n.integers("pads"))
    pads.assign(given->begin(), given->end());
  else if (n.has(1) && n.content(1))
    pads = *n.content(1);
  else
    return LogicalResult(n.fail("computes its pads from data, expected sizes "
                                "of tensors and constants"));
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, n.rank(0)));
  if (n.has(3)) {
    auto given = n.constants(3);
    if (!given)
      return LogicalResult(
          n.fail("computes its axes from data, expected constants"));
    axes = *given;
  }
  size_t count = axes.size();
  if (pads.size() != 2 * count)
    return LogicalResult(n.fail("has " + Twine(pads.size()) + " pads for " +
                                Twine(count) +
                                " dimensions, expected two for each"));
  SmallVector<Padding> result;
  for (size_t i = 0; i < count; ++i) {
    FailureOr<int64_t> dim = n.axis(axes[i], n.rank(0));
    if (failed(dim))
      return failure();
    for (const SizeExpr &pad : {pads[i], pads[count + i]})
      if (!isNonNegative(pad) && !isNonNegative(-pad))
        return LogicalResult(n.fail("pads by " + pad.str() +
                                    ", whose sign depends on the "
                                    "request; bind a dimension with --dim"));
    result.push_back({*dim, pads[i], pads[count + i]});
  }
  return result;
}

static LogicalResult pad(NodeLowering &n) {
  std::string mode = n.text("mode", "constant");
  static const StringRef known[] = {"constant", "edge", "reflect", "wrap"};
  if (!llvm::is_contained(known, mode))
    return n.fail("has mode = " + mode +
                  ", expected constant, edge, reflect or wrap");
  auto pads = readPads(n);
  if (failed(pads))
    return failure();
  Value x = n.value(0), fill;
  if (mode == "constant")
    fill = n.has(2) ? n.reshape(n.value(2), {})
                    : n.constant(n.number("value", 0), n.element(x));
  for (const Padding &padding : *pads) {
    FailureOr<Value> padded = padDim(n, x, padding, mode, fill);
    if (failed(padded))
      return failure();
    x = *padded;
  }
  return n.result(x);
}

void legalize::registerPads(Registry &registry) { registry.add("Pad", pad); }
