/// A bundle on disk: its checked manifest and loaded stage libraries.
#ifndef TAKT_RUNTIME_CORE_BUNDLE_H
#define TAKT_RUNTIME_CORE_BUNDLE_H

#include "runtime/abi/Abi.h"
#include "runtime/core/Manifest.h"

#include <memory>

namespace takt::runtime {

class Bundle {
public:
  /// Loads the bundle in `directory`: digests, version, processor, manifest,
  /// stage libraries, each checked in this order of cost.
  static Result<std::unique_ptr<Bundle>> open(const std::string &directory);
  ~Bundle();
  Bundle(const Bundle &) = delete;
  Bundle &operator=(const Bundle &) = delete;

  const Manifest &getManifest() const { return manifest; }
  /// Absolute path of a file of the bundle.
  std::string pathOf(const std::string &file) const {
    return directory + "/" + file;
  }
  TaktStageForwardFn getForward(int32_t stage) const { return forwards[stage]; }

private:
  Bundle() = default;
  Status loadManifest();
  Status checkFiles() const;
  Status loadStages();

  std::string directory;
  Manifest manifest;
  std::vector<void *> handles;
  std::vector<TaktStageForwardFn> forwards;
};

} // namespace takt::runtime

#endif
