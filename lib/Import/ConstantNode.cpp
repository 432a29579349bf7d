//===- ConstantNode.cpp - the forms of Constant ---------------------------===//
#include "ConstantNode.h"

#include "llvm/ADT/StringSwitch.h"

namespace takt::import {

bool isConstantNode(const pb::NodeProto &node) {
  return node.domain().empty() && node.op_type() == "Constant" &&
         node.attribute_size() == 1;
}

/// Fills \p tensor with the value of \p attribute; false for other attributes.
static bool toTensor(const pb::AttributeProto &attribute,
                     pb::TensorProto &tensor) {
  llvm::StringRef name = attribute.name();
  if (name == "value_int" && attribute.has_i()) {
    tensor.set_data_type(pb::TensorProto::INT64);
    tensor.add_int64_data(attribute.i());
  } else if (name == "value_float" && attribute.has_f()) {
    tensor.set_data_type(pb::TensorProto::FLOAT);
    tensor.add_float_data(attribute.f());
  } else if (name == "value_string" && attribute.has_s()) {
    tensor.set_data_type(pb::TensorProto::STRING);
    tensor.add_string_data(attribute.s());
  } else if (name == "value_ints") {
    tensor.set_data_type(pb::TensorProto::INT64);
    *tensor.mutable_int64_data() = attribute.ints();
    tensor.add_dims(attribute.ints_size());
  } else if (name == "value_floats") {
    tensor.set_data_type(pb::TensorProto::FLOAT);
    *tensor.mutable_float_data() = attribute.floats();
    tensor.add_dims(attribute.floats_size());
  } else if (name == "value_strings") {
    tensor.set_data_type(pb::TensorProto::STRING);
    *tensor.mutable_string_data() = attribute.strings();
    tensor.add_dims(attribute.strings_size());
  } else {
    return false;
  }
  return true;
}

void useTensorForm(pb::NodeProto &node) {
  pb::AttributeProto &attribute = *node.mutable_attribute(0);
  pb::TensorProto tensor;
  if (!attribute.ref_attr_name().empty() || !toTensor(attribute, tensor))
    return;
  attribute.Clear();
  attribute.set_name("value");
  attribute.set_type(pb::AttributeProto::TENSOR);
  *attribute.mutable_t() = std::move(tensor);
}

} // namespace takt::import
