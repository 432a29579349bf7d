//===- WeightFiles.h - the bytes of weights that lie in files -------------===//
#ifndef TAKT_BUNDLE_WEIGHTFILES_H
#define TAKT_BUNDLE_WEIGHTFILES_H

#include "takt/Bundle/BundleError.h"
#include "takt/Dialect/Takt/Takt.h"
#include "takt/Support/TensorWindow.h"

#include "llvm/ADT/StringMap.h"

#include <functional>

namespace takt {

/// The path of the file that a `#takt.source` names: relative names are
/// relative to the model's directory.
using FileResolver = std::function<std::string(llvm::StringRef file)>;

/// Joins relative names to `directory`.
FileResolver resolveBeside(llvm::StringRef directory);

/// Reads tensors out of files, each opened once. Not thread-safe.
class WeightFiles {
public:
  explicit WeightFiles(FileResolver resolver) : resolver(std::move(resolver)) {}
  WeightFiles(const WeightFiles &) = delete;
  WeightFiles &operator=(const WeightFiles &) = delete;
  ~WeightFiles();

  /// The value of a weight that has a `source`. Fails, naming weight, file,
  /// bytes expected and found, if the range has another length than the type or
  /// does not lie in the file.
  llvm::Expected<HostTensor> read(WeightOp weight);
  /// The elements in `window`: nothing else is read.
  llvm::Expected<HostTensor> read(WeightOp weight, const TensorWindow &window);

private:
  struct File {
    int descriptor;
    int64_t bytes;
  };
  llvm::Expected<File> open(WeightOp weight, const std::string &path);

  FileResolver resolver;
  llvm::StringMap<File> files;
};

} // namespace takt

#endif
