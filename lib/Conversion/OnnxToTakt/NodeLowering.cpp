//===- NodeLowering.cpp - inputs, attributes and outputs of a node --------===//
#include "NodeLowering.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

NodeLowering::NodeLowering(LegalizeState &state, onnx::NodeOp node)
    : node(node), builder(node.getLoc(), node), state(state) {}

LogicalResult NodeLowering::fail(const Twine &problem) {
  return emitError(node.getLoc())
         << node.describe() << " (opset "
         << static_cast<int64_t>(node.getVersion()) << ") " << problem;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

LoweredValue &NodeLowering::input(unsigned index) {
  if (has(index))
    return state.lookup(node.getInputs()[index]);
  if (!broken)
    (void)fail("leaves input " + Twine(index) +
               " empty, expected a tensor; correct the model");
  broken = true;
  Type element = builder.getF32Type();
  missing = {constant(0, element), {}, element, std::nullopt};
  return missing;
}

Value NodeLowering::value(unsigned index) {
  return state.materialize(builder, input(index));
}

const SizeContent *NodeLowering::content(unsigned index) {
  LoweredValue &lowered = input(index);
  return lowered.content ? &*lowered.content : nullptr;
}

std::optional<SmallVector<int64_t>> NodeLowering::constants(unsigned index) {
  const SizeContent *exprs = content(index);
  if (!exprs)
    return std::nullopt;
  SmallVector<int64_t> values;
  for (const SizeExpr &expr : *exprs) {
    auto value = expr.constant();
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

int64_t NodeLowering::integer(StringRef name, int64_t fallback) {
  return node.intAttribute(name, fallback);
}

double NodeLowering::number(StringRef name, double fallback) {
  auto value = node.attribute<FloatAttr>(name);
  return value ? value.getValueAsDouble() : fallback;
}

std::string NodeLowering::text(StringRef name, StringRef fallback) {
  auto value = node.attribute<StringAttr>(name);
  return value ? value.getValue().str() : fallback.str();
}

std::optional<SmallVector<int64_t>> NodeLowering::integers(StringRef name) {
  auto value = node.attribute<DenseI64ArrayAttr>(name);
  if (!value)
    return std::nullopt;
  return SmallVector<int64_t>(value.asArrayRef());
}

FailureOr<int64_t> NodeLowering::axis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return fail("has axis " + Twine(axis) +
                ", expected one of a tensor of rank " + Twine(rank) +
                "; correct the model");
  return axis < 0 ? axis + rank : axis;
}

FailureOr<SmallVector<int64_t>> NodeLowering::axes(ArrayRef<int64_t> axes,
                                                   int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t value : axes) {
    FailureOr<int64_t> normalized = axis(value, rank);
    if (failed(normalized))
      return failure();
    if (llvm::is_contained(result, *normalized))
      return LogicalResult(
          fail("names axis " + Twine(value) + " twice; correct the model"));
    result.push_back(*normalized);
  }
  llvm::sort(result);
  return result;
}

FailureOr<std::optional<SmallVector<int64_t>>>
NodeLowering::attributeOrInput(StringRef name, unsigned index) {
  if (auto values = integers(name))
    return values;
  if (!has(index))
    return std::optional<SmallVector<int64_t>>();
  if (auto values = constants(index))
    return values;
  return LogicalResult(fail("computes its '" + name +
                            "' from data, expected constants; fix them in the "
                            "export"));
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

bool NodeLowering::isUsed(unsigned output) {
  return output < node.getNumResults() && !node.getResult(output).use_empty();
}

LogicalResult NodeLowering::result(Value value, unsigned output) {
  state.set(node.getResult(output),
            {value, shape(value), element(value), std::nullopt});
  return success();
}

LogicalResult NodeLowering::result(SymbolicShape shape, Type element,
                                   SizeContent content, unsigned output) {
  assert(product(shape) == SizeExpr(int64_t(content.size())));
  state.set(node.getResult(output),
            {Value(), std::move(shape), element, std::move(content)});
  return success();
}

LogicalResult NodeLowering::forward(unsigned index) {
  state.set(node.getResult(0), input(index));
  return success();
}
