/// NPY files, versions 1 to 3: little-endian, C order.
#ifndef TAKT_RUNTIME_CORE_NPY_H
#define TAKT_RUNTIME_CORE_NPY_H

#include "runtime/core/Dtype.h"
#include "runtime/core/Memory.h"
#include "runtime/core/Status.h"

#include <string>
#include <vector>

namespace takt::runtime {

/// A mapped NPY file; `data` holds dense elements in C order.
struct NpyArray {
  Dtype dtype = Dtype::F32;
  std::vector<int64_t> shape;
  int64_t bytes = 0;
  const std::byte *data = nullptr;
  FileMapping file;
};

/// Header of an NPY file, without its data.
struct NpyHeader {
  Dtype dtype = Dtype::F32;
  std::vector<int64_t> shape;
  int64_t dataOffset = 0; // bytes from the start of the file
  int64_t dataBytes = 0;
};

/// Parses the first `bytes` bytes of a file; the data need not be among them.
Result<NpyHeader> parseNpyHeader(const std::byte *data, int64_t bytes);

/// Opens a file and checks that it holds exactly the data that its header
/// describes. Errors name the file.
Result<NpyArray> readNpy(const std::string &path);

/// A version 1 header, padded so that data starts at a multiple of 64 bytes.
std::string makeNpyHeader(Dtype dtype, const std::vector<int64_t> &shape);

} // namespace takt::runtime

#endif
