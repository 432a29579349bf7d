#include "runtime/core/Dtype.h"

namespace takt::runtime {
namespace {

struct DtypeNames {
  Dtype dtype;
  int64_t bytes;
  const char *manifest;
  const char *message;
  const char *npy;
  const char *safeTensors;
};

constexpr DtypeNames table[] = {
    {Dtype::F32, 4, "f32", "float32", "<f4", "F32"},
    {Dtype::F64, 8, "f64", "float64", "<f8", "F64"},
    {Dtype::F16, 2, "f16", "float16", "<f2", "F16"},
    {Dtype::BF16, 2, "bf16", "bfloat16", "<V2", "BF16"},
    {Dtype::I8, 1, "i8", "int8", "|i1", "I8"},
    {Dtype::I16, 2, "i16", "int16", "<i2", "I16"},
    {Dtype::I32, 4, "i32", "int32", "<i4", "I32"},
    {Dtype::I64, 8, "i64", "int64", "<i8", "I64"},
    {Dtype::U8, 1, "u8", "uint8", "|u1", "U8"},
    {Dtype::U16, 2, "u16", "uint16", "<u2", "U16"},
    {Dtype::U32, 4, "u32", "uint32", "<u4", "U32"},
    {Dtype::U64, 8, "u64", "uint64", "<u8", "U64"},
    {Dtype::Bool, 1, "bool", "bool", "|b1", "BOOL"},
};

const DtypeNames &entryOf(Dtype dtype) {
  return table[static_cast<size_t>(dtype)];
}

std::optional<Dtype> find(const char *const DtypeNames::*column,
                          std::string_view name) {
  for (const DtypeNames &entry : table)
    if (entry.*column == name)
      return entry.dtype;
  return std::nullopt;
}

} // namespace

int64_t sizeOf(Dtype dtype) { return entryOf(dtype).bytes; }
const char *nameOf(Dtype dtype) { return entryOf(dtype).message; }
const char *npyNameOf(Dtype dtype) { return entryOf(dtype).npy; }

std::optional<Dtype> parseManifestDtype(std::string_view name) {
  return find(&DtypeNames::manifest, name);
}

std::optional<Dtype> parseNpyDtype(std::string_view name) {
  if (name.size() != 3)
    return std::nullopt;
  // Byte order does not matter for one byte, and writers differ in the mark.
  std::string canonical(name);
  if (name[2] == '1')
    canonical[0] = '|';
  else if (name[0] == '=')
    canonical[0] = '<';
  else if (name == "|V2")
    canonical[0] = '<';
  return find(&DtypeNames::npy, canonical);
}

std::optional<Dtype> parseSafeTensorsDtype(std::string_view name) {
  return find(&DtypeNames::safeTensors, name);
}

} // namespace takt::runtime
