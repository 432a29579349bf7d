//===- ScratchDirectory.cpp - files that live as long as a compilation ----===//
#include "ScratchDirectory.h"

#include "takt/Bundle/BundleError.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace takt;

ScratchDirectory::~ScratchDirectory() {
  if (!path.empty())
    llvm::sys::fs::remove_directories(path);
}

llvm::Error ScratchDirectory::create() {
  llvm::SmallString<128> unique;
  if (auto error = llvm::sys::fs::createUniqueDirectory("takt", unique))
    return environmentError("cannot make a temporary directory: " +
                            error.message() + "; TMPDIR names the place");
  path = std::string(unique);
  return llvm::Error::success();
}

std::string ScratchDirectory::file(llvm::StringRef name) const {
  llvm::SmallString<128> result(path);
  llvm::sys::path::append(result, name);
  return std::string(result);
}
