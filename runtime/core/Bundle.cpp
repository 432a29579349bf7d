#include "runtime/core/Bundle.h"
#include "runtime/core/CpuFeatures.h"
#include "runtime/core/Digest.h"
#include "runtime/core/Memory.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace takt::runtime {
namespace {

Result<FileMapping> openPart(const std::string &path) {
  Result<FileMapping> file = FileMapping::open(path, Code::Bundle);
  if (!file.ok() && file.status().getCode() == Code::Bundle)
    return bundleError("the bundle is damaged: ", file.status().getText());
  return file;
}

} // namespace

Result<std::unique_ptr<Bundle>> Bundle::open(const std::string &directory) {
  std::unique_ptr<Bundle> bundle(new Bundle);
  // dlopen searches the system's directories for a path without a slash.
  char real[PATH_MAX];
  if (!realpath(directory.c_str(), real))
    return Status(errno == EACCES ? Code::Environment : Code::Bundle,
                  join("cannot open the bundle '", directory,
                       "': ", std::strerror(errno)));
  bundle->directory = real;
  Status status = bundle->loadManifest();
  if (status.ok())
    status = checkCpuFeatures(bundle->manifest.targetFeatures,
                              bundle->manifest.targetCpu);
  if (status.ok())
    status = bundle->checkFiles();
  if (status.ok())
    status = bundle->loadStages();
  if (!status.ok())
    return status;
  return bundle;
}

Bundle::~Bundle() {
  for (void *handle : handles)
    dlclose(handle);
}

Status Bundle::loadManifest() {
  Result<FileMapping> text = openPart(pathOf("manifest.json"));
  if (!text.ok())
    return text.status();
  Result<FileMapping> digest = openPart(pathOf("manifest.json.sha256"));
  if (!digest.ok())
    return digest.status();
  std::string expected(reinterpret_cast<const char *>(digest->data()),
                       static_cast<size_t>(digest->size()));
  while (!expected.empty() &&
         std::isspace(static_cast<unsigned char>(expected.back())))
    expected.pop_back();
  std::string actual = sha256(text->data(), static_cast<size_t>(text->size()));
  if (actual != expected)
    return bundleError("the bundle is damaged: manifest.json has digest ",
                       actual, ", manifest.json.sha256 says ",
                       expected.substr(0, 64));
  Result<Manifest> parsed =
      parseManifest(std::string(reinterpret_cast<const char *>(text->data()),
                                static_cast<size_t>(text->size())));
  if (!parsed.ok())
    return parsed.status();
  manifest = std::move(*parsed);
  return Status();
}

Status Bundle::checkFiles() const {
  for (const FileSpec &file : manifest.files) {
    Result<FileMapping> mapping = openPart(pathOf(file.path));
    if (!mapping.ok())
      return mapping.status();
    if (mapping->size() != file.bytes)
      return bundleError("the bundle is damaged: '", file.path, "' has ",
                         mapping->size(), " bytes, ", file.bytes, " expected");
    std::string digest =
        sha256(mapping->data(), static_cast<size_t>(mapping->size()));
    if (digest != file.sha256)
      return bundleError("the bundle is damaged: '", file.path, "' has digest ",
                         digest, ", ", file.sha256, " expected");
  }
  return Status();
}

Status Bundle::loadStages() {
  for (const StageSpec &stage : manifest.stages) {
    void *handle = dlopen(pathOf(stage.library).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      return bundleError("cannot load stage '", stage.name, "': ", dlerror());
    handles.push_back(handle);
    auto version = reinterpret_cast<TaktStageVersionFn>(
        dlsym(handle, TAKT_STAGE_VERSION_SYMBOL));
    auto forward = reinterpret_cast<TaktStageForwardFn>(
        dlsym(handle, stage.entry.c_str()));
    if (!version || !forward)
      return bundleError("stage library '", stage.library, "' lacks ",
                         version ? stage.entry : TAKT_STAGE_VERSION_SYMBOL);
    if (version() != TAKT_ABI_VERSION)
      return bundleError("stage library '", stage.library, "' has ABI version ",
                         version(), ", ", TAKT_ABI_VERSION, " expected");
    forwards.push_back(forward);
  }
  return Status();
}

} // namespace takt::runtime
