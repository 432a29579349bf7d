/// Element types of tensors, with their names in manifests (`f32`), messages
/// (`float32`), NPY headers (`<f4`) and safetensors files (`F32`).
#ifndef TAKT_RUNTIME_CORE_DTYPE_H
#define TAKT_RUNTIME_CORE_DTYPE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace takt::runtime {

enum class Dtype {
  F32,
  F64,
  F16,
  BF16,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  Bool,
};

/// Bytes of one element.
int64_t sizeOf(Dtype dtype);
/// `float32`, as messages print it.
const char *nameOf(Dtype dtype);
/// `<f4`; bfloat16 has no NPY type of its own and is stored as `<V2`.
const char *npyNameOf(Dtype dtype);

std::optional<Dtype> parseManifestDtype(std::string_view name);
std::optional<Dtype> parseNpyDtype(std::string_view name);
std::optional<Dtype> parseSafeTensorsDtype(std::string_view name);

} // namespace takt::runtime

#endif
