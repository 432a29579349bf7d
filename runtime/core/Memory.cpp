#include "runtime/core/Memory.h"

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
  void *mapped =
      mmap(nullptr, static_cast<size_t>(rounded), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
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
