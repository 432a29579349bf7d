//===- ModelPorts.cpp - the model's inputs and outputs --------------------===//
#include "Emit.h"

#include "takt/Dialect/Takt/SizeAnalysis.h"
#include "takt/Support/OneLine.h"

#include "runtime/abi/FileNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

#include <set>

using namespace mlir;
using namespace takt;

/// One port; its sizes from the attribute, else from the value.
static FailureOr<BundlePort> readPort(func::FuncOp main, Value value,
                                      DictionaryAttr attributes,
                                      SizeAnalysis &sizes) {
  auto name =
      attributes ? attributes.getAs<StringAttr>(attr::name) : StringAttr();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  std::optional<DType> dtype;
  if (type)
    dtype = dtypeOf(type.getElementType());
  assert(name && "the importer names all ports");
  if (!dtype)
    return emitError(main.getLoc(), "graph ")
           << (isa<BlockArgument>(value) ? "input" : "output") << " " << name
           << " has element type " << getElementTypeOrSelf(value)
           << ", which is not supported; insert a Cast to another type";
  return BundlePort{name.getValue().str(), *dtype, sizes.shape(value)};
}

/// The argument whose elements `value` holds, each as it is, if it is one.
static BlockArgument elementSource(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ReshapeOp, TransposeOp, BroadcastOp>(op))
      return {};
    value = op->getOperand(0);
  }
  return cast<BlockArgument>(value);
}

/// An index beyond a tensor is an error in ONNX. Kernels would clamp it; for
/// inputs that index a tensor directly the runtime refuses the request.
static void collectIndexRanges(Block &body, SizeAnalysis &sizes,
                               ModelPorts &ports) {
  std::set<std::pair<unsigned, std::string>> known;
  for (GatherOp gather : body.getOps<GatherOp>()) {
    BlockArgument source = elementSource(gather.getIndices());
    SizeExpr rows = sizes.shape(gather.getData())[gather.getAxis()];
    if (source && known.insert({source.getArgNumber(), rows.str()}).second)
      ports.indexRanges.push_back(
          {ports.inputs[source.getArgNumber()].name, rows});
  }
}

/// `run` reads and writes one file for each port.
static llvm::Error checkFileNames(ArrayRef<BundlePort> ports, StringRef what) {
  llvm::StringMap<StringRef> owners;
  for (const BundlePort &port : ports) {
    std::string file = runtime::fileNameOf(port.name);
    auto [owner, isNew] = owners.try_emplace(file, port.name);
    if (!isNew)
      return badInput("graph " + what + "s \"" + oneLine(owner->second) +
                      "\" and \"" + oneLine(port.name) +
                      "\" would share the file '" + file +
                      ".npy'; rename one in the model");
  }
  return llvm::Error::success();
}

llvm::Error ModelPorts::checkNames() const {
  if (llvm::Error error = checkFileNames(inputs, "input"))
    return error;
  return checkFileNames(outputs, "output");
}

FailureOr<ModelPorts> ModelPorts::read(ModuleOp module) {
  ModelPorts ports;
  SizeAnalysis sizes;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  Block &body = main.getBody().front();
  for (BlockArgument argument : body.getArguments()) {
    auto port = readPort(main, argument,
                         main.getArgAttrDict(argument.getArgNumber()), sizes);
    if (failed(port))
      return failure();
    ports.inputs.push_back(*port);
  }
  for (OpOperand &operand : body.getTerminator()->getOpOperands()) {
    auto port =
        readPort(main, operand.get(),
                 main.getResultAttrDict(operand.getOperandNumber()), sizes);
    if (failed(port))
      return failure();
    ports.outputs.push_back(*port);
  }
  collectIndexRanges(body, sizes, ports);
  return ports;
}
