//===- ImportAttributes.cpp - attributes and types of nodes ---------------===//
#include "ImportAttributes.h"
#include "TensorData.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
namespace takt::import {

static FailureOr<Attribute> importTensor(ImportState &state,
                                         const pb::NodeProto &node,
                                         const pb::TensorProto &tensor,
                                         StringRef name) {
  if (Attribute elements = denseElements(tensor, &state.context))
    return elements;
  return state.unsupported(
      describe(node) + " has attribute \"" + name + "\" of element type " +
      dataTypeName(tensor.data_type()) + ", which is not supported");
}

FailureOr<Attribute> importAttribute(ImportState &state,
                                     const pb::NodeProto &node,
                                     const pb::AttributeProto &attribute) {
  Builder b(&state.context);
  const std::string &name = attribute.name();
  if (!attribute.ref_attr_name().empty())
    return state.badModel(describe(node) + " has attribute \"" + name +
                          "\" that refers to \"" + attribute.ref_attr_name() +
                          "\" of a function, but lies in none");
  switch (attribute.type()) {
  case pb::AttributeProto::INT:
    return Attribute(b.getI64IntegerAttr(attribute.i()));
  case pb::AttributeProto::FLOAT:
    return Attribute(b.getF32FloatAttr(attribute.f()));
  case pb::AttributeProto::STRING:
    return Attribute(b.getStringAttr(attribute.s()));
  case pb::AttributeProto::INTS: {
    SmallVector<int64_t> values(attribute.ints().begin(),
                                attribute.ints().end());
    return Attribute(b.getDenseI64ArrayAttr(values));
  }
  case pb::AttributeProto::FLOATS: {
    SmallVector<float> values(attribute.floats().begin(),
                              attribute.floats().end());
    return Attribute(b.getDenseF32ArrayAttr(values));
  }
  case pb::AttributeProto::STRINGS: {
    SmallVector<Attribute> values;
    for (const std::string &text : attribute.strings())
      values.push_back(b.getStringAttr(text));
    return Attribute(b.getArrayAttr(values));
  }
  case pb::AttributeProto::TENSOR:
    return importTensor(state, node, attribute.t(), name);
  case pb::AttributeProto::TENSORS: {
    SmallVector<Attribute> values;
    for (const pb::TensorProto &tensor : attribute.tensors()) {
      FailureOr<Attribute> value = importTensor(state, node, tensor, name);
      if (failed(value))
        return failure();
      values.push_back(*value);
    }
    return Attribute(b.getArrayAttr(values));
  }
  case pb::AttributeProto::TYPE_PROTO: {
    FailureOr<Type> type =
        importType(state, &attribute.tp(),
                   describe(node) + ": attribute \"" + name + "\"");
    if (failed(type))
      return failure();
    return Attribute(TypeAttr::get(*type));
  }
  default:
    return state.unsupported(
        describe(node) + " has attribute \"" + name + "\" of kind " +
        pb::AttributeProto::AttributeType_Name(attribute.type()) +
        ", which is not supported");
  }
}

FailureOr<Type> importType(ImportState &state, const pb::TypeProto *type,
                           const Twine &what) {
  if (!type || type->value_case() == pb::TypeProto::VALUE_NOT_SET)
    return Type(NoneType::get(&state.context));
  if (!type->has_tensor_type())
    return state.unsupported(what + " is a sequence, map, optional or sparse "
                                    "tensor, expected a dense tensor");
  const auto &tensor = type->tensor_type();
  if (tensor.elem_type() == pb::TensorProto::UNDEFINED)
    return Type(NoneType::get(&state.context));
  Type element = elementType(tensor.elem_type(), &state.context);
  if (!element)
    return state.unsupported(what + " has element type " +
                             dataTypeName(tensor.elem_type()) +
                             ", which is not supported");
  if (!tensor.has_shape())
    return Type(UnrankedTensorType::get(element));
  SmallVector<int64_t> sizes;
  for (const auto &dim : tensor.shape().dim())
    sizes.push_back(dim.has_dim_value() && dim.dim_value() >= 0
                        ? dim.dim_value()
                        : ShapedType::kDynamic);
  return Type(RankedTensorType::get(sizes, element));
}

} // namespace takt::import
