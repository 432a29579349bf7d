//===- LowerKernels.cpp - kernels to LLVM IR ------------------------------===//
#include "CpuTarget.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace takt;

static LogicalResult expandMath(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateMathExpansions(patterns);
  populateExpandRsqrtPattern(patterns);
  populateMathPolynomialApproximationPatterns(patterns, {});
  // Not all of arith-expand: it makes of maximumf what is no reduction to LLVM.
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateExpandBFloat16Patterns(patterns);
  return applyPatternsAndFoldGreedily(module, std::move(patterns));
}

static LogicalResult toLoops(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.addPass(createConvertLinalgToLoopsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  return passes.run(module);
}

static LogicalResult toLLVM(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.addPass(memref::createExpandStridedMetadataPass());
  passes.addPass(createLowerAffinePass());
  passes.addPass(createConvertSCFToCFPass());
  // Intrinsics where LLVM has them, calls of the C library for the rest.
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createConvertMathToLibmPass());
  passes.addPass(createFinalizeMemRefToLLVMConversionPass());
  passes.addPass(createArithToLLVMConversionPass());
  // Descriptors would pass each size twice and drop noalias.
  ConvertFuncToLLVMPassOptions convention;
  convention.useBarePtrCallConv = true;
  passes.addPass(createConvertFuncToLLVMPass(convention));
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  return passes.run(module);
}

llvm::Expected<std::unique_ptr<llvm::Module>>
takt::lowerKernels(ModuleOp kernels, llvm::LLVMContext &context) {
  MLIRContext *mlirContext = kernels.getContext();
  registerBuiltinDialectTranslation(*mlirContext);
  registerLLVMDialectTranslation(*mlirContext);
  mlirContext->loadDialect<LLVM::LLVMDialect>();
  std::string messages;
  ScopedDiagnosticHandler handler(mlirContext, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      messages += diagnostic.str() + "; ";
    return success();
  });
  auto fail = [&](const char *step) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "internal error: can't lower kernels to " +
                                       std::string(step) + ": " + messages);
  };
  if (failed(toLoops(kernels)) || failed(expandMath(kernels)))
    return fail("loops");
  if (failed(toLLVM(kernels)))
    return fail("the LLVM dialect");
  auto module = translateModuleToLLVMIR(kernels, context, "takt");
  if (!module)
    return fail("LLVM IR");
  return module;
}
