//===- Gather.cpp - elements by index -------------------------------------===//
#include "Registry.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

/// Sizes by constant index.
static LogicalResult gatherContent(NodeLowering &n) {
  const SizeContent *data = n.content(0);
  auto indices = n.constants(1);
  if (!data || !indices || n.rank(0) != 1)
    return failure();
  int64_t count = data->size();
  SizeContent content;
  for (int64_t index : *indices) {
    if (index < -count || index >= count)
      return failure();
    content.push_back((*data)[index < 0 ? index + count : index]);
  }
  return n.result(n.input(1).shape, n.input(0).element, std::move(content));
}

/// One constant index: a slice, which needs no index tensor.
static LogicalResult selectOne(NodeLowering &n, int64_t index, int64_t axis) {
  SymbolicShape shape = n.input(0).shape;
  const SizeExpr dim = shape[axis];
  if (!n.state.requireAtLeast(dim, index < 0 ? -index : index + 1))
    return n.fail("selects index " + Twine(index) + " of dimension " +
                  Twine(axis) + " of size " + dim.str() +
                  ", expected one inside; correct the model");
  SymbolicShape starts(shape.size(), SizeExpr(0));
  starts[axis] = index < 0 ? dim + index : SizeExpr(index);
  shape[axis] = SizeExpr(1);
  SmallVector<int64_t> steps(shape.size(), 1);
  Value value = n.value(0);
  value = n.make<SliceOp>(n.element(value), value, n.shapeAttr(starts),
                          n.shapeAttr(shape),
                          n.builder.getDenseI64ArrayAttr(steps));
  shape.erase(shape.begin() + axis);
  return n.result(n.reshape(value, shape));
}

static LogicalResult gather(NodeLowering &n) {
  if (succeeded(gatherContent(n)))
    return success();
  FailureOr<int64_t> axis = n.axis(n.integer("axis", 0), n.rank(0));
  if (failed(axis))
    return failure();
  const SizeExpr &dim = n.input(0).shape[*axis];
  auto indices = n.constants(1);
  if (indices && n.rank(1) == 0 && (dim.constant() || dim.symbolName()))
    return selectOne(n, indices->front(), *axis);
  Value data = n.value(0);
  return n.result(n.make<GatherOp>(n.element(data), data, n.value(1), *axis,
                                   StringAttr(), StringAttr()));
}

static LogicalResult gatherND(NodeLowering &n) {
  const SymbolicShape &indices = n.input(1).shape;
  if (indices.empty() || !indices.back().constant())
    return n.fail(
        "has index tuples whose length depends on the request, expected "
        "a constant; bind a dimension with --dim");
  Value data = n.value(0);
  return n.result(n.make<GatherNDOp>(n.element(data), data, n.value(1),
                                     n.integer("batch_dims", 0)));
}

/// result[i] = data[i with i[axis] replaced by indices[i]]: tuples of positions
/// with the index among them.
static LogicalResult gatherElements(NodeLowering &n) {
  FailureOr<int64_t> axis = n.axis(n.integer("axis", 0), n.rank(0));
  if (failed(axis))
    return failure();
  const SymbolicShape data = n.input(0).shape, shape = n.input(1).shape;
  if (shape.size() != data.size())
    return n.fail("has indices of rank " + Twine(shape.size()) +
                  " for data of rank " + Twine(data.size()) +
                  ", expected equal ranks; correct the model");
  // Leading dimensions that both share need no position.
  int64_t batch = 0;
  while (batch < *axis && data[batch] == shape[batch])
    ++batch;
  Value indices = n.value(1);
  SymbolicShape wide = shape;
  wide.push_back(SizeExpr(1));
  SmallVector<Value> tuple;
  for (int64_t dim = batch; dim < n.rank(0); ++dim) {
    Value position =
        dim == *axis ? indices : n.positions(shape, dim, n.element(indices));
    tuple.push_back(n.reshape(position, wide));
  }
  Value tuples = n.concat(tuple, shape.size());
  return n.result(
      n.make<GatherNDOp>(n.input(0).element, n.value(0), tuples, batch));
}

void legalize::registerGathers(Registry &registry) {
  registry.add("Gather", gather);
  registry.add("GatherElements", gatherElements, 11);
  registry.add("GatherND", gatherND, 11);
}
