//===- CheckModel.cpp - ONNX's checker and shape inference ----------------===//
#include "ImportState.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include "onnx/checker.h"
#include "onnx/shape_inference/implementation.h"

using namespace mlir;
namespace takt::import {

/// ONNX's messages span lines; ours do not.
static std::string oneLine(StringRef text) {
  std::string line;
  for (char c : text.trim()) {
    bool space = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (!space)
      line.push_back(c);
    else if (!line.empty() && line.back() != ' ')
      line.push_back(' ');
  }
  return line;
}

/// Operators that ONNX does not have: reported together, with their names.
static LogicalResult checkOperators(ImportState &state,
                                    const pb::ModelProto &model) {
  llvm::StringMap<int64_t> versions;
  for (const auto &import : model.opset_import())
    versions[import.domain()] = import.version();
  llvm::StringSet<> functions;
  for (const auto &function : model.functions())
    functions.insert(functionKey(function));
  LogicalResult result = success();
  auto visit = [&](const pb::NodeProto &node) -> LogicalResult {
    if (!node.domain().empty() || functions.contains(functionKey(node)) ||
        pb::OpSchemaRegistry::Instance()->GetSchema(
            node.op_type(), versions.lookup(""), node.domain()))
      return success();
    result = state.unsupported(describe(node) + " is no operator of opset " +
                               Twine(versions.lookup("")) +
                               " of the default domain");
    return success();
  };
  (void)walkNodes(model.graph().node(), visit);
  return result;
}

namespace {
/// ONNX's checker wants a type with a shape at each output, which many models
/// leave out: it sees a stand-in.
class OutputStandIns {
public:
  explicit OutputStandIns(pb::GraphProto &graph) : graph(graph) {
    for (pb::ValueInfoProto &output : *graph.mutable_output()) {
      saved.push_back(output.type());
      if (output.type().value_case() == pb::TypeProto::VALUE_NOT_SET)
        output.mutable_type()->mutable_tensor_type()->set_elem_type(
            pb::TensorProto::FLOAT);
      if (output.type().has_tensor_type())
        output.mutable_type()->mutable_tensor_type()->mutable_shape();
    }
  }
  ~OutputStandIns() {
    for (int i = 0; i < graph.output_size(); ++i) {
      pb::ValueInfoProto &output = *graph.mutable_output(i);
      if (saved[i].value_case() == pb::TypeProto::VALUE_NOT_SET)
        output.clear_type();
      else
        *output.mutable_type() = saved[i];
    }
  }

private:
  pb::GraphProto &graph;
  std::vector<pb::TypeProto> saved;
};
} // namespace

LogicalResult checkModel(ImportState &state, pb::ModelProto &model) {
  if (failed(checkOperators(state, model)))
    return failure();
  OutputStandIns standIns(*model.mutable_graph());
  try {
    // Differing opsets of functions have been checked, subgraphs included.
    pb::checker::check_model(model, /*full_check=*/false,
                             /*skip_opset_compatibility_check=*/true);
  } catch (const std::exception &exception) {
    return state.badModel("is not valid ONNX: " + oneLine(exception.what()));
  }
  return success();
}

/// ONNX's data propagation keeps values by name for all graphs together, so it
/// may only run where no two graphs use a name for different values.
static bool hasUniqueNames(const pb::ModelProto &model) {
  llvm::StringSet<> seen;
  bool unique = true;
  auto visit = [&](const pb::NodeProto &node) -> LogicalResult {
    for (const std::string &output : node.output())
      unique &= output.empty() || seen.insert(output).second;
    for (const pb::AttributeProto &attribute : node.attribute()) {
      for (const auto &input : attribute.g().input())
        unique &= seen.insert(input.name()).second;
      for (const auto &initializer : attribute.g().initializer())
        unique &= seen.insert(initializer.name()).second;
    }
    return success();
  };
  (void)walkNodes(model.graph().node(), visit);
  return unique;
}

LogicalResult inferTypes(ImportState &state, pb::ModelProto &model) {
  pb::ShapeInferenceOptions options(/*check_type=*/true, /*strict_mode=*/1,
                                    /*data_prop=*/hasUniqueNames(model));
  pb::shape_inference::DataValueMap values;
  try {
    pb::shape_inference::InferShapes(model, pb::OpSchemaRegistry::Instance(),
                                     options, &values);
  } catch (const std::exception &exception) {
    return state.badModel("has types or shapes that contradict each other: " +
                          oneLine(exception.what()));
  }
  return success();
}

} // namespace takt::import
