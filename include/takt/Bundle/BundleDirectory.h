//===- BundleDirectory.h - a directory that appears whole or not at all ---===//
#ifndef TAKT_BUNDLE_BUNDLEDIRECTORY_H
#define TAKT_BUNDLE_BUNDLEDIRECTORY_H

#include "takt/Bundle/BundleError.h"

namespace takt {

/// A temporary sibling of the output path that `commit` gives its final name.
/// The destructor removes it if that did not happen.
class BundleDirectory {
public:
  /// Fails before any work if `outputPath` exists and is not a bundle (a
  /// directory with a manifest.json), or if its parent cannot be written.
  static llvm::Expected<BundleDirectory> create(llvm::StringRef outputPath);
  BundleDirectory(BundleDirectory &&other);
  BundleDirectory &operator=(BundleDirectory &&) = delete;
  ~BundleDirectory();

  /// The temporary directory.
  llvm::StringRef path() const { return temporary; }
  /// Renames it to the output path; an old bundle there is replaced in one step
  /// where the file system can exchange names, and removed.
  llvm::Error commit();

private:
  BundleDirectory(std::string output, std::string temporary)
      : output(std::move(output)), temporary(std::move(temporary)) {}

  std::string output;
  std::string temporary;
};

} // namespace takt

#endif
