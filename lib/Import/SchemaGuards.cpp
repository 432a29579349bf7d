//===- SchemaGuards.cpp - checks before ONNX's inference functions --------===//
#include "SchemaGuards.h"

#include "onnx/defs/shape_inference.h"

namespace takt::import {

/// Data propagation follows the elements of vectors that hold sizes. It makes a
/// message per element, so that a vector of 2^40 elements exhausts the memory.
static constexpr int64_t longestPropagatedVector = 1024;

static bool isLongVector(const pb::TypeProto *type) {
  if (!type || !type->has_tensor_type() || !type->tensor_type().has_shape())
    return false;
  const auto &shape = type->tensor_type().shape();
  return shape.dim_size() == 1 &&
         shape.dim(0).dim_value() > longestPropagatedVector;
}

static void guardPropagation(pb::OpSchema &schema) {
  pb::DataPropagationFunction propagate = schema.GetDataPropagationFunction();
  schema.PartialDataPropagationFunction(
      [propagate](pb::DataPropagationContext &context) {
        for (size_t i = 0; i < context.getNumInputs(); ++i)
          if (isLongVector(context.getInputType(i)))
            return;
        propagate(context);
      });
}

static void checkGatherND(pb::InferenceContext &context) {
  int64_t batchDims = pb::getAttribute(context, "batch_dims", 0);
  for (size_t i = 0; i < 2; ++i)
    if (pb::hasInputShape(context, i) &&
        (batchDims < 0 ||
         batchDims >= pb::getInputShape(context, i).dim_size()))
      fail_shape_inference("GatherND has batch_dims ", batchDims,
                           " for an input of rank ",
                           pb::getInputShape(context, i).dim_size());
}

/// The library infers it from a body that lacks the default of `axes`.
static void inferMeanVarianceNormalization(pb::InferenceContext &context) {
  pb::propagateShapeAndTypeFromFirstInput(context);
}

static void checkBefore(pb::OpSchema &schema,
                        void (*check)(pb::InferenceContext &)) {
  pb::InferenceFunction infer = schema.GetTypeAndShapeInferenceFunction();
  schema.TypeAndShapeInferenceFunction(
      [infer, check](pb::InferenceContext &context) {
        check(context);
        infer(context);
      });
}

void guardSchemas() {
  for (pb::OpSchema &schema :
       pb::OpSchemaRegistry::get_all_schemas_with_history()) {
    if (!schema.domain().empty() || schema.Deprecated())
      continue;
    bool propagates = schema.has_data_propagation_function();
    if (propagates)
      guardPropagation(schema);
    if (schema.Name() == "Einsum")
      checkBefore(schema, checkEinsum);
    else if (schema.Name() == "GatherND")
      checkBefore(schema, checkGatherND);
    else if (schema.Name() == "MeanVarianceNormalization")
      schema.TypeAndShapeInferenceFunction(inferMeanVarianceNormalization);
    else if (!propagates)
      continue;
    pb::DeregisterSchema(schema.Name(), schema.since_version(), "");
    pb::RegisterSchema(std::move(schema));
  }
}

} // namespace takt::import
