//===- WeightSchema.cpp - the op that stands for a big tensor -------------===//
#include "WeightSchema.h"
#include "SchemaGuards.h"

#include "onnx/defs/schema.h"

namespace takt::import {

static void inferWeight(pb::InferenceContext &context) {
  auto &type = *context.getOutputType(0)->mutable_tensor_type();
  type.set_elem_type(
      static_cast<int32_t>(context.getAttribute("elem_type")->i()));
  auto &shape = *type.mutable_shape();
  for (int64_t dim : context.getAttribute("dims")->ints())
    shape.add_dim()->set_dim_value(dim);
}

static bool registerSchema() {
  pb::OpSchemaRegistry::DomainToVersionRange::Instance().AddDomainToVersion(
      weightDomain, 1, 1);
  pb::OpSchema schema;
  schema.SetName(weightOp)
      .SetDomain(weightDomain)
      .SinceVersion(1)
      .Attr("index", "which weight", pb::AttributeProto::INT)
      .Attr("elem_type", "its data type", pb::AttributeProto::INT)
      .Attr("dims", "its sizes", pb::AttributeProto::INTS)
      .Output(0, "weight", "the tensor", "T")
      .TypeConstraint("T", pb::OpSchema::all_tensor_types_ir13(), "any tensor")
      .TypeAndShapeInferenceFunction(inferWeight);
  pb::RegisterSchema(std::move(schema));
  guardSchemas();
  return true;
}

void registerWeightSchema() {
  static bool registered = registerSchema();
  (void)registered;
}

static pb::AttributeProto &add(pb::NodeProto &node, const char *name,
                               pb::AttributeProto::AttributeType type) {
  pb::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

void setWeightNode(pb::NodeProto &node, const std::string &output,
                   int64_t index, const Weight &weight) {
  std::string name = output; // may lie in the node
  node.Clear();
  node.set_name(name);
  node.set_op_type(weightOp);
  node.set_domain(weightDomain);
  node.add_output(name);
  add(node, "index", pb::AttributeProto::INT).set_i(index);
  add(node, "elem_type", pb::AttributeProto::INT).set_i(weight.dataType);
  auto &dims = add(node, "dims", pb::AttributeProto::INTS);
  for (int64_t dim : weight.dims)
    dims.add_ints(dim);
}

std::optional<int64_t> weightIndex(const pb::NodeProto &node) {
  if (node.domain() != weightDomain)
    return std::nullopt;
  for (const auto &attribute : node.attribute())
    if (attribute.name() == "index")
      return attribute.i();
  return std::nullopt;
}

} // namespace takt::import
