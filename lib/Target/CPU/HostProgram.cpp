//===- HostProgram.cpp - a stage's forward function -----------------------===//
#include "CpuTarget.h"

#include "runtime/abi/Abi.h"

#include "llvm/IR/IRBuilder.h"

#include <cstddef>

using namespace takt;
using llvm::Value;

namespace {
/// Writes `int32_t entry(const TaktApi *, const TaktFrame *)`.
class HostProgram {
public:
  HostProgram(llvm::Module &module, llvm::StringRef entry)
      : module(module), builder(module.getContext()),
        pointer(builder.getPtrTy()), status(builder.getInt32Ty()) {
    auto *type = llvm::FunctionType::get(status, {pointer, pointer}, false);
    function = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                      entry, module);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    api = function->getArg(0), frame = function->getArg(1);
    builder.SetInsertPoint(newBlock("entry"));
    values = loadField(frame, offsetof(TaktFrame, values));
    buffers = loadField(frame, offsetof(TaktFrame, buffers));
  }

  void add(const HostStep &step) {
    if (step.kind == HostStep::Kernel)
      return callKernel(step);
    if (step.kind == HostStep::LibraryCall)
      return callRuntime(offsetof(TaktApi, libraryCall), step.operation);
    // Nothing to compute lies between start and wait yet.
    callRuntime(offsetof(TaktApi, collectiveStart), step.operation);
    callRuntime(offsetof(TaktApi, collectiveWait), step.operation);
  }

  void finish() { builder.CreateRet(builder.getInt32(0)); }

private:
  llvm::BasicBlock *newBlock(const char *name) {
    return llvm::BasicBlock::Create(module.getContext(), name, function);
  }
  Value *loadField(Value *base, size_t offset) {
    Value *place =
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset);
    return builder.CreateLoad(pointer, place);
  }
  Value *loadElement(llvm::Type *type, Value *base, int32_t index) {
    Value *place = builder.CreateConstInBoundsGEP1_64(type, base, index);
    return builder.CreateLoad(type, place);
  }

  void callKernel(const HostStep &step) {
    llvm::Function *kernel = module.getFunction(step.kernel);
    llvm::SmallVector<Value *> arguments;
    for (const KernelOperand &operand : step.operands)
      arguments.push_back(
          operand.kind == KernelOperand::Buffer
              ? loadElement(pointer, buffers, operand.index)
              : loadElement(builder.getInt64Ty(), values, operand.index));
    builder.CreateCall(kernel, arguments);
  }

  /// Calls a function of the table and returns at once where it fails.
  void callRuntime(size_t field, int32_t operation) {
    auto *type = llvm::FunctionType::get(status, {pointer, status}, false);
    Value *callee = loadField(api, field);
    Value *code =
        builder.CreateCall(type, callee, {frame, builder.getInt32(operation)});
    llvm::BasicBlock *failed = newBlock("failed"), *next = newBlock("next");
    builder.CreateCondBr(builder.CreateIsNull(code), next, failed);
    builder.SetInsertPoint(failed);
    builder.CreateRet(code);
    builder.SetInsertPoint(next);
  }

  llvm::Module &module;
  llvm::IRBuilder<> builder;
  llvm::Type *pointer, *status;
  llvm::Function *function;
  Value *api, *frame, *values, *buffers;
};
} // namespace

static void addVersion(llvm::Module &module) {
  llvm::IRBuilder<> builder(module.getContext());
  auto *type = llvm::FunctionType::get(builder.getInt32Ty(), false);
  auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                          TAKT_STAGE_VERSION_SYMBOL, module);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "entry", function));
  builder.CreateRet(builder.getInt32(TAKT_ABI_VERSION));
}

void takt::addHostProgram(llvm::Module &module,
                          const std::vector<HostStep> &steps,
                          llvm::StringRef entry) {
  for (llvm::Function &kernel : module) {
    if (kernel.isDeclaration())
      continue;
    kernel.setLinkage(llvm::GlobalValue::InternalLinkage);
    // Inlining would only cost compile time and lose noalias.
    kernel.addFnAttr(llvm::Attribute::NoInline);
    kernel.addFnAttr(llvm::Attribute::NoUnwind);
    // The CPU's own tuning prefers 256.
    kernel.addFnAttr("prefer-vector-width", "512");
    for (llvm::Argument &argument : kernel.args())
      if (argument.getType()->isPointerTy())
        argument.addAttr(llvm::Attribute::NoAlias);
  }
  HostProgram program(module, entry);
  for (const HostStep &step : steps)
    program.add(step);
  program.finish();
  addVersion(module);
}
