//===- Unsupported.cpp - which nodes have no rule -------------------------===//
#include "Registry.h"

#include "takt/Conversion/OnnxToTakt/OnnxToTakt.h"
#include "takt/Support/OneLine.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

std::vector<UnsupportedNode> takt::collectUnsupported(ModuleOp module) {
  std::vector<UnsupportedNode> result;
  module.walk<WalkOrder::PreOrder>([&](onnx::NodeOp node) {
    auto version = static_cast<int64_t>(node.getVersion());
    if (Registry::get().find(node.getDomain(), node.getOpType(), version))
      return;
    auto loc = dyn_cast<NameLoc>(node.getLoc());
    result.push_back({loc ? loc.getName().str() : "", node.getOpType().str(),
                      node.getDomain().str(), version});
  });
  return result;
}

int64_t takt::countNodes(ModuleOp module) {
  int64_t count = 0;
  module.walk([&](onnx::NodeOp) { ++count; });
  return count;
}

std::string takt::unsupportedText(const std::vector<UnsupportedNode> &nodes) {
  size_t width = 0;
  for (const UnsupportedNode &node : nodes)
    width = std::max(width, std::min<size_t>(node.name.size(), 48));
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const UnsupportedNode &node : nodes) {
    std::string name = oneLine(node.name);
    os << "\n  " << name;
    os.indent(name.size() < width ? width - name.size() + 2 : 2);
    os << oneLine(node.domain.empty() ? node.opType
                                      : node.domain + "::" + node.opType)
       << " (opset " << node.version << ")";
  }
  return text;
}
