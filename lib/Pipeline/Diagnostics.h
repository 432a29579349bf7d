//===- Diagnostics.h - what the user sees of MLIR's diagnostics -----------===//
#ifndef TAKT_LIB_PIPELINE_DIAGNOSTICS_H
#define TAKT_LIB_PIPELINE_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

namespace takt {

/// Prints `error: node 'NAME': text`, notes indented below. Remarks and
/// warnings are printed unless quiet.
class DiagnosticPrinter {
public:
  DiagnosticPrinter(mlir::MLIRContext &context, bool quiet);
  ~DiagnosticPrinter();

private:
  mlir::LogicalResult print(mlir::Diagnostic &diagnostic);

  mlir::MLIRContext &context;
  bool quiet;
  mlir::DiagnosticEngine::HandlerID id;
};

} // namespace takt

#endif
