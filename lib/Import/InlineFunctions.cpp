//===- InlineFunctions.cpp - local functions ------------------------------===//
// ONNX's inliner expands whatever it is given and recurses into cycles that
// hide in subgraphs, so the call graph is checked here before it runs.
#include "ImportState.h"

#include "onnx/common/proto_util.h"
#include "onnx/defs/schema.h"
#include "onnx/inliner/inliner.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
namespace takt::import {

static constexpr int maxCallDepth = 64;
static constexpr int maxGraphDepth = 64;
static constexpr int64_t maxExpandedNodes = 2'000'000;

std::string functionKey(const pb::FunctionProto &function) {
  return pb::GetFunctionImplId(function);
}
std::string functionKey(const pb::NodeProto &node) {
  return pb::GetCalleeId(node);
}

namespace {
/// Counts the nodes that inlining would make.
class CallGraph {
public:
  explicit CallGraph(ImportState &state) : state(state) {}

  LogicalResult add(pb::FunctionProto &function) {
    if (!functions.try_emplace(functionKey(function), &function).second)
      return state.badModel("local function " + functionKey(function) +
                            " is defined twice, expected one definition");
    return success();
  }
  bool calls(const pb::NodeProto &node) const {
    return functions.count(functionKey(node));
  }

  /// The expanded size of a list of nodes.
  template <typename Nodes>
  FailureOr<int64_t> expandedSize(const Nodes &nodes, int depth) {
    int64_t total = 0;
    auto visit = [&](const pb::NodeProto &node) -> LogicalResult {
      int64_t size = 1;
      if (auto it = functions.find(functionKey(node)); it != functions.end()) {
        FailureOr<int64_t> body = functionSize(*it->second, depth + 1);
        if (failed(body))
          return failure();
        size = *body;
      }
      total += size;
      if (total > maxExpandedNodes)
        return state.badModel("local functions expand to more than " +
                              Twine(maxExpandedNodes) +
                              " nodes, which no real model has");
      return success();
    };
    if (failed(walkNodes(nodes, visit)))
      return failure();
    return total;
  }

private:
  FailureOr<int64_t> functionSize(pb::FunctionProto &function, int depth) {
    std::string key = functionKey(function);
    if (auto it = sizes.find(key); it != sizes.end()) {
      if (it->second < 0)
        return state.badModel("local function " + key +
                              " calls itself, directly or through others; "
                              "ONNX does not allow recursion");
      return it->second;
    }
    if (depth > maxCallDepth)
      return state.badModel("calls of local functions nest deeper than " +
                            Twine(maxCallDepth) + " at function " + key);
    sizes[key] = -1; // being counted
    FailureOr<int64_t> size = expandedSize(function.node(), depth);
    if (succeeded(size))
      sizes[key] = *size;
    return size;
  }

  ImportState &state;
  llvm::StringMap<pb::FunctionProto *> functions;
  llvm::StringMap<int64_t> sizes;
};
} // namespace

/// True if an operator means the same in two versions of its domain's opset.
static bool sameMeaning(const pb::NodeProto &node, int64_t left,
                        int64_t right) {
  const auto *registry = pb::OpSchemaRegistry::Instance();
  const auto *first = registry->GetSchema(node.op_type(), left, node.domain());
  const auto *second =
      registry->GetSchema(node.op_type(), right, node.domain());
  return first && second && first->since_version() == second->since_version();
}

/// Makes the function import what the model imports, so that its nodes mean the
/// same after they have moved.
static LogicalResult alignImports(ImportState &state, pb::ModelProto &model,
                                  const CallGraph &calls,
                                  pb::FunctionProto &function) {
  for (auto &import : *function.mutable_opset_import()) {
    const pb::OperatorSetIdProto *imported = nullptr;
    for (const auto &candidate : model.opset_import())
      if (candidate.domain() == import.domain())
        imported = &candidate;
    if (!imported) {
      *model.add_opset_import() = import;
      continue;
    }
    if (imported->version() == import.version())
      continue;
    auto visit = [&](const pb::NodeProto &node) -> LogicalResult {
      if (node.domain() != import.domain() || calls.calls(node) ||
          sameMeaning(node, imported->version(), import.version()))
        return success();
      return state.unsupported(
          describe(node) + " in local function " + functionKey(function) +
          " belongs to version " + Twine(import.version()) + " of domain \"" +
          import.domain() + "\", but the model imports version " +
          Twine(imported->version()) +
          ", where it differs; export the model with one version");
    };
    if (failed(walkNodes(function.node(), visit)))
      return failure();
    import.set_version(imported->version());
  }
  return success();
}

/// The inliner takes for granted that each output is the output of some node.
static LogicalResult checkOutputs(ImportState &state,
                                  const pb::FunctionProto &function) {
  for (const std::string &output : function.output()) {
    bool found = false;
    for (const pb::NodeProto &node : function.node())
      found |= llvm::is_contained(node.output(), output);
    if (!found)
      return state.badModel("output \"" + output + "\" of local function " +
                            functionKey(function) +
                            " is the output of none of its nodes");
  }
  return success();
}

LogicalResult checkFunctions(ImportState &state, pb::ModelProto &model) {
  CallGraph calls(state);
  for (pb::FunctionProto &function : *model.mutable_functions())
    if (failed(calls.add(function)) || failed(checkOutputs(state, function)))
      return failure();
  if (failed(calls.expandedSize(model.graph().node(), 0)))
    return failure();
  // Functions that nothing calls count too: ONNX's checker looks at all.
  for (const pb::FunctionProto &function : model.functions())
    if (failed(calls.expandedSize(function.node(), 0)))
      return failure();
  for (pb::FunctionProto &function : *model.mutable_functions())
    if (failed(alignImports(state, model, calls, function)))
      return failure();
  return success();
}

/// How many graphs lie in each other below a list of nodes.
static int
graphDepth(const google::protobuf::RepeatedPtrField<pb::NodeProto> &nodes) {
  int deepest = 0;
  for (const pb::NodeProto &node : nodes)
    for (const pb::AttributeProto &attribute : node.attribute())
      if (attribute.has_g())
        deepest = std::max(deepest, 1 + graphDepth(attribute.g().node()));
  return deepest;
}

LogicalResult inlineFunctions(ImportState &state, pb::ModelProto &model) {
  if (!model.functions_size())
    return success();
  try {
    pb::inliner::InlineLocalFunctions(model);
  } catch (const std::exception &exception) {
    return state.badModel("local functions cannot be inlined: " +
                          Twine(exception.what()));
  }
  if (int depth = graphDepth(model.graph().node()); depth > maxGraphDepth)
    return state.badModel("graphs nest " + Twine(depth) +
                          " deep after local functions are inlined, expected " +
                          Twine(maxGraphDepth) + " at most");
  return success();
}

} // namespace takt::import
