//===- ScratchDirectory.h - files that live as long as a compilation ------===//
#ifndef TAKT_LIB_PIPELINE_SCRATCHDIRECTORY_H
#define TAKT_LIB_PIPELINE_SCRATCHDIRECTORY_H

#include "llvm/Support/Error.h"

#include <string>

namespace takt {

/// A directory under the system's temporary one (TMPDIR), removed with the
/// object.
class ScratchDirectory {
public:
  ScratchDirectory() = default;
  ScratchDirectory(const ScratchDirectory &) = delete;
  ScratchDirectory &operator=(const ScratchDirectory &) = delete;
  ~ScratchDirectory();

  /// Fails (class Environment) if there is no place for it.
  llvm::Error create();
  std::string file(llvm::StringRef name) const;

private:
  std::string path;
};

} // namespace takt

#endif
