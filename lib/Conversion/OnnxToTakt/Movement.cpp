//===- Movement.cpp - Transpose, Expand, Tile, Concat ---------------------===//
#include "Registry.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

/// The elements of a transposed matrix of sizes: exporters turn lists of pads
/// that way.
static LogicalResult transposeContent(NodeLowering &n,
                                      ArrayRef<int64_t> permutation) {
  const SizeContent *from = n.content(0);
  if (!from || permutation != ArrayRef<int64_t>({1, 0}))
    return failure();
  const SymbolicShape shape = n.input(0).shape;
  int64_t rows = *shape[0].constant(), columns = *shape[1].constant();
  SizeContent content;
  for (int64_t column = 0; column < columns; ++column)
    for (int64_t row = 0; row < rows; ++row)
      content.push_back((*from)[row * columns + column]);
  return n.result({shape[1], shape[0]}, n.input(0).element, std::move(content));
}

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
  if (succeeded(transposeContent(n, permutation)))
    return success();
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

//===----------------------------------------------------------------------===//
// DepthToSpace, SpaceToDepth
//===----------------------------------------------------------------------===//

/// The block's size; fails with a message unless the input is [N, C, H, W] and
/// the block positive.
static FailureOr<SizeExpr> blockSize(NodeLowering &n) {
  int64_t block = n.integer("blocksize", 0);
  if (n.rank(0) == 4 && block > 0)
    return SizeExpr(block);
  return LogicalResult(n.fail("has blocksize " + Twine(block) +
                              " and an input of rank " + Twine(n.rank(0)) +
                              ", expected a positive one and [N, C, H, W]"));
}

static LogicalResult depthToSpace(NodeLowering &n) {
  FailureOr<SizeExpr> block = blockSize(n);
  if (failed(block))
    return failure();
  const SymbolicShape s = n.input(0).shape;
  auto depth = s[1].exactDiv(*block * *block);
  if (!depth)
    return n.fail("has " + s[1].str() +
                  " channels, expected a multiple of the "
                  "square of its blocksize; correct the model");
  bool isColumnRow = n.text("mode", "DCR") == "CRD";
  SymbolicShape split =
      isColumnRow ? SymbolicShape{s[0], *depth, *block, *block, s[2], s[3]}
                  : SymbolicShape{s[0], *block, *block, *depth, s[2], s[3]};
  SmallVector<int64_t> permutation = {0, 3, 4, 1, 5, 2};
  if (isColumnRow)
    permutation = {0, 1, 4, 2, 5, 3};
  Value blocks = n.transpose(n.reshape(n.value(0), split), permutation);
  return n.result(
      n.reshape(blocks, {s[0], *depth, s[2] * *block, s[3] * *block}));
}

static LogicalResult spaceToDepth(NodeLowering &n) {
  FailureOr<SizeExpr> block = blockSize(n);
  if (failed(block))
    return failure();
  const SymbolicShape s = n.input(0).shape;
  SizeExpr rows = s[2].floorDiv(*block), columns = s[3].floorDiv(*block);
  if (failed(n.equate(rows * *block, s[2], "a height of whole blocks")) ||
      failed(n.equate(columns * *block, s[3], "a width of whole blocks")))
    return failure();
  Value split =
      n.reshape(n.value(0), {s[0], s[1], rows, *block, columns, *block});
  Value blocks = n.transpose(split, {0, 3, 5, 1, 2, 4});
  return n.result(
      n.reshape(blocks, {s[0], *block * *block * s[1], rows, columns}));
}

//===----------------------------------------------------------------------===//
// Concat
//===----------------------------------------------------------------------===//

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
  registry.add("DepthToSpace", depthToSpace);
  registry.add("SpaceToDepth", spaceToDepth);
  registry.add("Concat", concat);
}
