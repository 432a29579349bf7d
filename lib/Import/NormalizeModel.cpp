//===- NormalizeModel.cpp - one form for what models write in several -----===//
#include "ImportState.h"
#include "WeightSchema.h"

#include "llvm/ADT/StringSet.h"

#include "onnx/checker.h"
#include "onnx/defs/schema.h"

using namespace mlir;
namespace takt::import {

static constexpr int64_t oldestIrVersion = 3;
static constexpr int64_t oldestOpset = 7;

std::string describe(const pb::NodeProto &node) {
  if (!node.name().empty())
    return node.op_type() + " node \"" + node.name() + "\"";
  for (const std::string &output : node.output())
    if (!output.empty())
      return node.op_type() + " node with output \"" + output + "\"";
  return node.op_type() + " node without name";
}

static void normalizeDomain(std::string &domain) {
  if (domain == "ai.onnx")
    domain.clear();
}

static void normalizeNode(pb::NodeProto &node) {
  normalizeDomain(*node.mutable_domain());
  // A contrib op that exporters write into the default domain.
  if (node.domain().empty() && node.op_type() == "SimplifiedLayerNormalization")
    node.set_domain("com.microsoft");
}

/// Normalises the imports and refuses two versions of one domain.
template <typename Proto>
static LogicalResult normalizeImports(ImportState &state, Proto &proto) {
  llvm::StringMap<int64_t> seen;
  auto &imports = *proto.mutable_opset_import();
  for (int i = 0; i < imports.size();) {
    normalizeDomain(*imports[i].mutable_domain());
    auto [it, added] =
        seen.try_emplace(imports[i].domain(), imports[i].version());
    if (!added && it->second != imports[i].version())
      return state.badModel("opset_import lists domain \"" +
                            imports[i].domain() + "\" with versions " +
                            Twine(it->second) + " and " +
                            Twine(imports[i].version()) + ", expected one");
    if (added)
      ++i;
    else
      imports.DeleteSubrange(i, 1);
  }
  return success();
}

static LogicalResult checkVersions(ImportState &state,
                                   const pb::ModelProto &model) {
  int64_t ir = model.ir_version(), newestIr = pb::IR_VERSION;
  if (ir < oldestIrVersion || ir > newestIr)
    return state.unsupported("has IR version " + Twine(ir) + ", expected " +
                             Twine(oldestIrVersion) + " to " + Twine(newestIr) +
                             "; export the model again");
  int64_t newest = pb::OpSchemaRegistry::DomainToVersionRange::Instance()
                       .Map()
                       .at(pb::ONNX_DOMAIN)
                       .second;
  for (const auto &import : model.opset_import())
    if (import.domain().empty() &&
        (import.version() < oldestOpset || import.version() > newest))
      return state.unsupported(
          "imports opset " + Twine(import.version()) + ", expected " +
          Twine(oldestOpset) + " to " + Twine(newest) +
          "; convert it with onnx.version_converter or export it again");
  return success();
}

static bool contradicts(const pb::TypeProto &type,
                        const pb::TensorProto &tensor) {
  const auto &declared = type.tensor_type();
  if (declared.elem_type() != tensor.data_type())
    return true;
  if (!declared.has_shape())
    return false;
  if (declared.shape().dim_size() != tensor.dims_size())
    return true;
  for (int i = 0; i < tensor.dims_size(); ++i)
    if (declared.shape().dim(i).has_dim_value() &&
        declared.shape().dim(i).dim_value() != tensor.dims(i))
      return true;
  return false;
}

/// An initializer that is also an input is a default that a caller may
/// override. The compiler keeps the default and drops the input.
static LogicalResult dropOverridableInputs(ImportState &state,
                                           int64_t irVersion,
                                           pb::GraphProto &graph) {
  llvm::StringMap<const pb::TensorProto *> initializers;
  for (const pb::TensorProto &tensor : graph.initializer())
    initializers[tensor.name()] = &tensor;
  auto &inputs = *graph.mutable_input();
  for (int i = 0; i < inputs.size();) {
    auto it = initializers.find(inputs[i].name());
    if (it == initializers.end()) {
      ++i;
      continue;
    }
    if (inputs[i].has_type() && contradicts(inputs[i].type(), *it->second))
      return state.badModel("initializer \"" + inputs[i].name() +
                            "\" does not have the type that the graph input of "
                            "the same name declares");
    // Before IR version 4 every initializer had to be an input.
    if (irVersion >= 4)
      emitRemark(state.location())
          << "input \"" << inputs[i].name()
          << "\" has a default value in the model: it is compiled in, and the "
             "input is dropped";
    inputs.DeleteSubrange(i, 1);
  }
  return success();
}

static LogicalResult checkNames(ImportState &state, const pb::GraphProto &graph,
                                const Twine &what) {
  if (graph.sparse_initializer_size())
    return state.unsupported("sparse initializer \"" +
                             graph.sparse_initializer(0).values().name() +
                             "\" is not supported; store it as a dense tensor");
  llvm::StringSet<> inputs, outputs;
  for (const auto &input : graph.input())
    if (!inputs.insert(input.name()).second)
      return state.badModel(what + " input \"" + input.name() +
                            "\" is listed twice, expected different names");
  for (const auto &output : graph.output())
    if (!outputs.insert(output.name()).second)
      return state.badModel(what + " output \"" + output.name() +
                            "\" is listed twice, expected different names");
  return success();
}

static LogicalResult
normalizeNodes(ImportState &state, int64_t irVersion,
               google::protobuf::RepeatedPtrField<pb::NodeProto> &nodes) {
  return walkNodes(nodes, [&](pb::NodeProto &node) -> LogicalResult {
    normalizeNode(node);
    if (node.domain() == weightDomain)
      return state.badModel(describe(node) + " is in domain \"" + weightDomain +
                            "\", which is this importer's own");
    if (pb::checker::check_is_experimental_op(node))
      return state.unsupported(describe(node) +
                               " is an experimental operator "
                               "that ONNX removed; export the model again");
    for (pb::AttributeProto &attribute : *node.mutable_attribute()) {
      if (attribute.graphs_size())
        return state.unsupported(describe(node) +
                                 " has a list of graphs as "
                                 "attribute \"" +
                                 attribute.name() +
                                 "\", expected single graphs");
      if (!attribute.has_g())
        continue;
      if (failed(
              checkNames(state, attribute.g(), describe(node) + ": subgraph")))
        return failure();
      if (irVersion < 4 && failed(dropOverridableInputs(
                               state, irVersion, *attribute.mutable_g())))
        return failure();
    }
    return success();
  });
}

/// The contrib op moved out of the default domain needs its domain imported.
template <typename Proto> static void importContribDomain(Proto &proto) {
  for (const auto &import : proto.opset_import())
    if (import.domain() == "com.microsoft")
      return;
  auto *import = proto.add_opset_import();
  import->set_domain("com.microsoft");
  import->set_version(1);
}

LogicalResult normalizeModel(ImportState &state, pb::ModelProto &model) {
  int64_t irVersion = model.ir_version();
  pb::GraphProto &graph = *model.mutable_graph();
  if (failed(normalizeImports(state, model)) ||
      failed(checkVersions(state, model)) ||
      failed(checkNames(state, graph, "graph")) ||
      failed(normalizeNodes(state, irVersion, *graph.mutable_node())) ||
      failed(dropOverridableInputs(state, irVersion, graph)))
    return failure();
  importContribDomain(model);
  for (pb::FunctionProto &function : *model.mutable_functions()) {
    normalizeDomain(*function.mutable_domain());
    if (failed(normalizeImports(state, function)) ||
        failed(normalizeNodes(state, irVersion, *function.mutable_node())))
      return failure();
    importContribDomain(function);
  }
  // ONNX's checker and inference shall see the normalised form by its rules.
  model.set_ir_version(std::max<int64_t>(irVersion, 8));
  if (graph.name().empty())
    graph.set_name("main");
  return success();
}

} // namespace takt::import
