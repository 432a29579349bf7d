//===- WeightFiles.cpp - the bytes of weights that lie in files -----------===//
#include "takt/Bundle/WeightFiles.h"

#include "llvm/Support/Errno.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir;
using namespace takt;

FileResolver takt::resolveBeside(StringRef directory) {
  return [directory = directory.str()](StringRef file) {
    if (llvm::sys::path::is_absolute(file))
      return file.str();
    llvm::SmallString<256> path(directory);
    llvm::sys::path::append(path, file);
    return path.str().str();
  };
}

WeightFiles::~WeightFiles() {
  for (const auto &file : files)
    ::close(file.second.descriptor);
}

llvm::Expected<WeightFiles::File> WeightFiles::open(WeightOp weight,
                                                    const std::string &path) {
  auto found = files.find(path);
  if (found != files.end())
    return found->second;
  auto fail = [&](const Twine &reason) {
    return badInput("weight '" + weight.getSymName() + "': cannot read '" +
                    path + "': " + reason +
                    "; the model's data files must lie beside the model");
  };
  int descriptor = llvm::sys::RetryAfterSignal(-1, ::open, path.c_str(),
                                               O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return fail(std::strerror(errno));
  struct stat status;
  bool isRegular = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  if (!isRegular) {
    ::close(descriptor);
    return fail("not a regular file");
  }
  return files[path] = File{descriptor, int64_t(status.st_size)};
}

/// What the weight's type says of its bytes, which its range must fill.
static llvm::Expected<DType> checkType(WeightOp weight) {
  auto type = cast<RankedTensorType>(weight.getType());
  auto fail = [&](const Twine &text) {
    return badInput("weight '" + weight.getSymName() + "': " + text);
  };
  std::optional<DType> dtype = dtypeOf(type.getElementType());
  std::optional<int64_t> count =
      type.hasStaticShape() ? elementCount(type.getShape()) : std::nullopt;
  if (!dtype || !count || *count > INT64_MAX / byteSize(*dtype)) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return fail("type " + text + " has no size in bytes");
  }
  SourceAttr source = *weight.getSource();
  int64_t expected = *count * byteSize(*dtype);
  if (source.getLength() != expected)
    return fail("the model gives it " + Twine(source.getLength()) +
                " bytes of '" + source.getFile() + "', its type needs " +
                Twine(expected));
  return *dtype;
}

/// That the source ends before the weight does.
static llvm::Error endsTooEarly(WeightOp weight, const std::string &path,
                                const Twine &found) {
  SourceAttr source = *weight.getSource();
  return badInput(
      "weight '" + weight.getSymName() + "': '" + path +
      "' ends too early: bytes " + Twine(source.getOffset()) + " to " +
      Twine(uint64_t(source.getOffset()) + uint64_t(source.getLength())) +
      " are needed, " + found + "; the file is cut short or of another model");
}

/// Fills `buffer` from `offset` on.
static llvm::Error readFully(WeightOp weight, const std::string &path,
                             int descriptor, int64_t offset,
                             llvm::MutableArrayRef<uint8_t> buffer) {
  while (!buffer.empty()) {
    ssize_t count = llvm::sys::RetryAfterSignal(
        -1, ::pread, descriptor, buffer.data(), buffer.size(), offset);
    if (count < 0)
      return systemError("weight '" + weight.getSymName() + "': cannot read '" +
                             path + "'",
                         errno);
    if (count == 0)
      return endsTooEarly(weight, path, "it now ends at " + Twine(offset));
    buffer = buffer.drop_front(count);
    offset += count;
  }
  return llvm::Error::success();
}

llvm::Expected<HostTensor> WeightFiles::read(WeightOp weight) {
  auto type = cast<RankedTensorType>(weight.getType());
  return read(weight, TensorWindow::whole(type.getShape()));
}

llvm::Expected<HostTensor> WeightFiles::read(WeightOp weight,
                                             const TensorWindow &window) {
  SourceAttr source = *weight.getSource();
  std::string path = resolver(source.getFile());
  llvm::Expected<File> file = open(weight, path);
  if (!file)
    return file.takeError();
  int64_t offset = source.getOffset(), length = source.getLength();
  if (offset < 0 || length < 0 || offset > file->bytes ||
      length > file->bytes - offset)
    return endsTooEarly(weight, path, "the file has " + Twine(file->bytes));
  // Only now: a wrong length must not allocate.
  llvm::Expected<DType> dtype = checkType(weight);
  if (!dtype)
    return dtype.takeError();
  HostTensor tensor = HostTensor::zeros(*dtype, window.size);
  int64_t width = byteSize(*dtype), done = 0;
  llvm::Error error =
      forEachRun(cast<RankedTensorType>(weight.getType()).getShape(), window,
                 [&](int64_t first, int64_t count) {
                   llvm::MutableArrayRef<uint8_t> run(tensor.data.data() + done,
                                                      size_t(count * width));
                   done += count * width;
                   return readFully(weight, path, file->descriptor,
                                    offset + first * width, run);
                 });
  if (error)
    return error;
  if (tensor.dtype == DType::Bool)
    for (uint8_t &byte : tensor.data)
      byte = byte != 0;
  return tensor;
}
