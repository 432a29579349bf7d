//===- SafeTensors.h - weight files ---------------------------------------===//
#ifndef TAKT_BUNDLE_SAFETENSORS_H
#define TAKT_BUNDLE_SAFETENSORS_H

#include "takt/Bundle/OutputFile.h"
#include "takt/Support/HostTensor.h"

namespace takt {

/// A tensor's data begins at a multiple of so many bytes in the file.
inline constexpr int64_t safeTensorsAlignment = 64;

/// What the header says about one tensor.
struct SafeTensorsEntry {
  std::string name;
  DType dtype;
  llvm::SmallVector<int64_t> shape;

  int64_t bytes() const { return *elementCount(shape) * byteSize(dtype); }
};

/// Writes a safetensors file, one tensor after the other.
///
/// The format: the header's length (8 bytes, little-endian), a JSON header, the
/// data. The format allows no gap in the data, so what aligns the next tensor
/// is a tensor too: `takt.padding.N`, u8, zero.
class SafeTensorsWriter {
public:
  /// Writes the header. `tensors` must be sorted by name, without repetition.
  static llvm::Expected<SafeTensorsWriter>
  create(OutputFile file, std::vector<SafeTensorsEntry> tensors);

  /// More of the current tensor's data, row-major.
  llvm::Error append(llvm::ArrayRef<uint8_t> bytes);
  /// Ends the current tensor; fails unless it has all of its bytes.
  llvm::Error endTensor();
  /// Fails if a tensor is missing.
  llvm::Expected<BundleFile> close();

private:
  SafeTensorsWriter(OutputFile file, std::vector<SafeTensorsEntry> tensors)
      : file(std::move(file)), tensors(std::move(tensors)) {}

  OutputFile file;
  std::vector<SafeTensorsEntry> tensors;
  size_t next = 0;
  int64_t written = 0; // of tensor `next`
};

/// F32, …, BOOL.
llvm::StringRef safeTensorsName(DType dtype);

} // namespace takt

#endif
