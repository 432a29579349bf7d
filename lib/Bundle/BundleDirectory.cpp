//===- BundleDirectory.cpp - a directory that appears whole or not at all -===//
#include "takt/Bundle/BundleDirectory.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace takt;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// Fails if something other than a bundle lies at `output`.
static llvm::Error checkReplaceable(const std::string &output) {
  struct stat status;
  if (::lstat(output.c_str(), &status) != 0) {
    if (errno == ENOENT)
      return llvm::Error::success();
    return systemError("cannot look at output path '" + output + "'", errno);
  }
  llvm::SmallString<256> manifest(output);
  path::append(manifest, "manifest.json");
  if (S_ISDIR(status.st_mode) && fs::exists(manifest))
    return llvm::Error::success();
  return badInput("output path '" + output +
                  "' exists and is not a bundle (a directory with a "
                  "manifest.json); remove it or choose another path");
}

/// Creates `.NAME.tmp-XXXX` beside `output`, with the umask's permissions.
static llvm::Expected<std::string> createSibling(llvm::StringRef output) {
  llvm::StringRef parent = path::parent_path(output);
  llvm::SmallString<256> model(parent);
  path::append(model, "." + path::filename(output) + ".tmp-%%%%%%%%");
  for (int attempt = 0; attempt < 16; ++attempt) {
    llvm::SmallString<256> candidate;
    fs::createUniquePath(model, candidate, /*MakeAbsolute=*/false);
    if (::mkdir(candidate.c_str(), 0777) == 0)
      return candidate.str().str();
    if (errno != EEXIST)
      return systemError("cannot create a directory in '" +
                             (parent.empty() ? "." : parent) + "'",
                         errno);
  }
  return environmentError("cannot find a free name beside '" + output + "'");
}

llvm::Expected<BundleDirectory>
BundleDirectory::create(llvm::StringRef outputPath) {
  std::string output = outputPath.rtrim('/').str();
  if (output.empty() || path::filename(output) == "." ||
      path::filename(output) == "..")
    return badInput("output path '" + outputPath +
                    "' does not name a new directory; give the bundle a name");
  if (llvm::Error error = checkReplaceable(output))
    return error;
  llvm::StringRef parent = path::parent_path(output);
  if (!parent.empty() && !fs::is_directory(parent))
    return badInput("directory '" + parent + "' of output path '" + output +
                    "' does not exist; create it or choose another path");
  llvm::Expected<std::string> temporary = createSibling(output);
  if (!temporary)
    return temporary.takeError();
  return BundleDirectory(std::move(output), std::move(*temporary));
}

BundleDirectory::BundleDirectory(BundleDirectory &&other)
    : output(std::move(other.output)),
      temporary(std::exchange(other.temporary, {})) {}

BundleDirectory::~BundleDirectory() {
  // What cannot be removed stays under its temporary name: a destructor has no
  // one to tell.
  if (!temporary.empty())
    fs::remove_directories(temporary, /*IgnoreErrors=*/true);
}

llvm::Error BundleDirectory::commit() {
  // Someone may have put something there since `create`.
  if (llvm::Error error = checkReplaceable(output))
    return error;
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, output.c_str(),
                  RENAME_EXCHANGE) == 0)
    return llvm::Error::success(); // the destructor removes the old bundle
  if (errno == EINVAL || errno == ENOSYS)
    fs::remove_directories(output);
  if (::rename(temporary.c_str(), output.c_str()) != 0)
    return systemError("cannot rename '" + temporary + "' to '" + output + "'",
                       errno);
  temporary.clear();
  return llvm::Error::success();
}
