//===- TextOutput.cpp - what the driver prints, to a file or stdout -------===//
#include "TextOutput.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace takt;

CompileStatus
takt::writeText(llvm::StringRef path,
                llvm::function_ref<void(llvm::raw_ostream &)> print) {
  bool isStandardOutput = path.empty() || path == "-";
  std::string message;
  auto file = mlir::openOutputFile(isStandardOutput ? "-" : path, &message);
  if (!file) {
    llvm::errs() << "error: " << message << "\n";
    return CompileStatus::Environment;
  }
  print(file->os());
  file->os().flush();
  if (file->os().has_error()) {
    llvm::errs() << "error: cannot write "
                 << (isStandardOutput ? "standard output"
                                      : ("'" + path + "'").str())
                 << ": " << file->os().error().message() << "\n";
    file->os().clear_error();
    return CompileStatus::Environment;
  }
  file->keep();
  return CompileStatus::Ok;
}
