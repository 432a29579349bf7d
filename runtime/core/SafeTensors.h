/// Safetensors files: an 8-byte header length, a JSON header, the data.
#ifndef TAKT_RUNTIME_CORE_SAFETENSORS_H
#define TAKT_RUNTIME_CORE_SAFETENSORS_H

#include "runtime/core/Dtype.h"
#include "runtime/core/Memory.h"
#include "runtime/core/Status.h"

#include <map>
#include <string>
#include <vector>

namespace takt::runtime {

struct SafeTensor {
  Dtype dtype = Dtype::F32;
  std::vector<int64_t> shape;
  int64_t offset = 0; // bytes from the start of the file
  int64_t bytes = 0;
};

struct SafeTensorsFile {
  std::map<std::string, SafeTensor> tensors;
  FileMapping file;

  const std::byte *dataOf(const SafeTensor &tensor) const {
    return file.data() + tensor.offset;
  }
};

/// Maps `path` and checks its header: each tensor lies in the file, shares no
/// byte with another, and has as many as its shape and dtype say.
Result<SafeTensorsFile> readSafeTensors(const std::string &path);

} // namespace takt::runtime

#endif
