//===- SafeTensors.cpp - weight files -------------------------------------===//
#include "takt/Bundle/SafeTensors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace takt;

llvm::StringRef takt::safeTensorsName(DType dtype) {
  switch (dtype) {
  case DType::F32:
    return "F32";
  case DType::F64:
    return "F64";
  case DType::F16:
    return "F16";
  case DType::BF16:
    return "BF16";
  case DType::I8:
    return "I8";
  case DType::I16:
    return "I16";
  case DType::I32:
    return "I32";
  case DType::I64:
    return "I64";
  case DType::U8:
    return "U8";
  case DType::U16:
    return "U16";
  case DType::U32:
    return "U32";
  case DType::U64:
    return "U64";
  case DType::Bool:
    return "BOOL";
  }
  llvm_unreachable("all dtypes are covered");
}

static constexpr llvm::StringLiteral paddingPrefix = "takt.padding.";

static int64_t paddingAfter(int64_t bytes) {
  return llvm::alignTo(bytes, safeTensorsAlignment) - bytes;
}

static void printEntry(llvm::json::OStream &json, llvm::StringRef name,
                       llvm::StringRef dtype, llvm::ArrayRef<int64_t> shape,
                       int64_t begin, int64_t end) {
  json.attributeObject(name, [&] {
    json.attribute("dtype", dtype);
    json.attributeArray("shape", [&] {
      for (int64_t size : shape)
        json.value(size);
    });
    json.attributeArray("data_offsets", [&] {
      json.value(begin);
      json.value(end);
    });
  });
}

/// The JSON text, padded with spaces so that the data is aligned.
static std::string headerText(llvm::ArrayRef<SafeTensorsEntry> tensors) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] {
    int64_t offset = 0;
    for (auto [i, tensor] : llvm::enumerate(tensors)) {
      int64_t end = offset + tensor.bytes();
      printEntry(json, tensor.name, safeTensorsName(tensor.dtype), tensor.shape,
                 offset, end);
      offset = end;
      int64_t padding = paddingAfter(end);
      if (padding == 0 || i + 1 == tensors.size())
        continue;
      printEntry(json, (paddingPrefix + llvm::Twine(i)).str(), "U8", {padding},
                 end, end + padding);
      offset += padding;
    }
  });
  os.flush();
  text.append(paddingAfter(sizeof(uint64_t) + text.size()), ' ');
  return text;
}

static llvm::Error checkName(llvm::StringRef name) {
  if (!llvm::json::isUTF8(name))
    return badInput("the name of weight '" + llvm::json::fixUTF8(name) +
                    "' is not UTF-8; rename it in the model");
  if (name == "__metadata__" || name.starts_with(paddingPrefix))
    return badInput("weight '" + name +
                    "' has a name that weight files "
                    "reserve; rename it in the model");
  return llvm::Error::success();
}

llvm::Expected<SafeTensorsWriter>
SafeTensorsWriter::create(OutputFile file,
                          std::vector<SafeTensorsEntry> tensors) {
  assert(
      llvm::is_sorted(tensors, [](const auto &a,
                                  const auto &b) { return a.name < b.name; }) &&
      "tensors must be sorted by name");
  for (const SafeTensorsEntry &tensor : tensors)
    if (llvm::Error error = checkName(tensor.name))
      return error;
  std::string header = headerText(tensors);
  char length[sizeof(uint64_t)];
  llvm::support::endian::write64le(length, header.size());
  if (llvm::Error error = file.write(llvm::StringRef(length, sizeof(length))))
    return error;
  if (llvm::Error error = file.write(header))
    return error;
  return SafeTensorsWriter(std::move(file), std::move(tensors));
}

llvm::Error SafeTensorsWriter::append(llvm::ArrayRef<uint8_t> bytes) {
  const char *data = reinterpret_cast<const char *>(bytes.data());
  written += bytes.size();
  return file.write(llvm::ArrayRef(data, bytes.size()));
}

llvm::Error SafeTensorsWriter::endTensor() {
  bool isExpected = next < tensors.size();
  int64_t expected = isExpected ? tensors[next].bytes() : 0;
  if (!isExpected || written != expected)
    return badInput("weight '" + (isExpected ? tensors[next].name : "?") +
                    "' has " + llvm::Twine(written) + " bytes, its type " +
                    llvm::Twine(expected));
  written = 0;
  if (++next == tensors.size())
    return llvm::Error::success();
  static constexpr char zeros[safeTensorsAlignment] = {};
  return file.write(llvm::ArrayRef(zeros).take_front(paddingAfter(expected)));
}

llvm::Expected<BundleFile> SafeTensorsWriter::close() {
  if (next != tensors.size())
    return badInput("weight '" + tensors[next].name + "' was not written");
  return file.close();
}
