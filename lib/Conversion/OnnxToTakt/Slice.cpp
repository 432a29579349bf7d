//===- Slice.cpp - Slice and Split ----------------------------------------===//
#include "Registry.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

namespace {
/// One dimension's part: elements start, start + step, … `size` in all.
struct Part {
  SizeExpr start = 0;
  SizeExpr size;
  int64_t step = 1;
};
} // namespace

/// An index that may count from the end, clamped to [low, high]; nullopt if its
/// sign depends on the request.
static std::optional<SizeExpr> clampIndex(const SizeExpr &index,
                                          const SizeExpr &dim,
                                          const SizeExpr &low,
                                          const SizeExpr &high) {
  if (isNonNegative(index)) {
    // Open ends are written as the largest integers.
    if (auto value = index.constant(); value && *value >= INT32_MAX)
      return high;
    return smaller(index, high);
  }
  if (!isNonNegative(-index - 1))
    return std::nullopt;
  if (auto value = index.constant(); value && *value <= -INT32_MAX)
    return low;
  return smaller(larger(index + dim, low), high);
}

static std::optional<Part> partOf(const SizeExpr &dim, const SizeExpr &start,
                                  const SizeExpr &end, int64_t step) {
  bool isForward = step > 0;
  SizeExpr low = isForward ? 0 : -1, high = isForward ? dim : dim - 1;
  // Backward slices start at an element and end before one, perhaps at -1.
  auto first = clampIndex(start, dim, 0, high);
  auto last = clampIndex(end, dim, low, high);
  if (!first || !last)
    return std::nullopt;
  SizeExpr span = isForward ? *last - *first : *first - *last;
  // Both bounds lie in [0, dim].
  bool isOrdered = isForward && (first->isConstant(0) || *last == dim);
  SizeExpr size = SizeExpr::ceilDiv(isOrdered ? span : larger(span, 0),
                                    SizeExpr(std::abs(step)));
  return Part{*first, size, step};
}

/// The elements in the parts of a vector or matrix of sizes; nullopt if they
/// are not known.
static std::optional<SizeContent> partsOfContent(const LoweredValue &input,
                                                 ArrayRef<Part> parts) {
  if (!input.content || parts.empty() || parts.size() > 2)
    return std::nullopt;
  for (const Part &part : parts)
    if (!part.start.constant() || !part.size.constant())
      return std::nullopt;
  const Part one = {0, 1, 1};
  const Part &row = parts.size() == 2 ? parts[0] : one, &column = parts.back();
  int64_t width = *input.shape.back().constant();
  SizeContent content;
  for (int64_t i = 0; i < *row.size.constant(); ++i)
    for (int64_t j = 0; j < *column.size.constant(); ++j)
      content.push_back(
          (*input.content)[(*row.start.constant() + i * row.step) * width +
                           *column.start.constant() + j * column.step]);
  return content;
}

/// Slices along the listed axes; elements stay sizes where the input's are.
static LogicalResult take(NodeLowering &n, ArrayRef<Part> parts,
                          unsigned output = 0) {
  LoweredValue &input = n.input(0);
  SymbolicShape starts, sizes;
  SmallVector<int64_t> steps;
  bool isWhole = true;
  for (auto [dim, part] : llvm::zip_equal(input.shape, parts)) {
    starts.push_back(part.start);
    sizes.push_back(part.size);
    steps.push_back(part.step);
    isWhole &= part.step == 1 && part.start.isConstant(0) && part.size == dim;
  }
  if (auto content = partsOfContent(input, parts))
    return n.result(sizes, input.element, std::move(*content), output);
  Value value = n.value(0);
  if (isWhole)
    return n.result(value, output);
  return n.result(n.make<SliceOp>(n.element(value), value, n.shapeAttr(starts),
                                  n.shapeAttr(sizes),
                                  n.builder.getDenseI64ArrayAttr(steps)),
                  output);
}

static SmallVector<Part> wholeParts(ArrayRef<SizeExpr> shape) {
  SmallVector<Part> parts;
  for (const SizeExpr &size : shape)
    parts.push_back({0, size, 1});
  return parts;
}

static LogicalResult sliceBy(NodeLowering &n, ArrayRef<SizeExpr> starts,
                             ArrayRef<SizeExpr> ends,
                             std::optional<SmallVector<int64_t>> givenAxes,
                             std::optional<SmallVector<int64_t>> givenSteps) {
  const SymbolicShape shape = n.input(0).shape;
  SmallVector<Part> parts = wholeParts(shape);
  SmallVector<int64_t> axes, steps(starts.size(), 1);
  for (size_t i = 0; i < starts.size(); ++i)
    axes.push_back(i);
  axes = givenAxes.value_or(axes);
  steps = givenSteps.value_or(steps);
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size())
    return n.fail(
        "has starts, ends, axes and steps of different lengths; correct "
        "the model");
  for (size_t i = 0; i < starts.size(); ++i) {
    FailureOr<int64_t> axis = n.axis(axes[i], shape.size());
    if (failed(axis))
      return failure();
    if (steps[i] == 0)
      return n.fail(
          "has a step of 0, expected another number; correct the model");
    auto part = partOf(shape[*axis], starts[i], ends[i], steps[i]);
    if (!part)
      return n.fail(
          "slices dimension " + Twine(*axis) + " from " + starts[i].str() +
          " to " + ends[i].str() +
          ", whose signs depend on the request; bind a dimension with "
          "--dim");
    parts[*axis] = *part;
  }
  return take(n, parts);
}

static LogicalResult slice(NodeLowering &n) {
  const SizeContent *starts = n.content(1), *ends = n.content(2);
  if (!starts || !ends)
    return n.fail(
        "computes its bounds from data, expected sizes of tensors and "
        "constants");
  std::optional<SmallVector<int64_t>> axes, steps;
  for (auto [index, list] : {std::pair(3u, &axes), std::pair(4u, &steps)})
    if (n.has(index) && !(*list = n.constants(index)))
      return n.fail("computes its axes or steps from data, expected constants");
  return sliceBy(n, *starts, *ends, axes, steps);
}

/// Until opset 9.
static LogicalResult sliceByAttributes(NodeLowering &n) {
  auto exprs = [&](StringRef name) {
    SizeContent content;
    for (int64_t value : n.integers(name).value_or(SmallVector<int64_t>()))
      content.push_back(SizeExpr(std::max(value, -INT64_MAX)));
    return content;
  };
  return sliceBy(n, exprs("starts"), exprs("ends"), n.integers("axes"),
                 std::nullopt);
}

/// Sizes are an attribute until opset 12, then an input; without them the parts
/// are equal, the last one smaller if num_outputs (opset 18) does not divide.
static LogicalResult split(NodeLowering &n) {
  const SymbolicShape shape = n.input(0).shape;
  FailureOr<int64_t> axis = n.axis(n.integer("axis", 0), shape.size());
  if (failed(axis))
    return failure();
  int64_t count = n.node.getNumResults();
  SizeContent sizes;
  if (auto given = n.integers("split"))
    sizes.assign(given->begin(), given->end());
  else if (n.has(1) && n.content(1))
    sizes = *n.content(1);
  else if (n.has(1))
    return n.fail("computes its sizes from data, expected constants");
  const SizeExpr &dim = shape[*axis];
  if (sizes.empty()) {
    SizeExpr part = SizeExpr::ceilDiv(dim, SizeExpr(count));
    sizes.assign(count - 1, part);
    sizes.push_back(dim - part * SizeExpr(count - 1));
  }
  SizeExpr sum = 0;
  for (const SizeExpr &size : sizes)
    sum = sum + size;
  if (int64_t(sizes.size()) != count ||
      failed(n.equate(sum, dim, "parts that add up to the whole")))
    return n.fail("splits into " + Twine(sizes.size()) + " parts for " +
                  Twine(count) + " outputs; correct the model");
  SmallVector<Part> parts = wholeParts(shape);
  SizeExpr start = 0;
  for (int64_t i = 0; i < count; ++i) {
    parts[*axis] = {start, sizes[i], 1};
    if (failed(take(n, parts, i)))
      return failure();
    start = start + sizes[i];
  }
  return success();
}

void legalize::registerSlices(Registry &registry) {
  registry.add("Slice", sliceByAttributes, 7, 9);
  registry.add("Slice", slice, 10);
  registry.add("Split", split);
}
