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

/// The tensor that the weight's type describes, and that its range fills.
static llvm::Expected<HostTensor> allocate(WeightOp weight) {
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
  return HostTensor::zeros(*dtype, type.getShape());
}

llvm::Expected<HostTensor> WeightFiles::read(WeightOp weight) {
  SourceAttr source = *weight.getSource();
  std::string path = resolver(source.getFile());
  llvm::Expected<File> file = open(weight, path);
  if (!file)
    return file.takeError();
  int64_t offset = source.getOffset(), length = source.getLength();
  auto fail = [&](const Twine &found) {
    return badInput("weight '" + weight.getSymName() + "': '" + path +
                    "' ends too early: bytes " + Twine(offset) + " to " +
                    Twine(uint64_t(offset) + uint64_t(length)) +
                    " are needed, " + found +
                    "; the file is cut short or of another model");
  };
  if (offset < 0 || length < 0 || offset > file->bytes ||
      length > file->bytes - offset)
    return fail("the file has " + Twine(file->bytes));
  // Only now: a wrong length must not allocate.
  llvm::Expected<HostTensor> tensor = allocate(weight);
  if (!tensor)
    return tensor.takeError();
  for (int64_t done = 0; done < length;) {
    ssize_t count = llvm::sys::RetryAfterSignal(
        -1, ::pread, file->descriptor, tensor->data.data() + done,
        size_t(length - done), offset + done);
    if (count < 0)
      return systemError("weight '" + weight.getSymName() + "': cannot read '" +
                             path + "'",
                         errno);
    if (count == 0)
      return fail("it now ends at " + Twine(offset + done));
    done += count;
  }
  if (tensor->dtype == DType::Bool)
    for (uint8_t &byte : tensor->data)
      byte = byte != 0;
  return tensor;
}
