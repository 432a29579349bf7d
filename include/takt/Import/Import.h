//===- Import.h - ONNX models into the onnx dialect -----------------------===//
#ifndef TAKT_IMPORT_IMPORT_H
#define TAKT_IMPORT_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace takt {

struct ImportOptions {
  /// Where tensors that lie inside the protobuf are written, since weights are
  /// references; created when the first such tensor is met.
  std::string spoolFile;
  /// Sizes for dimension names, by the name in the model or in the module.
  llvm::StringMap<int64_t> dims;
  /// Follow symbolic links and accept hard links to external data, as caches
  /// that name files by content need.
  bool allowLinks = false;
  /// External data need not exist: enough for planning.
  bool allowMissingWeights = false;
  /// Tensors of at most so many bytes become `arith.constant`.
  int64_t smallTensorBytes = 1024;
};

/// Why there is no module; tools derive their exit code from it.
enum class ImportError {
  None,
  File,        ///< a file cannot be read or written, or is missing
  BadModel,    ///< not ONNX, damaged, or not valid ONNX
  Unsupported, ///< valid, but beyond this compiler
  BadOption,   ///< an option does not fit the model
};

/// Reads the model at \p path (binary protobuf, or ONNX text if its name ends
/// in `.onnxtxt`) into a module: `takt.dim` per dimension name, `takt.weight`
/// per big tensor, and `func.func @main` whose body is `onnx.node`s.
///
/// Opset 7 and up, IR version 3 and up. Local functions are inlined, an
/// initializer that is also a graph input is a constant, and every size and
/// type that ONNX's shape inference finds is in the result types.
///
/// External data is `#takt.source<location, offset, length>` with the location
/// as the model writes it, relative to the model's directory; tensors from the
/// spool file have an absolute path.
///
/// Returns null after an error diagnostic at \p path, and its class in \p
/// error.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(mlir::MLIRContext &context,
                                             llvm::StringRef path,
                                             const ImportOptions &options,
                                             ImportError *error = nullptr);

} // namespace takt

#endif // TAKT_IMPORT_IMPORT_H
