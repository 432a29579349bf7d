//===- ModelPorts.cpp - the model's inputs and outputs --------------------===//
#include "Emit.h"

#include "takt/Dialect/Takt/SizeAnalysis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

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
  if (!name || !dtype)
    return main.emitError("has a port without a name or of type ")
           << value.getType();
  return BundlePort{name.getValue().str(), *dtype, sizes.shape(value)};
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
  return ports;
}
