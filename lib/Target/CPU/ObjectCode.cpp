//===- ObjectCode.cpp - LLVM IR to an ELF object --------------------------===//
#include "CpuTarget.h"
#include "LargeCopies.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

using namespace takt;

/// The bound that an innermost loop's exit compares with, if it is one.
static bool hasConstantBound(llvm::Loop &loop) {
  for (llvm::BasicBlock *block : loop.blocks()) {
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (!branch || !branch->isConditional() || !loop.isLoopExiting(block))
      continue;
    auto *compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
    if (compare && (llvm::isa<llvm::Constant>(compare->getOperand(0)) ||
                    llvm::isa<llvm::Constant>(compare->getOperand(1))))
      return true;
  }
  return false;
}

/// Loops of unknown length are interleaved by 2: LLVM's default of 4 leaves up
/// to 63 iterations to a scalar loop.
static void limitInterleaving(llvm::Function &function) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  llvm::LLVMContext &context = function.getContext();
  for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || hasConstantBound(*loop))
      continue;
    auto *count = llvm::ConstantAsMetadata::get(
        llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), 2));
    auto *hint = llvm::MDNode::get(
        context,
        {llvm::MDString::get(context, "llvm.loop.interleave.count"), count});
    llvm::MDNode *id = llvm::MDNode::getDistinct(context, {nullptr, hint});
    id->replaceOperandWith(0, id);
    loop->setLoopID(id);
  }
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.SLPVectorization = true;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

static llvm::Error checkCalls(const llvm::Module &module) {
  for (const llvm::Function &function : module) {
    llvm::StringRef name = function.getName();
    if (function.isDeclaration() && !function.use_empty() &&
        (name == "malloc" || name == "free" || name == "aligned_alloc" ||
         name == "memrefCopy"))
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "internal error: a kernel calls '" + name +
              "', but stages may not allocate; please report this model");
  }
  return llvm::Error::success();
}

llvm::Expected<std::string> takt::emitObjectCode(llvm::Module &module,
                                                 llvm::TargetMachine &machine) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      limitInterleaving(function);
  std::string message;
  llvm::raw_string_ostream messages(message);
  if (llvm::verifyModule(module, &messages))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "internal error: generated LLVM IR is "
                                   "invalid: " +
                                       message);
  optimize(module, machine);
  // Only now are loops that copy known as such.
  streamLargeCopies(module);
  if (llvm::Error error = checkCalls(module))
    return std::move(error);
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager emit;
  if (machine.addPassesToEmitFile(emit, stream, nullptr,
                                  llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "internal error: LLVM can't write object "
                                   "files for this machine");
  emit.run(module);
  return std::string(object.begin(), object.end());
}
