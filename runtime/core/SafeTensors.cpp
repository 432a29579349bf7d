#include "runtime/core/SafeTensors.h"
#include "runtime/core/SizeExpression.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

namespace takt::runtime {
namespace {

using nlohmann::json;

bool isSizeList(const json &value) {
  if (!value.is_array() || value.size() > 64)
    return false;
  for (const json &element : value)
    if (!element.is_number_unsigned() ||
        element.get<uint64_t>() > (uint64_t(1) << 62))
      return false;
  return true;
}

/// `dataBytes`: size of the file's data section, which starts at `dataStart`.
Status readTensor(const json &entry, int64_t dataStart, int64_t dataBytes,
                  SafeTensor &tensor) {
  if (!entry.is_object() || !entry.contains("dtype") ||
      !entry["dtype"].is_string() || !entry.contains("shape") ||
      !isSizeList(entry["shape"]) || !entry.contains("data_offsets") ||
      !isSizeList(entry["data_offsets"]) || entry["data_offsets"].size() != 2)
    return bundleError("dtype, shape or data_offsets is malformed");
  std::string name = entry["dtype"].get<std::string>();
  std::optional<Dtype> dtype = parseSafeTensorsDtype(name);
  if (!dtype)
    return bundleError("unknown dtype '", name, "'");
  tensor.dtype = *dtype;
  tensor.shape = entry["shape"].get<std::vector<int64_t>>();
  int64_t begin = entry["data_offsets"][0].get<int64_t>();
  int64_t end = entry["data_offsets"][1].get<int64_t>();
  if (begin > end || end > dataBytes)
    return bundleError("bytes ", begin, " to ", end, " of ", dataBytes);
  Result<int64_t> expected = checkedBytes(tensor.shape, sizeOf(tensor.dtype));
  if (!expected.ok() || *expected != end - begin)
    return bundleError(end - begin, " bytes do not agree with its shape");
  tensor.offset = dataStart + begin;
  tensor.bytes = end - begin;
  return Status();
}

/// Each byte is one tensor's.
Status checkOverlaps(const SafeTensorsFile &file) {
  std::vector<std::pair<const SafeTensor *, const std::string *>> sorted;
  for (const auto &[name, tensor] : file.tensors)
    if (tensor.bytes > 0)
      sorted.push_back({&tensor, &name});
  std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
    return a.first->offset < b.first->offset;
  });
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].first->offset <
        sorted[i - 1].first->offset + sorted[i - 1].first->bytes)
      return bundleError("tensors '", *sorted[i - 1].second, "' and '",
                         *sorted[i].second, "' share bytes");
  return Status();
}

} // namespace

Result<SafeTensorsFile> readSafeTensors(const std::string &path) {
  SafeTensorsFile result;
  Result<FileMapping> mapping = FileMapping::open(path, Code::Bundle);
  if (!mapping.ok())
    return mapping.status();
  result.file = std::move(*mapping);
  int64_t bytes = result.file.size();
  uint64_t headerBytes = 0;
  if (bytes >= 8)
    std::memcpy(&headerBytes, result.file.data(), 8);
  if (bytes < 8 || headerBytes > static_cast<uint64_t>(bytes - 8))
    return bundleError("weight file '", path, "' is cut short: ", bytes,
                       " bytes, header of ", headerBytes, " bytes");
  const char *text = reinterpret_cast<const char *>(result.file.data()) + 8;
  json header = json::parse(text, text + headerBytes, nullptr, false);
  if (!header.is_object())
    return bundleError("weight file '", path, "' has a malformed header");
  int64_t dataStart = 8 + static_cast<int64_t>(headerBytes);
  for (const auto &[name, entry] : header.items()) {
    if (name == "__metadata__")
      continue;
    Status status =
        readTensor(entry, dataStart, bytes - dataStart, result.tensors[name]);
    if (!status.ok())
      return bundleError("weight file '", path, "', tensor '", name,
                         "': ", status.getText());
  }
  if (Status status = checkOverlaps(result); !status.ok())
    return bundleError("weight file '", path, "': ", status.getText());
  return result;
}

} // namespace takt::runtime
