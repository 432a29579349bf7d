//===- OutputFile.h - a file of the bundle, digested while written --------===//
#ifndef TAKT_BUNDLE_OUTPUTFILE_H
#define TAKT_BUNDLE_OUTPUTFILE_H

#include "takt/Bundle/BundleError.h"
#include "takt/Bundle/Sha256.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <functional>

namespace takt {

/// What the manifest says about a file. `path` is relative to the bundle,
/// `sha256` lower-case hex.
struct BundleFile {
  std::string path;
  std::string sha256;
  int64_t bytes = 0;
};

/// Called with the number of bytes written since the last call; false stops the
/// work with an error of class Interrupted.
using WriteProgress = std::function<bool(int64_t bytes)>;

/// A new file below the bundle's root. Closed by the destructor if `close` was
/// not called; the owner of the directory removes it.
class OutputFile {
public:
  /// Creates `root/path` and the folders between them. Fails if it exists.
  static llvm::Expected<OutputFile> create(llvm::StringRef root,
                                           llvm::StringRef path,
                                           WriteProgress progress = {},
                                           bool isExecutable = false);
  OutputFile(OutputFile &&other);
  OutputFile &operator=(OutputFile &&) = delete;
  ~OutputFile();

  llvm::Error write(llvm::ArrayRef<char> bytes);
  llvm::Error write(llvm::StringRef text) {
    return write(llvm::ArrayRef<char>(text.data(), text.size()));
  }
  /// Appends the content of `source`, a regular file.
  llvm::Error copyFrom(const std::string &source);
  /// Bytes written so far.
  int64_t size() const { return file.bytes; }
  llvm::Expected<BundleFile> close();

private:
  OutputFile(int descriptor, std::string fullPath, std::string path,
             WriteProgress progress);
  llvm::Error writeChunk(llvm::ArrayRef<char> bytes);

  int descriptor;
  std::string fullPath;
  BundleFile file;
  WriteProgress progress;
  Sha256 digest;
};

} // namespace takt

#endif
