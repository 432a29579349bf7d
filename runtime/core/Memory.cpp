#include "runtime/core/Memory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace takt::runtime {
namespace {
constexpr int64_t pageBytes = 4096;
constexpr int64_t hugePageBytes = 2 << 20;
constexpr int64_t poolBytes = 64 << 20;

/// `bytes` at a multiple of `alignment`, or MAP_FAILED. The system aligns to
/// pages only: map more and give back what lies before and behind.
void *mapAligned(int64_t bytes, int64_t alignment) {
  int64_t slack = alignment > pageBytes ? alignment : 0;
  void *mapped =
      mmap(nullptr, static_cast<size_t>(bytes + slack), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED || slack == 0)
    return mapped;
  auto *first = static_cast<std::byte *>(mapped);
  auto misplaced =
      static_cast<int64_t>(reinterpret_cast<uintptr_t>(mapped)) % alignment;
  int64_t before = misplaced ? alignment - misplaced : 0;
  if (before > 0)
    munmap(first, static_cast<size_t>(before));
  if (slack > before)
    munmap(first + before + bytes, static_cast<size_t>(slack - before));
  return first + before;
}
} // namespace

MemoryBlock::MemoryBlock(MemoryBlock &&other) noexcept
    : start(std::exchange(other.start, nullptr)),
      size(std::exchange(other.size, 0)) {}

MemoryBlock &MemoryBlock::operator=(MemoryBlock &&other) noexcept {
  std::swap(start, other.start);
  std::swap(size, other.size);
  return *this;
}

MemoryBlock::~MemoryBlock() {
  if (start)
    munmap(start, static_cast<size_t>(size));
}

Status MemoryBlock::reserve(int64_t bytes, const char *purpose) {
  if (start && bytes <= size)
    return Status();
  int64_t unit = bytes >= hugePageBytes ? hugePageBytes : pageBytes;
  int64_t rounded = bytes == 0 ? unit : (bytes + unit - 1) / unit * unit;
  void *mapped = mapAligned(rounded, unit);
  if (mapped == MAP_FAILED)
    return environmentError("no memory for ", rounded, " bytes of ", purpose,
                            ": ", std::strerror(errno));
  // Advice only: kernels without huge pages serve plain ones.
  if (unit == hugePageBytes)
    madvise(mapped, static_cast<size_t>(rounded), MADV_HUGEPAGE);
  if (start)
    munmap(start, static_cast<size_t>(size));
  start = static_cast<std::byte *>(mapped);
  size = rounded;
  return Status();
}

Result<std::byte *> MemoryPool::allocate(int64_t bytes, const char *purpose) {
  bytes = alignUp(bytes);
  if (blocks.empty() || bytes > blocks.back().capacity() - used) {
    MemoryBlock block;
    Status status = block.reserve(std::max(bytes, poolBytes), purpose);
    if (!status.ok())
      return status;
    blocks.push_back(std::move(block));
    used = 0;
  }
  std::byte *place = blocks.back().data() + used;
  used += bytes;
  return place;
}

FileMapping::FileMapping(FileMapping &&other) noexcept
    : start(std::exchange(other.start, nullptr)),
      bytes(std::exchange(other.bytes, 0)) {}

FileMapping &FileMapping::operator=(FileMapping &&other) noexcept {
  std::swap(start, other.start);
  std::swap(bytes, other.bytes);
  return *this;
}

FileMapping::~FileMapping() {
  if (bytes)
    munmap(const_cast<std::byte *>(start), static_cast<size_t>(bytes));
}

/// Whether an error of `open` is about the path; else it is the machine's.
static bool isPathAtFault(int error) {
  return error == ENOENT || error == ENOTDIR || error == ELOOP ||
         error == ENAMETOOLONG || error == ENXIO;
}

Result<FileMapping> FileMapping::open(const std::string &path, Code ifUnfit) {
  // Without O_NONBLOCK a pipe would wait for its writer.
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return Status(isPathAtFault(errno) ? ifUnfit : Code::Environment,
                  join("cannot open '", path, "': ", std::strerror(errno)));
  FileMapping mapping;
  struct stat info;
  Status status;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
    status = Status(ifUnfit, join("'", path, "' is not a regular file"));
  } else if (info.st_size > 0) {
    void *mapped = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ,
                        MAP_PRIVATE, file, 0);
    if (mapped == MAP_FAILED) {
      status =
          environmentError("cannot map '", path, "': ", std::strerror(errno));
    } else {
      mapping.start = static_cast<const std::byte *>(mapped);
      mapping.bytes = info.st_size;
    }
  }
  close(file);
  if (!status.ok())
    return status;
  return mapping;
}

void FileMapping::release(const std::byte *from, int64_t count) const {
  auto begin = reinterpret_cast<uintptr_t>(from);
  uintptr_t first = (begin + pageBytes - 1) / pageBytes * pageBytes;
  uintptr_t end =
      (begin + static_cast<uintptr_t>(count)) / pageBytes * pageBytes;
  if (end > first)
    madvise(reinterpret_cast<void *>(first), end - first, MADV_DONTNEED);
}

} // namespace takt::runtime
