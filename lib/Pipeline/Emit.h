//===- Emit.h - from dispatches to a bundle -------------------------------===//
#ifndef TAKT_LIB_PIPELINE_EMIT_H
#define TAKT_LIB_PIPELINE_EMIT_H

#include "takt/Bundle/BundleWriter.h"
#include "takt/Pipeline/Compile.h"

#include "mlir/IR/BuiltinOps.h"

namespace takt {

/// The ports of @main, read before the stage phase takes it apart.
struct ModelPorts {
  std::vector<BundlePort> inputs, outputs;
  /// Inputs whose elements index rows of a tensor.
  std::vector<BundleIndexRange> indexRanges;

  static mlir::FailureOr<ModelPorts> read(mlir::ModuleOp module);
  /// Fails if two inputs, or two outputs, would share a file of `run`.
  llvm::Error checkNames() const;
};

/// Compiles the stages of a module after the dispatch phase. The library bytes
/// of each stage are in the result.
llvm::Expected<BundleInput> compileStages(mlir::ModuleOp module,
                                          const ModelPorts &ports,
                                          const CompileOptions &options);

/// Packs and writes the bundle to `options.output`.
llvm::Error emitBundle(BundleInput &input, const CompileOptions &options);

} // namespace takt

#endif
