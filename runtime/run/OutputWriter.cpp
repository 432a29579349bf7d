#include "runtime/run/OutputWriter.h"
#include "runtime/core/Npy.h"
#include "runtime/run/Signals.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <unistd.h>

namespace takt::runtime {
namespace {

Status writeAll(int file, const void *data, int64_t bytes) {
  auto *from = static_cast<const char *>(data);
  while (bytes > 0) {
    // The kernel takes at most 2 GiB at once.
    ssize_t count = write(
        file, from, static_cast<size_t>(std::min<int64_t>(bytes, 1 << 30)));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return environmentError(std::strerror(count < 0 ? errno : EIO));
    from += count;
    bytes -= count;
  }
  return Status();
}

Status writeFile(const std::string &path, const OutputTensor &tensor) {
  int file = openTemporary(path);
  if (file < 0)
    return environmentError(std::strerror(errno));
  std::string header = makeNpyHeader(tensor.dtype, tensor.shape);
  Status status =
      writeAll(file, header.data(), static_cast<int64_t>(header.size()));
  if (status.ok())
    status = writeAll(file, tensor.data, tensor.bytes);
  // Some file systems report a full disk only here.
  if (close(file) != 0 && status.ok())
    status = environmentError(std::strerror(errno));
  return status;
}

} // namespace

Status checkFileNames(const std::vector<std::string> &names) {
  std::map<std::string, std::string> owners;
  for (const std::string &name : names) {
    auto [position, inserted] = owners.insert({fileNameOf(name), name});
    if (!inserted)
      return bundleError("tensors '", position->second, "' and '", name,
                         "' would share the file '", position->first,
                         ".npy'; rename one in the model");
  }
  return Status();
}

Status makeDirectory(const std::string &directory) {
  std::error_code code;
  std::filesystem::create_directories(directory, code);
  if (code || !std::filesystem::is_directory(directory, code))
    return environmentError("cannot make directory '", directory, "': ",
                            code ? code.message() : "a file is in the way");
  return Status();
}

Status writeOutputs(const std::string &directory,
                    const std::vector<OutputTensor> &tensors) {
  TAKT_RETURN_IF_ERROR(makeDirectory(directory));
  std::vector<std::pair<std::string, std::string>> renames;
  Status status;
  std::string path;
  for (const OutputTensor &tensor : tensors) {
    std::string file = fileNameOf(tensor.name) + ".npy";
    path = directory + "/" + file;
    std::string temporary = join(directory, "/.", file, ".", getpid(), ".tmp");
    status = writeFile(temporary, tensor);
    if (!status.ok())
      break;
    renames.emplace_back(temporary, path);
  }
  if (status.ok()) {
    size_t done = renameTemporaries(renames);
    if (done == renames.size())
      return Status();
    status = environmentError(std::strerror(errno));
    path = renames[done].second;
  }
  removeTemporaries();
  return environmentError("cannot write '", path, "': ", status.getText());
}

} // namespace takt::runtime
