//===- Constant.cpp - constants, and nodes that do nothing ----------------===//
#include "Registry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

/// The value of a Constant node or of ConstantOfShape's attribute; null if it
/// is of a kind that is not supported.
static DenseElementsAttr constantValue(NodeLowering &n) {
  Builder &b = n.builder;
  if (auto value = n.node.attribute<DenseElementsAttr>("value"))
    return value;
  if (auto value = n.node.attribute<IntegerAttr>("value_int"))
    return DenseElementsAttr::get(RankedTensorType::get({}, b.getI64Type()),
                                  value.getInt());
  if (auto value = n.node.attribute<FloatAttr>("value_float"))
    return DenseElementsAttr::get(RankedTensorType::get({}, b.getF32Type()),
                                  static_cast<float>(value.getValueAsDouble()));
  if (auto value = n.node.attribute<DenseI64ArrayAttr>("value_ints"))
    return DenseElementsAttr::get(
        RankedTensorType::get({value.size()}, b.getI64Type()),
        value.asArrayRef());
  if (auto value = n.node.attribute<DenseF32ArrayAttr>("value_floats"))
    return DenseElementsAttr::get(
        RankedTensorType::get({value.size()}, b.getF32Type()),
        value.asArrayRef());
  return {};
}

static LogicalResult constant(NodeLowering &n) {
  DenseElementsAttr value = constantValue(n);
  if (!value)
    return n.fail(
        "has no dense number value, expected value, value_int(s) or "
        "value_float(s); strings and sparse tensors are not supported");
  Value result = n.builder.create<arith::ConstantOp>(value);
  n.state.set(n.node.getResult(0), n.state.lookup(result));
  return success();
}

static LogicalResult constantOfShape(NodeLowering &n) {
  const SizeContent *sizes = n.content(0);
  if (!sizes)
    return n.fail("computes its shape from data, expected sizes of tensors and "
                  "constants");
  SymbolicShape shape(sizes->begin(), sizes->end());
  DenseElementsAttr value = constantValue(n);
  Type element = value ? value.getElementType() : n.builder.getF32Type();
  auto count = product(shape).constant();
  if (value && isa<DenseIntElementsAttr>(value) && count && *count >= 0 &&
      *count <= maxContentElements) {
    APInt number = *cast<DenseIntElementsAttr>(value).begin();
    int64_t single =
        element.isInteger(1) ? number.getZExtValue() : number.getSExtValue();
    return n.result(shape, element, SizeContent(*count, SizeExpr(single)));
  }
  if (!value)
    return n.result(n.splat(0, element, shape));
  auto scalar = value.reshape(RankedTensorType::get({}, element));
  return n.result(
      n.broadcast(n.builder.create<arith::ConstantOp>(scalar), shape));
}

static LogicalResult identity(NodeLowering &n) { return n.forward(0); }

/// Inference only: the mask, if anyone asks for it, is all true.
static LogicalResult dropout(NodeLowering &n) {
  if (n.has(2)) {
    auto training = n.constants(2);
    if (!training || (*training)[0] != 0)
      return n.fail(
          "may run in training mode, expected a constant false; export "
          "the model for inference");
  }
  if (failed(n.forward(0)))
    return failure();
  if (!n.isUsed(1))
    return success();
  return n.result(n.splat(1, n.builder.getI1Type(), n.input(0).shape), 1);
}

void legalize::registerConstants(Registry &registry) {
  registry.add("Constant", constant);
  registry.add("ConstantOfShape", constantOfShape, 9);
  registry.add("Identity", identity);
  registry.add("Dropout", dropout);
}
