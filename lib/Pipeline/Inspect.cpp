//===- Inspect.cpp - what a model is --------------------------------------===//
#include "AssumedSizes.h"
#include "Diagnostics.h"
#include "Emit.h"
#include "ScratchDirectory.h"
#include "TextOutput.h"

#include "takt/Conversion/OnnxToTakt/OnnxToTakt.h"
#include "takt/Dialect/Onnx/Onnx.h"
#include "takt/Import/Import.h"
#include "takt/Pipeline/Registration.h"
#include "takt/Transforms/TypicalSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace takt;

namespace {
/// The facts that `takt inspect` prints.
struct ModelFacts {
  std::string file;
  int64_t nodes = 0, parameters = 0, weightBytes = 0, weights = 0;
  std::set<std::string> kinds;
  std::vector<std::string> inputs, outputs;
  std::vector<UnsupportedNode> unsupported;
  /// None where some op is not supported.
  std::optional<int64_t> flops;
};
} // namespace

/// `name type [sizes]`.
static std::string portText(DictionaryAttr attributes, Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto name =
          attributes ? attributes.getAs<StringAttr>(attr::name) : nullptr)
    os << name.getValue() << " ";
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked) {
    os << type;
    return text;
  }
  if (auto dtype = dtypeOf(ranked.getElementType()))
    os << dtypeName(*dtype) << " ";
  auto shape = attributes ? attributes.getAs<ShapeAttr>(attr::shape) : nullptr;
  if (shape)
    os << shapeText(shape.getExprs());
  else if (ranked.hasStaticShape())
    os << shapeText(staticShape(ranked));
  return text;
}

static void collectPorts(func::FuncOp main, ModelFacts &facts) {
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes()))
    facts.inputs.push_back(portText(main.getArgAttrDict(i), type));
  for (auto [i, type] : llvm::enumerate(main.getResultTypes()))
    facts.outputs.push_back(portText(main.getResultAttrDict(i), type));
}

static void collectWeights(ModuleOp module, ModelFacts &facts) {
  for (WeightOp weight : module.getOps<WeightOp>()) {
    auto type = cast<RankedTensorType>(weight.getType());
    ++facts.weights;
    facts.parameters += type.getNumElements();
    if (auto dtype = dtypeOf(type.getElementType()))
      facts.weightBytes += type.getNumElements() * byteSize(*dtype);
  }
}

/// Runs the phases that tell the work; the module is used up.
static std::optional<int64_t> countFlops(ModuleOp module) {
  PassManager manager(module.getContext());
  addPhasePasses(manager, Phase::Legalize, {});
  addPhasePasses(manager, Phase::Simplify, {});
  if (failed(manager.run(module)))
    return std::nullopt;
  reconcileTypicalSizes(module, {});
  TypicalSizes typical(module);
  SizeAnalysis sizes;
  double flops = 0;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  for (Operation &op : main.getBody().front())
    if (auto tensorOp = dyn_cast<TensorOpInterface>(op))
      flops += typical(
          tensorOp.getFlops(sizes.operandShapes(&op), sizes.resultShapes(&op)));
  return int64_t(flops);
}

static void printText(const ModelFacts &facts, llvm::raw_ostream &os) {
  auto list = [&](StringRef title, const std::vector<std::string> &lines) {
    for (auto [i, line] : llvm::enumerate(lines))
      os << llvm::left_justify(i ? "" : title, 14) << line << "\n";
  };
  os << llvm::left_justify(facts.file, 14)
     << (facts.file.size() < 14 ? "" : "  ") << facts.nodes << " nodes, "
     << facts.kinds.size() << " kinds\n";
  os << llvm::left_justify("parameters", 14)
     << llvm::format("%.1f M · %.1f MB (%lld tensors)\n",
                     facts.parameters / 1e6, facts.weightBytes / 1e6,
                     (long long)facts.weights);
  list("inputs", facts.inputs);
  list("outputs", facts.outputs);
  if (facts.flops)
    os << llvm::left_justify("work", 14)
       << llvm::format("%.2f GFLOP", *facts.flops / 1e9)
       << " at typical sizes (--assume NAME=SIZE to change)\n";
  os << llvm::left_justify("supported", 14);
  if (facts.unsupported.empty())
    os << "all nodes\n";
  else
    os << facts.nodes - int64_t(facts.unsupported.size()) << " of "
       << facts.nodes
       << " nodes; these are not:" << unsupportedText(facts.unsupported)
       << "\n";
}

static void printJson(const ModelFacts &facts, llvm::raw_ostream &os) {
  llvm::json::OStream json(os, 2);
  auto strings = [&](StringRef key, const std::vector<std::string> &values) {
    json.attributeArray(key, [&] {
      for (const std::string &value : values)
        json.value(value);
    });
  };
  json.object([&] {
    json.attribute("file", facts.file);
    json.attribute("nodes", facts.nodes);
    strings("kinds", {facts.kinds.begin(), facts.kinds.end()});
    json.attribute("parameters", facts.parameters);
    json.attribute("weight_bytes", facts.weightBytes);
    strings("inputs", facts.inputs);
    strings("outputs", facts.outputs);
    if (facts.flops)
      json.attribute("flops", *facts.flops);
    json.attributeArray("unsupported", [&] {
      for (const UnsupportedNode &node : facts.unsupported)
        json.object([&] {
          json.attribute("name", node.name);
          json.attribute("op", node.opType);
          json.attribute("domain", node.domain);
          json.attribute("version", node.version);
        });
    });
  });
  os << "\n";
}

CompileStatus takt::inspectModel(const InspectOptions &options) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  DiagnosticPrinter printer(context, /*quiet=*/true);
  ScratchDirectory scratch;
  if (llvm::Error error = scratch.create()) {
    llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
    return CompileStatus::Environment;
  }
  ImportOptions importOptions;
  importOptions.spoolFile = scratch.file("inline-weights.bin");
  // Nothing here needs the weights' values.
  importOptions.allowMissingWeights = true;
  ImportError error = ImportError::None;
  auto module = importOnnx(context, options.model, importOptions, &error);
  if (!module)
    return error == ImportError::Unsupported ? CompileStatus::Unsupported
                                             : CompileStatus::BadInput;
  if (failed(setTypicalSizes(*module, options.assumed)))
    return CompileStatus::Usage;
  ModelFacts facts;
  facts.file = std::string(llvm::sys::path::filename(options.model));
  facts.nodes = countNodes(*module);
  module->walk(
      [&](onnx::NodeOp node) { facts.kinds.insert(node.getOpType().str()); });
  facts.unsupported = collectUnsupported(*module);
  collectPorts(module->lookupSymbol<func::FuncOp>("main"), facts);
  collectWeights(*module, facts);
  if (facts.unsupported.empty())
    facts.flops = countFlops(*module);
  return writeText("-", [&](llvm::raw_ostream &os) {
    options.json ? printJson(facts, os) : printText(facts, os);
  });
}
