//===- OutputFile.cpp - a file of the bundle, digested while written ------===//
#include "takt/Bundle/OutputFile.h"

#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

using namespace takt;

/// Between two calls of the progress function at most so much is written.
static constexpr size_t chunkBytes = 1 << 20;

OutputFile::OutputFile(int descriptor, std::string fullPath, std::string path,
                       WriteProgress progress)
    : descriptor(descriptor), fullPath(std::move(fullPath)),
      progress(std::move(progress)) {
  file.path = std::move(path);
}

OutputFile::OutputFile(OutputFile &&other)
    : descriptor(std::exchange(other.descriptor, -1)),
      fullPath(std::move(other.fullPath)), file(std::move(other.file)),
      progress(std::move(other.progress)), digest(std::move(other.digest)) {}

OutputFile::~OutputFile() {
  if (descriptor >= 0)
    ::close(descriptor);
}

llvm::Expected<OutputFile> OutputFile::create(llvm::StringRef root,
                                              llvm::StringRef path,
                                              WriteProgress progress,
                                              bool isExecutable) {
  llvm::SmallString<256> fullPath(root);
  llvm::sys::path::append(fullPath, path);
  llvm::StringRef parent = llvm::sys::path::parent_path(fullPath);
  // Like the files: what the umask allows, so that others can run the bundle.
  if (std::error_code error = llvm::sys::fs::create_directories(
          parent, /*IgnoreExisting=*/true, llvm::sys::fs::all_all))
    return systemError("cannot create directory '" + parent + "'",
                       error.value());
  int descriptor = llvm::sys::RetryAfterSignal(
      -1, ::open, fullPath.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
      isExecutable ? 0777 : 0666);
  if (descriptor < 0)
    return systemError("cannot create '" + fullPath + "'", errno);
  return OutputFile(descriptor, fullPath.str().str(), path.str(),
                    std::move(progress));
}

/// Smaller runs of zeros are written: holes are made of whole blocks.
static constexpr size_t holeBytes = 1 << 16;

static bool isZero(llvm::ArrayRef<char> bytes) {
  return bytes.front() == 0 &&
         std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

llvm::Error OutputFile::writeChunk(llvm::ArrayRef<char> bytes) {
  const char *next = bytes.begin();
  // Zeros stay a hole, as they are in the files of models without values.
  if (bytes.size() >= holeBytes && isZero(bytes)) {
    if (::lseek(descriptor, off_t(bytes.size()), SEEK_CUR) < 0)
      return systemError("cannot write '" + fullPath + "'", errno);
    next = bytes.end();
  }
  while (next != bytes.end()) {
    ssize_t count = ::write(descriptor, next, bytes.end() - next);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError("cannot write '" + fullPath + "'", errno);
    next += count;
  }
  digest.update(llvm::StringRef(bytes.data(), bytes.size()));
  file.bytes += bytes.size();
  if (progress && !progress(bytes.size()))
    return llvm::make_error<BundleError>(ExitCode::Interrupted,
                                         "interrupted; no bundle was written");
  return llvm::Error::success();
}

llvm::Error OutputFile::write(llvm::ArrayRef<char> bytes) {
  while (!bytes.empty()) {
    size_t count = std::min(bytes.size(), chunkBytes);
    if (llvm::Error error = writeChunk(bytes.take_front(count)))
      return error;
    bytes = bytes.drop_front(count);
  }
  return llvm::Error::success();
}

llvm::Error OutputFile::copyFrom(const std::string &source) {
  int input = llvm::sys::RetryAfterSignal(-1, ::open, source.c_str(),
                                          O_RDONLY | O_CLOEXEC);
  if (input < 0)
    return systemError("cannot open '" + source + "', which the bundle carries",
                       errno);
  std::vector<char> buffer(chunkBytes);
  llvm::Error error = llvm::Error::success();
  while (!error) {
    ssize_t count = llvm::sys::RetryAfterSignal(-1, ::read, input,
                                                buffer.data(), buffer.size());
    if (count == 0)
      break;
    error = count < 0 ? systemError("cannot read '" + source + "'", errno)
                      : write(llvm::ArrayRef<char>(buffer).take_front(count));
  }
  ::close(input);
  return error;
}

llvm::Expected<BundleFile> OutputFile::close() {
  // A hole at the end is only there if the size says so.
  if (::ftruncate(descriptor, off_t(file.bytes)) != 0)
    return systemError("cannot write '" + fullPath + "'", errno);
  // Network file systems report a full disk only here.
  if (::close(std::exchange(descriptor, -1)) != 0)
    return systemError("cannot write '" + fullPath + "'", errno);
  file.sha256 = digest.finish();
  return file;
}
