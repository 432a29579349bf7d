//===- HostTensor.cpp - element types and conversions ---------------------===//
#include "takt/Support/HostTensor.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace takt;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

namespace {
struct DTypeInfo {
  llvm::StringLiteral name;
  int64_t bytes;
};
} // namespace

/// In the order of DType.
static constexpr DTypeInfo dtypes[] = {
    {"f32", 4}, {"f64", 8}, {"f16", 2}, {"bf16", 2}, {"i8", 1},
    {"i16", 2}, {"i32", 4}, {"i64", 8}, {"u8", 1},   {"u16", 2},
    {"u32", 4}, {"u64", 8}, {"bool", 1}};

llvm::StringRef takt::dtypeName(DType dtype) {
  return dtypes[size_t(dtype)].name;
}

std::optional<DType> takt::parseDType(llvm::StringRef name) {
  for (auto [index, info] : llvm::enumerate(dtypes))
    if (info.name == name)
      return DType(index);
  return std::nullopt;
}

int64_t takt::byteSize(DType dtype) { return dtypes[size_t(dtype)].bytes; }

bool takt::isFloat(DType dtype) { return dtype <= DType::BF16; }

bool takt::isUnsigned(DType dtype) { return dtype >= DType::U8; }

//===----------------------------------------------------------------------===//
// Half precision
//===----------------------------------------------------------------------===//

static const llvm::fltSemantics &semantics(DType dtype) {
  assert(dtype == DType::F16 || dtype == DType::BF16);
  return dtype == DType::F16 ? llvm::APFloat::IEEEhalf()
                             : llvm::APFloat::BFloat();
}

static uint16_t bitsOf(const llvm::APFloat &value) {
  return uint16_t(value.bitcastToAPInt().getZExtValue());
}

uint16_t takt::encodeHalf(DType dtype, double value) {
  llvm::APFloat number(value);
  bool losesInfo = false;
  number.convert(semantics(dtype), llvm::APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return bitsOf(number);
}

double takt::decodeHalf(DType dtype, uint16_t bits) {
  llvm::APFloat number(semantics(dtype), llvm::APInt(16, bits));
  bool losesInfo = false;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

/// Not by way of double, which would round twice.
static uint16_t encodeHalfFromInt(DType dtype, int64_t value) {
  llvm::APFloat number(semantics(dtype));
  number.convertFromAPInt(llvm::APInt(64, uint64_t(value)), /*IsSigned=*/true,
                          llvm::APFloat::rmNearestTiesToEven);
  return bitsOf(number);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

std::optional<int64_t> takt::elementCount(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    empty |= size == 0;
    if (size != 0 && llvm::MulOverflow(count, size, count))
      return std::nullopt;
  }
  return empty ? 0 : count;
}

llvm::SmallVector<int64_t>
takt::rowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

HostTensor HostTensor::zeros(DType dtype, llvm::ArrayRef<int64_t> shape) {
  std::optional<int64_t> count = elementCount(shape);
  assert(count && "shape without an element count");
  HostTensor tensor;
  tensor.dtype = dtype;
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.data.resize(size_t(*count) * byteSize(dtype));
  return tensor;
}

HostTensor HostTensor::fromInts(DType dtype, llvm::ArrayRef<int64_t> shape,
                                llvm::ArrayRef<int64_t> values) {
  HostTensor tensor = zeros(dtype, shape);
  assert(int64_t(values.size()) == tensor.numElements());
  for (auto [i, value] : llvm::enumerate(values))
    tensor.setInt(i, value);
  return tensor;
}

HostTensor HostTensor::fromFloats(DType dtype, llvm::ArrayRef<int64_t> shape,
                                  llvm::ArrayRef<double> values) {
  HostTensor tensor = zeros(dtype, shape);
  assert(int64_t(values.size()) == tensor.numElements());
  for (auto [i, value] : llvm::enumerate(values))
    tensor.setFloat(i, value);
  return tensor;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Calls \p body with a null pointer to the C++ type of a dtype other than the
/// half precisions, which have none.
template <typename Body> static auto withType(DType dtype, Body body) {
  switch (dtype) {
  case DType::F32:
    return body((float *)nullptr);
  case DType::I8:
    return body((int8_t *)nullptr);
  case DType::I16:
    return body((int16_t *)nullptr);
  case DType::I32:
    return body((int32_t *)nullptr);
  case DType::I64:
    return body((int64_t *)nullptr);
  case DType::Bool:
  case DType::U8:
    return body((uint8_t *)nullptr);
  case DType::U16:
    return body((uint16_t *)nullptr);
  case DType::U32:
    return body((uint32_t *)nullptr);
  case DType::U64:
    return body((uint64_t *)nullptr);
  default:
    return body((double *)nullptr);
  }
}

/// Towards zero, saturated; 0 for NaN. A plain cast is undefined outside.
template <typename T> static T toInteger(double value) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(value))
    return 0;
  // 2^digits is exact in a double, T's maximum may not be.
  if (value >= std::ldexp(1.0, Limits::digits))
    return Limits::max();
  if (value <= double(Limits::min()))
    return Limits::min();
  return static_cast<T>(value);
}

double HostTensor::getFloat(int64_t i) const {
  if (dtype == DType::F16 || dtype == DType::BF16)
    return decodeHalf(dtype, as<uint16_t>()[i]);
  return withType(dtype, [&](auto *type) -> double {
    using T = std::remove_pointer_t<decltype(type)>;
    return static_cast<double>(as<T>()[i]);
  });
}

int64_t HostTensor::getInt(int64_t i) const {
  if (isFloat(dtype))
    return toInteger<int64_t>(getFloat(i));
  return withType(dtype, [&](auto *type) -> int64_t {
    using T = std::remove_pointer_t<decltype(type)>;
    return static_cast<int64_t>(as<T>()[i]);
  });
}

void HostTensor::setFloat(int64_t i, double value) {
  if (dtype == DType::F16 || dtype == DType::BF16) {
    as<uint16_t>()[i] = encodeHalf(dtype, value);
    return;
  }
  if (dtype == DType::Bool) {
    data[i] = value != 0;
    return;
  }
  withType(dtype, [&](auto *type) {
    using T = std::remove_pointer_t<decltype(type)>;
    if constexpr (std::is_floating_point_v<T>)
      as<T>()[i] = static_cast<T>(value);
    else
      as<T>()[i] = toInteger<T>(value);
  });
}

void HostTensor::setInt(int64_t i, int64_t value) {
  if (dtype == DType::F16 || dtype == DType::BF16) {
    as<uint16_t>()[i] = encodeHalfFromInt(dtype, value);
    return;
  }
  if (dtype == DType::Bool) {
    data[i] = value != 0;
    return;
  }
  withType(dtype, [&](auto *type) {
    using T = std::remove_pointer_t<decltype(type)>;
    as<T>()[i] = static_cast<T>(value);
  });
}
