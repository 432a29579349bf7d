//===- Onnx.cpp - the onnx dialect ----------------------------------------===//
#include "takt/Dialect/Onnx/Onnx.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace takt::onnx;

#include "takt/Dialect/Onnx/OnnxDialect.cpp.inc"

void OnnxDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "takt/Dialect/Onnx/OnnxOps.cpp.inc"
      >();
}

static LogicalResult verifyRegionNames(NodeOp node) {
  size_t regions = node.getBodies().size();
  size_t names = node.getRegionNames() ? node.getRegionNames()->size() : 0;
  if (names != regions)
    return node.emitOpError("has ")
           << names << " region names, expected one for each of its " << regions
           << " regions";
  llvm::StringSet<> seen;
  for (size_t i = 0; i < names; ++i) {
    StringRef name = cast<StringAttr>((*node.getRegionNames())[i]).getValue();
    if (name.empty() || !seen.insert(name).second)
      return node.emitOpError("has region name \"")
             << name << "\", expected names that are not empty and differ";
    if (node.attribute(name))
      return node.emitOpError("has both an attribute and a region named \"")
             << name << "\", expected one of them";
  }
  return success();
}

LogicalResult NodeOp::verify() {
  if (getOpType().empty())
    return emitOpError("has an empty op_type, expected an operator's name");
  if (static_cast<int64_t>(getVersion()) < 1)
    return emitOpError("has version ")
           << static_cast<int64_t>(getVersion()) << ", expected 1 or more";
  for (Region &body : getBodies())
    if (!body.front().mightHaveTerminator() ||
        !isa<YieldOp>(body.front().getTerminator()))
      return emitOpError("has a region that does not end in onnx.yield");
  return verifyRegionNames(*this);
}

int64_t NodeOp::intAttribute(StringRef name, int64_t fallback) {
  auto value = attribute<IntegerAttr>(name);
  return value ? value.getInt() : fallback;
}

Region *NodeOp::region(StringRef name) {
  if (!getRegionNames())
    return nullptr;
  for (auto [attr, body] : llvm::zip_equal(*getRegionNames(), getBodies()))
    if (cast<StringAttr>(attr).getValue() == name)
      return &body;
  return nullptr;
}

bool NodeOp::hasInput(unsigned index) {
  return index < getInputs().size() &&
         !getInputs()[index].getDefiningOp<NoneOp>();
}

std::string NodeOp::describe() {
  std::string text = getOpType().str() + " node";
  if (auto name = dyn_cast<NameLoc>(getLoc()))
    text += " \"" + name.getName().str() + "\"";
  return text;
}

#define GET_OP_CLASSES
#include "takt/Dialect/Onnx/OnnxOps.cpp.inc"
