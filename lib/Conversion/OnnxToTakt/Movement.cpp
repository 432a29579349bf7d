//===- Movement.cpp - Transpose, Expand, Tile, Concat ---------------------===//
#include "Registry.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

static LogicalResult lowerTranspose(NodeLowering &n) {
  int64_t rank = n.rank(0);
  SmallVector<int64_t> permutation;
  if (auto given = n.integers("perm"))
    permutation = *given;
  else
    for (int64_t i = rank; i-- > 0;)
      permutation.push_back(i);
  if (int64_t(permutation.size()) != rank || !isPermutationVector(permutation))
    return n.fail("has no permutation of " + Twine(rank) +
                  " dimensions in perm; correct the model");
  return n.result(n.transpose(n.value(0), permutation));
}

/// Broadcasts both ways: the shape may have sizes of 1 or a lower rank.
static LogicalResult expand(NodeLowering &n) {
  const SizeContent *sizes = n.content(1);
  if (!sizes)
    return n.fail("computes its shape from data, expected sizes of tensors and "
                  "constants");
  SymbolicShape wanted(sizes->begin(), sizes->end());
  FailureOr<SymbolicShape> shape = n.commonShape({n.input(0).shape, wanted});
  if (failed(shape))
    return failure();
  return n.result(n.broadcast(n.value(0), *shape));
}

/// Repeats along new dimensions, which then merge with those they repeat.
static LogicalResult tile(NodeLowering &n) {
  const SizeContent *repeats = n.content(1);
  const SymbolicShape shape = n.input(0).shape;
  if (!repeats || repeats->size() != shape.size())
    return n.fail(
        "needs one repeat per dimension, made of sizes and constants");
  SymbolicShape split, repeated, merged;
  for (auto [size, repeat] : llvm::zip_equal(shape, *repeats)) {
    split.append({SizeExpr(1), size});
    repeated.append({repeat, size});
    merged.push_back(repeat * size);
  }
  Value value = n.broadcast(n.reshape(n.value(0), split), repeated);
  return n.result(n.reshape(value, merged));
}

static LogicalResult concatContent(NodeLowering &n) {
  SizeContent content;
  for (unsigned i = 0; i < n.inputCount(); ++i) {
    if (!n.content(i) || n.rank(i) != 1)
      return failure();
    llvm::append_range(content, *n.content(i));
  }
  if (int64_t(content.size()) > maxContentElements)
    return failure();
  SizeExpr count(static_cast<int64_t>(content.size()));
  return n.result({count}, n.input(0).element, std::move(content));
}

static LogicalResult concat(NodeLowering &n) {
  if (succeeded(concatContent(n)))
    return success();
  FailureOr<int64_t> axis = n.axis(n.integer("axis", 1), n.rank(0));
  if (failed(axis))
    return failure();
  SmallVector<Value> inputs;
  for (unsigned i = 0; i < n.inputCount(); ++i) {
    SymbolicShape shape = n.input(i).shape, first = n.input(0).shape;
    if (shape.size() != first.size())
      return n.fail("joins tensors of rank " + Twine(first.size()) + " and " +
                    Twine(shape.size()) + ", expected equal ranks");
    first[*axis] = shape[*axis];
    for (auto [left, right] : llvm::zip_equal(first, shape))
      if (failed(
              n.equate(left, right, "equal sizes beside the joined dimension")))
        return failure();
    inputs.push_back(n.reshape(n.value(i), first));
  }
  if (inputs.size() == 1)
    return n.result(inputs.front());
  return n.result(n.make<ConcatOp>(n.element(inputs[0]), inputs, *axis));
}

void legalize::registerMovement(Registry &registry) {
  registry.add("Transpose", lowerTranspose);
  registry.add("Expand", expand, 8);
  registry.add("Tile", tile);
  registry.add("Concat", concat);
}
