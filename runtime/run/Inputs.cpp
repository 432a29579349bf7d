#include "runtime/run/Inputs.h"
#include "runtime/run/OutputWriter.h"

#include <algorithm>
#include <filesystem>

namespace takt::runtime {
namespace {

std::string listInputs(const Manifest &manifest) {
  std::string names;
  for (const PortSpec &port : manifest.inputs)
    names += (names.empty() ? "'" : ", '") + port.name + "'";
  return names;
}

Status missing(const Manifest &manifest, const PortSpec &port) {
  return inputError("input '", port.name, "' is missing (",
                    manifest.describe(port), ")");
}

Status cannotList(const std::string &directory, std::error_code code) {
  return Status(code == std::errc::permission_denied ? Code::Environment
                                                     : Code::Input,
                join("cannot list '", directory, "': ", code.message()));
}

} // namespace

Result<InputArrays> openInputs(const Manifest &manifest,
                               const NamedFiles &files) {
  InputArrays arrays(manifest.inputs.size());
  std::vector<const std::string *> given(manifest.inputs.size(), nullptr);
  for (const auto &[name, file] : files) {
    auto port = std::find_if(
        manifest.inputs.begin(), manifest.inputs.end(),
        [&name = name](const PortSpec &port) { return port.name == name; });
    if (port == manifest.inputs.end())
      return inputError("there is no input '", name, "'; the model has ",
                        listInputs(manifest));
    const std::string *&slot = given[port - manifest.inputs.begin()];
    if (slot)
      return inputError("input '", name, "' is given twice");
    slot = &file;
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i])
      return missing(manifest, manifest.inputs[i]);
    Result<NpyArray> array = readNpy(*given[i]);
    if (!array.ok())
      return Status(array.status().getCode(),
                    join("input '", manifest.inputs[i].name,
                         "': ", array.status().getText()));
    arrays[i] = std::move(*array);
  }
  return arrays;
}

/// A file for no input is a misspelt name rather than something to pass over.
static Status checkFileNames(const Manifest &manifest,
                             const std::string &directory) {
  std::error_code code;
  std::filesystem::directory_iterator entries(directory, code), end;
  for (; !code && entries != end; entries.increment(code)) {
    std::string file = entries->path().filename().string();
    bool isInput = std::any_of(
        manifest.inputs.begin(), manifest.inputs.end(),
        [&](const PortSpec &p) { return fileNameOf(p.name) + ".npy" == file; });
    if (!isInput && entries->path().extension() == ".npy")
      return inputError("request '", directory, "': there is no input for '",
                        file, "'; the model has ", listInputs(manifest));
  }
  return code ? cannotList(directory, code) : Status();
}

Result<InputArrays> openRequestDirectory(const Manifest &manifest,
                                         const std::string &directory) {
  InputArrays arrays;
  TAKT_RETURN_IF_ERROR(checkFileNames(manifest, directory));
  for (const PortSpec &port : manifest.inputs) {
    std::string path = directory + "/" + fileNameOf(port.name) + ".npy";
    std::error_code code;
    if (!std::filesystem::exists(path, code) && !code)
      return inputError("request '", directory,
                        "': ", missing(manifest, port).getText());
    Result<NpyArray> array = readNpy(path);
    if (!array.ok())
      return array.status();
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

Result<std::vector<std::string>> listRequests(const std::string &directory) {
  std::vector<std::string> names;
  std::error_code code;
  std::filesystem::directory_iterator entries(directory, code), end;
  for (; !code && entries != end; entries.increment(code)) {
    std::error_code unknown;
    if (entries->is_directory(unknown))
      names.push_back(entries->path().filename().string());
    // Passed over, a link to a request that is gone would be a lost result.
    if (unknown)
      return cannotList(entries->path().string(), unknown);
  }
  if (code)
    return cannotList(directory, code);
  if (names.empty())
    return inputError("'", directory, "' holds no request (a directory with ",
                      "one NPY file for each input)");
  std::sort(names.begin(), names.end());
  return names;
}

Status setInputs(const InputArrays &arrays, Request &request) {
  for (size_t i = 0; i < arrays.size(); ++i)
    TAKT_RETURN_IF_ERROR(
        request.setInput(i, arrays[i].data, arrays[i].dtype, arrays[i].shape));
  return request.prepare();
}

Result<int64_t> countStacked(const Manifest &manifest,
                             const InputArrays &arrays) {
  int64_t count = -1;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const std::vector<int64_t> &shape = arrays[i].shape;
    const PortSpec &port = manifest.inputs[i];
    if (shape.size() != port.shape.size() + 1)
      return inputError("input '", port.name, "' has ", shape.size(), " axes ",
                        describeShape(shape), "; stacked ",
                        manifest.describe(port), " expected, with one axis ",
                        "more in front");
    if (count >= 0 && count != shape[0])
      return inputError("input '", port.name, "' stacks ", shape[0],
                        " requests, input '", manifest.inputs[0].name, "' ",
                        count);
    count = shape[0];
  }
  if (count < 1)
    return inputError("the inputs stack no request");
  return count;
}

Status setStackedInputs(const InputArrays &arrays, int64_t index,
                        Request &request) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    const NpyArray &array = arrays[i];
    int64_t bytes = array.bytes / array.shape[0];
    std::vector<int64_t> shape(array.shape.begin() + 1, array.shape.end());
    TAKT_RETURN_IF_ERROR(
        request.setInput(i, array.data + index * bytes, array.dtype, shape));
  }
  return request.prepare();
}

} // namespace takt::runtime
