//===- BundleError.cpp - errors with an exit code -------------------------===//
#include "takt/Bundle/BundleError.h"

#include <cerrno>
#include <cstring>

using namespace takt;

char BundleError::ID = 0;

llvm::Error takt::badInput(const llvm::Twine &text) {
  return llvm::make_error<BundleError>(ExitCode::BadInput, text.str());
}

llvm::Error takt::environmentError(const llvm::Twine &text) {
  return llvm::make_error<BundleError>(ExitCode::Environment, text.str());
}

static const char *remedyFor(int errorNumber) {
  switch (errorNumber) {
  case ENOSPC:
  case EDQUOT:
    return "; free space or choose another output path";
  case EACCES:
  case EPERM:
  case EROFS:
    return "; change the permissions or choose another path";
  case EMFILE:
  case ENFILE:
    return "; raise the limit of open files (ulimit -n)";
  default:
    return "";
  }
}

llvm::Error takt::systemError(const llvm::Twine &text, int errorNumber) {
  return environmentError(text + ": " + std::strerror(errorNumber) +
                          remedyFor(errorNumber));
}

std::pair<ExitCode, std::string> takt::describeError(llvm::Error error) {
  std::pair<ExitCode, std::string> result{ExitCode::BadInput, ""};
  llvm::handleAllErrors(
      std::move(error),
      [&](const BundleError &bundleError) {
        result = {bundleError.exitCode(), bundleError.message()};
      },
      [&](const llvm::ErrorInfoBase &other) {
        result.second = other.message();
      });
  return result;
}
