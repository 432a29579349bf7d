//===- HostTensor.h - a dense tensor in host memory -----------------------===//
#ifndef TAKT_SUPPORT_HOSTTENSOR_H
#define TAKT_SUPPORT_HOSTTENSOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace takt {

/// Element types. Bool is one byte, 0 or 1.
enum class DType {
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
  Bool
};

/// The name in takt.proto: f32, ..., bool.
llvm::StringRef dtypeName(DType dtype);
/// nullopt for an unknown name.
std::optional<DType> parseDType(llvm::StringRef name);
int64_t byteSize(DType dtype);
bool isFloat(DType dtype);
/// U8 to U64 and Bool.
bool isUnsigned(DType dtype);

/// Bits of an f16 or bf16 value, rounded once to nearest even, and back.
uint16_t encodeHalf(DType dtype, double value);
double decodeHalf(DType dtype, uint16_t bits);

/// The number of elements; nullopt for a negative size or over 64 bits.
std::optional<int64_t> elementCount(llvm::ArrayRef<int64_t> shape);
/// In elements, row-major.
llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// A dense, row-major tensor that owns its bytes (native byte order).
struct HostTensor {
  DType dtype = DType::F32;
  llvm::SmallVector<int64_t> shape;
  std::vector<uint8_t> data;

  /// All zero. The shape must have an elementCount.
  static HostTensor zeros(DType dtype, llvm::ArrayRef<int64_t> shape);
  /// As many values as the shape has elements, converted by setInt, setFloat.
  static HostTensor fromInts(DType dtype, llvm::ArrayRef<int64_t> shape,
                             llvm::ArrayRef<int64_t> values);
  static HostTensor fromFloats(DType dtype, llvm::ArrayRef<int64_t> shape,
                               llvm::ArrayRef<double> values);

  int64_t numElements() const { return *elementCount(shape); }
  llvm::SmallVector<int64_t> strides() const { return rowMajorStrides(shape); }

  /// Element \p i in row-major order. Integers above 2^53 are rounded.
  double getFloat(int64_t i) const;
  /// Element \p i; a float is truncated towards zero and saturated (NaN is 0),
  /// a u64 keeps its bits.
  int64_t getInt(int64_t i) const;
  /// Rounds to nearest even for float types. For integer types truncates
  /// towards zero and saturates, NaN gives 0; for bool, non-zero (NaN too)
  /// gives 1.
  void setFloat(int64_t i, double value);
  /// Rounds to nearest even for float types, keeps the low bits for integer
  /// types; for bool, non-zero gives 1.
  void setInt(int64_t i, int64_t value);

  /// The elements as \p T, which must have the dtype's size.
  template <typename T> T *as() {
    assert(sizeof(T) == size_t(byteSize(dtype)) && "wrong element type");
    return reinterpret_cast<T *>(data.data());
  }
  template <typename T> const T *as() const {
    assert(sizeof(T) == size_t(byteSize(dtype)) && "wrong element type");
    return reinterpret_cast<const T *>(data.data());
  }

  /// Equal type, shape and bytes.
  bool operator==(const HostTensor &rhs) const {
    return dtype == rhs.dtype && shape == rhs.shape && data == rhs.data;
  }
  bool operator!=(const HostTensor &rhs) const { return !(*this == rhs); }
};

} // namespace takt

#endif // TAKT_SUPPORT_HOSTTENSOR_H
