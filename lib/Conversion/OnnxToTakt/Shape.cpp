//===- Shape.cpp - shapes as data, and ops that keep all elements ---------===//
#include "Registry.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

/// The input's elements under another shape, as content if they have that.
static LogicalResult reshaped(NodeLowering &n, SymbolicShape shape) {
  LoweredValue &input = n.input(0);
  bool isStatic = llvm::all_of(shape, [](auto &s) { return s.constant(); });
  if (!input.content || !isStatic)
    return n.result(n.reshape(n.value(0), shape));
  return n.result(shape, input.element, *input.content);
}

static LogicalResult shapeOf(NodeLowering &n) {
  const SymbolicShape &shape = n.input(0).shape;
  int64_t rank = shape.size();
  auto bound = [&](StringRef name, int64_t fallback) {
    int64_t value = n.integer(name, fallback);
    return std::clamp<int64_t>(value < 0 ? value + rank : value, 0, rank);
  };
  int64_t start = bound("start", 0), end = std::max(bound("end", rank), start);
  SizeContent content(shape.begin() + start, shape.begin() + end);
  int64_t count = content.size();
  return n.result({SizeExpr(count)}, n.builder.getI64Type(),
                  std::move(content));
}

static LogicalResult sizeOf(NodeLowering &n) {
  return n.result({}, n.builder.getI64Type(), {product(n.input(0).shape)});
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

/// The shape with 0 and -1 resolved. Fails with a message.
static FailureOr<SymbolicShape> resolveShape(NodeLowering &n,
                                             const SizeContent &wanted) {
  const SymbolicShape &from = n.input(0).shape;
  bool allowZero = n.integer("allowzero", 0) != 0;
  std::optional<size_t> inferred;
  SymbolicShape result;
  for (auto [i, size] : llvm::enumerate(wanted)) {
    result.push_back(size);
    if (size.isConstant(-1)) {
      if (inferred)
        return LogicalResult(
            n.fail("leaves two sizes open (-1), expected at most "
                   "one; correct the model"));
      inferred = i;
      result[i] = SizeExpr(1);
    } else if (size.isConstant(0) && !allowZero) {
      if (i >= from.size())
        return LogicalResult(
            n.fail("copies size " + Twine(i) + " of a tensor of rank " +
                   Twine(from.size()) + "; correct the model"));
      result[i] = from[i];
    }
  }
  if (!inferred)
    return result;
  SizeExpr all = product(from), others = product(result);
  if (others.isConstant(0))
    return LogicalResult(
        n.fail("leaves a size open (-1) beside a size of 0, which "
               "does not determine it; correct the model"));
  if (auto quotient = all.exactDiv(others)) {
    result[*inferred] = *quotient;
    return result;
  }
  result[*inferred] = all.floorDiv(others);
  return result;
}

static LogicalResult lowerReshape(NodeLowering &n) {
  const SizeContent *wanted = n.content(1);
  if (!wanted)
    return n.fail("computes its shape from data, expected sizes of tensors and "
                  "constants; fix the shape in the export");
  FailureOr<SymbolicShape> shape = resolveShape(n, *wanted);
  if (failed(shape) ||
      failed(n.equate(product(n.input(0).shape), product(*shape),
                      "as many elements after as before")))
    return failure();
  return reshaped(n, *shape);
}

static LogicalResult flatten(NodeLowering &n) {
  SymbolicShape shape = n.input(0).shape;
  int64_t rank = shape.size(), axis = n.integer("axis", 1);
  // The end is a legal place to cut.
  if (axis < -rank || axis > rank)
    return n.fail("has axis " + Twine(axis) + ", expected " + Twine(-rank) +
                  " to " + Twine(rank) + "; correct the model");
  axis = axis < 0 ? axis + rank : axis;
  ArrayRef<SizeExpr> sizes = shape;
  return reshaped(
      n, {product(sizes.take_front(axis)), product(sizes.drop_front(axis))});
}

//===----------------------------------------------------------------------===//
// Squeeze and Unsqueeze: axes are an attribute until opset 12
//===----------------------------------------------------------------------===//

static LogicalResult squeeze(NodeLowering &n) {
  auto given = n.attributeOrInput("axes", 1);
  if (failed(given))
    return failure();
  const SymbolicShape shape = n.input(0).shape;
  SmallVector<int64_t> dropped;
  if (*given) {
    FailureOr<SmallVector<int64_t>> axes = n.axes(**given, shape.size());
    if (failed(axes))
      return failure();
    dropped = *axes;
  }
  SymbolicShape result;
  for (auto [i, size] : llvm::enumerate(shape)) {
    bool drops =
        *given ? llvm::is_contained(dropped, int64_t(i)) : size.isConstant(1);
    if (!drops)
      result.push_back(size);
    else if (failed(n.equate(size, 1, "size 1 in the dimension that it drops")))
      return failure();
  }
  return reshaped(n, result);
}

static LogicalResult unsqueeze(NodeLowering &n) {
  auto given = n.attributeOrInput("axes", 1);
  if (failed(given))
    return failure();
  if (!*given)
    return n.fail("has no axes, expected a list; correct the model");
  SymbolicShape shape = n.input(0).shape;
  FailureOr<SmallVector<int64_t>> axes =
      n.axes(**given, shape.size() + (**given).size());
  if (failed(axes))
    return failure();
  for (int64_t axis : *axes)
    shape.insert(shape.begin() + axis, SizeExpr(1));
  return reshaped(n, shape);
}

void legalize::registerShapes(Registry &registry) {
  registry.add("Shape", shapeOf);
  registry.add("Size", sizeOf);
  registry.add("Reshape", lowerReshape);
  registry.add("Flatten", flatten);
  registry.add("Squeeze", squeeze);
  registry.add("Unsqueeze", unsqueeze);
}
