//===- ExternalData.cpp - tensors in other files --------------------------===//
#include "ExternalData.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <filesystem>

namespace fs = std::filesystem;
using namespace mlir;
namespace takt::import {

static std::string subject(const pb::TensorProto &tensor) {
  return "external tensor \"" + tensor.name() + "\"";
}

/// A decimal number of 0 or more.
static LogicalResult parseCount(ImportState &state,
                                const pb::TensorProto &tensor, StringRef key,
                                StringRef text, int64_t &value) {
  if (text.empty() || !llvm::all_of(text, llvm::isDigit) ||
      text.getAsInteger(10, value))
    return state.badModel(subject(tensor) + " has " + key + " \"" + text +
                          "\", expected a decimal number from 0 to 2^63 - 1");
  return success();
}

/// Reads location, offset and length; \p length stays -1 where it is not given.
static LogicalResult readEntries(ImportState &state,
                                 const pb::TensorProto &tensor,
                                 ExternalRange &range, int64_t &length) {
  llvm::StringMap<StringRef> entries;
  for (const auto &entry : tensor.external_data())
    if (!entries.try_emplace(entry.key(), entry.value()).second)
      return state.badModel(subject(tensor) + " has two entries for " +
                            entry.key() + ", expected one");
  range.location = entries.lookup("location").str();
  if (entries.count("offset") &&
      failed(
          parseCount(state, tensor, "offset", entries["offset"], range.offset)))
    return failure();
  if (entries.count("length") &&
      failed(parseCount(state, tensor, "length", entries["length"], length)))
    return failure();
  return success();
}

/// Looks at the text only: no file is touched.
static LogicalResult checkLocation(ImportState &state,
                                   const pb::TensorProto &tensor,
                                   const std::string &location) {
  fs::path path(location);
  bool climbs = false;
  for (const fs::path &part : path)
    climbs |= part == "..";
  if (location.empty() || location.find('\0') != std::string::npos ||
      path.is_absolute() || climbs || !path.has_filename())
    return state.badModel(subject(tensor) + " has location \"" + location +
                          "\", expected a file in the model's directory, "
                          "relative to it and without \"..\"");
  return success();
}

/// The file must be a regular one that no link leads to.
static LogicalResult checkFile(ImportState &state,
                               const pb::TensorProto &tensor,
                               const fs::path &directory, const fs::path &path,
                               const std::string &location) {
  std::error_code code;
  if (!fs::is_regular_file(path, code))
    return state.fail(ImportError::File, subject(tensor) + " lies in \"" +
                                             location +
                                             "\", which is no regular file");
  if (state.options.allowLinks)
    return success();
  fs::path base = fs::canonical(directory, code);
  fs::path real = code ? fs::path() : fs::canonical(path, code);
  if (code || real != (base / location).lexically_normal())
    return state.badModel(
        subject(tensor) + " lies in \"" + location +
        "\", which a symbolic link leads to; copy the file or "
        "allow links");
  if (fs::hard_link_count(path, code) > 1 || code)
    return state.badModel(subject(tensor) + " lies in \"" + location +
                          "\", which has several hard links; copy the file or "
                          "allow links");
  return success();
}

static LogicalResult checkRange(ImportState &state,
                                const pb::TensorProto &tensor,
                                const ExternalRange &range) {
  std::error_code code;
  uint64_t size = fs::file_size(range.path, code);
  if (code)
    return state.fail(ImportError::File,
                      subject(tensor) + ": the size of \"" + range.location +
                          "\" cannot be read: " + code.message());
  uint64_t end = static_cast<uint64_t>(range.offset) + range.length;
  if (end > size)
    return state.badModel(subject(tensor) + " needs " + Twine(range.length) +
                          " bytes at offset " + Twine(range.offset) + " of \"" +
                          range.location + "\", but the file has " +
                          Twine(size) + " bytes; download or export it again");
  return success();
}

FailureOr<ExternalRange> externalRange(ImportState &state,
                                       const pb::TensorProto &tensor,
                                       int64_t bytes) {
  ExternalRange range;
  int64_t length = -1;
  if (failed(readEntries(state, tensor, range, length)) ||
      failed(checkLocation(state, tensor, range.location)))
    return failure();
  if (length >= 0 && length != bytes)
    return state.badModel(subject(tensor) + " has length " + Twine(length) +
                          ", but its dims and type need " + Twine(bytes) +
                          " bytes");
  range.length = bytes;
  fs::path directory = fs::path(state.path).parent_path();
  if (directory.empty())
    directory = ".";
  fs::path path = directory / range.location;
  range.path = path.string();

  std::error_code code;
  // A dangling link is a link, not a missing file.
  if (fs::symlink_status(path, code).type() == fs::file_type::not_found) {
    if (!state.options.allowMissingWeights)
      return state.fail(ImportError::File,
                        subject(tensor) + " lies in file \"" + range.location +
                            "\", which is not there; put it next to the model");
    range.exists = false;
    return range;
  }
  if (failed(checkFile(state, tensor, directory, path, range.location)) ||
      failed(checkRange(state, tensor, range)))
    return failure();
  return range;
}

FailureOr<std::string> readRange(ImportState &state,
                                 const ExternalRange &range) {
  auto buffer =
      llvm::MemoryBuffer::getFileSlice(range.path, range.length, range.offset);
  if (!buffer)
    return state.fail(ImportError::File,
                      "external file \"" + range.location +
                          "\" cannot be read: " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

} // namespace takt::import
