//===- ElementwiseHelpers.cpp - shared by element-by-element rules --------===//
#include "ElementwiseHelpers.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

FailureOr<SmallVector<Value>> legalize::broadcastInputs(NodeLowering &n) {
  SmallVector<Value> values;
  for (unsigned i = 0; i < n.inputCount(); ++i) {
    values.push_back(n.value(i));
    Type element = n.element(values.back());
    if (isa<FloatType>(element) || element.isSignlessInteger())
      continue;
    std::string type;
    llvm::raw_string_ostream(type) << element;
    return LogicalResult(
        n.fail("computes with " + type +
               ", expected floats or signed integers; insert a "
               "Cast"));
  }
  if (failed(n.broadcastTogether(values)))
    return failure();
  return values;
}

bool legalize::mapContent(NodeLowering &n, Type element,
                          ContentFunction function) {
  SmallVector<const SizeContent *> inputs;
  SmallVector<SymbolicShape> shapes;
  size_t count = 1, rank = 0;
  for (unsigned i = 0; i < n.inputCount(); ++i) {
    if (!n.has(i) || !n.content(i))
      return false;
    inputs.push_back(n.content(i));
    shapes.push_back(n.input(i).shape);
    rank = std::max(rank, shapes.back().size());
    if (inputs.back()->size() != 1)
      count = inputs.back()->size();
  }
  // The usual broadcasts only: equal shapes, or single elements. A shape of
  // full rank and count is the result's.
  SymbolicShape shape(rank, SizeExpr(1));
  for (auto [input, inputShape] : llvm::zip(inputs, shapes)) {
    if (input->size() == 1)
      continue;
    if (input->size() != count || inputShape.size() != rank ||
        (shape != SymbolicShape(rank, SizeExpr(1)) && shape != inputShape))
      return false;
    shape = inputShape;
  }
  SizeContent content;
  for (size_t i = 0; i < count; ++i) {
    SmallVector<SizeExpr> elements;
    for (const SizeContent *input : inputs)
      elements.push_back((*input)[input->size() == 1 ? 0 : i]);
    std::optional<SizeExpr> expr = function(elements);
    if (!expr || expr->isUndefined())
      return false;
    content.push_back(*expr);
  }
  return succeeded(n.result(shape, element, std::move(content)));
}
