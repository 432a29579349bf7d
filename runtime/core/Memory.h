/// Memory that is aligned to cache lines and, where large, to huge pages.
#ifndef TAKT_RUNTIME_CORE_MEMORY_H
#define TAKT_RUNTIME_CORE_MEMORY_H

#include "runtime/core/Status.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace takt::runtime {

/// Alignment of every buffer that kernels see, bytes.
constexpr int64_t bufferAlignment = 64;

/// `bytes` rounded up to the alignment. The caller has bounded it by 2^62.
inline int64_t alignUp(int64_t bytes) {
  return (bytes + bufferAlignment - 1) & ~(bufferAlignment - 1);
}

/// An anonymous mapping that only grows; growing discards what it held.
/// Pages are not touched here, so they come to life near the thread that
/// first uses them.
class MemoryBlock {
public:
  MemoryBlock() = default;
  MemoryBlock(MemoryBlock &&other) noexcept;
  MemoryBlock &operator=(MemoryBlock &&other) noexcept;
  ~MemoryBlock();

  /// Makes room for `bytes`; `purpose` is named where there is no memory.
  Status reserve(int64_t bytes, const char *purpose);
  /// Null only if nothing was ever reserved.
  std::byte *data() const { return start; }
  int64_t capacity() const { return size; }

private:
  std::byte *start = nullptr;
  int64_t size = 0;
};

/// Memory for many small things that stay: parts of large blocks, so that they
/// share huge pages.
class MemoryPool {
public:
  /// `bytes`, aligned; `purpose` is named where there is no memory. Lives as
  /// long as the pool.
  Result<std::byte *> allocate(int64_t bytes, const char *purpose);

private:
  std::vector<MemoryBlock> blocks;
  int64_t used = 0; // of the last one
};

/// A file mapped for reading.
class FileMapping {
public:
  FileMapping() = default;
  FileMapping(FileMapping &&other) noexcept;
  FileMapping &operator=(FileMapping &&other) noexcept;
  ~FileMapping();

  /// An error has code `ifUnfit` where `path` is at fault (no such file, not a
  /// regular one), else Environment (no permission, too many open files, …).
  static Result<FileMapping> open(const std::string &path, Code ifUnfit);
  const std::byte *data() const { return start; }
  int64_t size() const { return bytes; }
  /// Lets go of the pages of a range; a later read brings them back.
  void release(const std::byte *from, int64_t count) const;

private:
  const std::byte *start = nullptr;
  int64_t bytes = 0;
};

} // namespace takt::runtime

#endif
