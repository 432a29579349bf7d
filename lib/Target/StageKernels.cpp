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

llvm::Error StageBuilder::addKernel(DispatchOp op) {
  std::shared_ptr<Compiled> &kernel = kernels[kernelText(op)];
  if (!kernel) {
    kernel = std::make_shared<Compiled>();
    kernel->name = (Twine(stage.getName().value_or("stage")) + "_kernel" +
                    Twine(kernels.size() - 1))
                       .str();
    std::string messages;
    ScopedDiagnosticHandler handler(
        op.getContext(), [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            messages += (messages.empty() ? "" : "; ") + diagnostic.str();
          return success();
        });
    auto lowered = lowerKernel(op, *code.kernels, kernel->name);
    if (failed(lowered))
      return stageError(op, messages.empty() ? "has no kernel" : messages);
    kernel->lowered = std::move(*lowered);
  }
  HostStep call;
  call.kind = HostStep::Kernel;
  call.kernel = kernel->name;
  SmallVector<int32_t> scratch;
  for (const ScratchBuffer &buffer : kernel->lowered.scratch)
    scratch.push_back(addScratch(buffer.dtype, buffer.shape));
  for (const KernelArgument &argument : kernel->lowered.arguments) {
    using Kind = KernelOperand::Kind;
    switch (argument.kind) {
    case KernelArgument::Input:
      call.operands.push_back(
          {Kind::Buffer, bufferOf.at(op.getInputs()[argument.index])});
      break;
    case KernelArgument::Output:
      call.operands.push_back(
          {Kind::Buffer, bufferOf.at(op.getResult(argument.index))});
      break;
    case KernelArgument::Scratch:
      call.operands.push_back({Kind::Buffer, scratch[argument.index]});
      break;
    case KernelArgument::Size:
      call.operands.push_back(
          {Kind::Value, values.index(kernel->lowered.sizes[argument.index])});
      break;
    }
  }
  code.steps.push_back(std::move(call));
  return llvm::Error::success();
}
