//===- BundleError.h - errors with an exit code ---------------------------===//
#ifndef TAKT_BUNDLE_BUNDLEERROR_H
#define TAKT_BUNDLE_BUNDLEERROR_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <string>

namespace takt {

/// What the driver exits with. Success and the classes that other parts use are
/// not listed.
enum class ExitCode : int {
  /// The model, its weight files or the output path are wrong.
  BadInput = 4,
  /// The machine refuses: disk full, no permission, a library is missing.
  Environment = 6,
  /// The caller asked to stop (see BundleInput::progress).
  Interrupted = 130,
};

/// A text for the user and the exit code of its class.
class BundleError : public llvm::ErrorInfo<BundleError> {
public:
  static char ID;

  BundleError(ExitCode code, std::string text)
      : code(code), text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
  ExitCode exitCode() const { return code; }

private:
  ExitCode code;
  std::string text;
};

llvm::Error badInput(const llvm::Twine &text);
llvm::Error environmentError(const llvm::Twine &text);
/// `text: strerror(errorNumber)`, with the remedy where one is known. EROFS,
/// EACCES, ENOSPC and the like are the environment's fault.
llvm::Error systemError(const llvm::Twine &text, int errorNumber);

/// The class of `error`, BadInput for errors of other types, and its text.
/// Consumes the error.
std::pair<ExitCode, std::string> describeError(llvm::Error error);

} // namespace takt

#endif
