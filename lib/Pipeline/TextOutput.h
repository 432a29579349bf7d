//===- TextOutput.h - what the driver prints, to a file or stdout ---------===//
#ifndef TAKT_LIB_PIPELINE_TEXTOUTPUT_H
#define TAKT_LIB_PIPELINE_TEXTOUTPUT_H

#include "takt/Pipeline/Compile.h"

#include "mlir/Support/LLVM.h"

namespace takt {

/// Writes what `print` prints to a file, or to standard output where `path` is
/// empty or "-". A failure is reported and leaves no file.
CompileStatus writeText(llvm::StringRef path,
                        llvm::function_ref<void(llvm::raw_ostream &)> print);

} // namespace takt

#endif
