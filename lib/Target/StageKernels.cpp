//===- StageKernels.cpp - generated kernels of a stage --------------------===//
#include "StageBuilder.h"

#include "takt/Conversion/TaktToLinalg/TaktToLinalg.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace takt;

/// A kernel and how to call it.
struct StageBuilder::Compiled {
  std::string name;
  LoweredKernel lowered;
};

/// The dispatch as text, without what does not change its kernel.
static std::string kernelText(DispatchOp dispatch) {
  OwningOpRef<ModuleOp> module(ModuleOp::create(dispatch.getLoc()));
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto function = builder.create<func::FuncOp>(
      dispatch.getLoc(), "f",
      builder.getFunctionType(dispatch->getOperandTypes(), {}));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  IRMapping mapping;
  mapping.map(dispatch->getOperands(), block->getArguments());
  builder.clone(*dispatch, mapping)->walk([](Operation *op) {
    for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
      op->removeDiscardableAttr(attribute.getName());
  });
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return text;
}

llvm::Expected<StageBuilder::Compiled *>
StageBuilder::compileKernel(DispatchOp op) {
  std::shared_ptr<Compiled> &kernel = kernels[kernelText(op)];
  if (kernel)
    return kernel.get();
  kernel = std::make_shared<Compiled>();
  kernel->name = (Twine(stage.getName().value_or("stage")) + "_kernel" +
                  Twine(kernels.size() - 1))
                     .str();
  std::string messages;
  ScopedDiagnosticHandler handler(op.getContext(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      messages += (messages.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  auto lowered = lowerKernel(op, *code.kernels, kernel->name);
  if (failed(lowered))
    return stageError(op, messages.empty() ? "has no kernel" : messages);
  kernel->lowered = std::move(*lowered);
  return kernel.get();
}

llvm::Error StageBuilder::addKernel(DispatchOp op) {
  llvm::Expected<Compiled *> compiled = compileKernel(op);
  if (!compiled)
    return compiled.takeError();
  const LoweredKernel &lowered = (*compiled)->lowered;
  HostStep call;
  call.kind = HostStep::Kernel;
  call.kernel = (*compiled)->name;
  SmallVector<int32_t> scratch;
  for (const ScratchBuffer &buffer : lowered.scratch)
    scratch.push_back(addScratch(buffer.dtype, buffer.shape));
  auto operandOf = [&](const KernelArgument &argument) -> KernelOperand {
    switch (argument.kind) {
    case KernelArgument::Input:
      return {KernelOperand::Buffer,
              bufferOf.at(op.getInputs()[argument.index])};
    case KernelArgument::Output:
      return {KernelOperand::Buffer, bufferOf.at(op.getResult(argument.index))};
    case KernelArgument::Scratch:
      return {KernelOperand::Buffer, scratch[argument.index]};
    case KernelArgument::Size:
      return {KernelOperand::Value,
              values.index(lowered.sizes[argument.index])};
    }
    llvm_unreachable("all kinds are covered");
  };
  for (const KernelArgument &argument : lowered.arguments)
    call.operands.push_back(operandOf(argument));
  code.steps.push_back(std::move(call));
  return llvm::Error::success();
}
