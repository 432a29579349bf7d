//===- CpuTarget.h - machine code for the CPU -----------------------------===//
#ifndef TAKT_LIB_TARGET_CPU_CPUTARGET_H
#define TAKT_LIB_TARGET_CPU_CPUTARGET_H

#include "takt/Target/Target.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace takt {

/// Own expansions of math ops: erf as a rational function, sin and cos as calls
/// of the C library (MLIR's lose all digits for large arguments).
void populateMathExpansions(mlir::RewritePatternSet &patterns);

/// Lowers kernels (TaktToLinalg.h) to a module of LLVM IR.
llvm::Expected<std::unique_ptr<llvm::Module>>
lowerKernels(mlir::ModuleOp kernels, llvm::LLVMContext &context);

/// Adds the forward function `entry`, which makes the calls of `steps`, and
/// takt_stage_abi_version to `module`; kernels become internal.
void addHostProgram(llvm::Module &module, const std::vector<HostStep> &steps,
                    llvm::StringRef entry);

/// Optimises `module` and returns it as a relocatable ELF file. Fails if the
/// code would allocate memory.
llvm::Expected<std::string> emitObjectCode(llvm::Module &module,
                                           llvm::TargetMachine &machine);

} // namespace takt

#endif
