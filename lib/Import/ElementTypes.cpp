//===- ElementTypes.cpp - ONNX's element types ----------------------------===//
#include "TensorData.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using TensorProto = ::onnx::TensorProto;
namespace takt::import {

std::string dataTypeName(int32_t dataType) {
  if (!TensorProto::DataType_IsValid(dataType))
    return std::to_string(dataType);
  return StringRef(TensorProto::DataType_Name(
                       static_cast<TensorProto::DataType>(dataType)))
      .lower();
}

namespace {
struct ElementInfo {
  TensorProto::DataType dataType;
  /// Of one element in raw data.
  unsigned bits;
  /// Null where MLIR has no such type.
  Type (*type)(MLIRContext *);
};
} // namespace

template <unsigned width> static Type signlessType(MLIRContext *context) {
  return IntegerType::get(context, width);
}
template <unsigned width> static Type unsignedType(MLIRContext *context) {
  return IntegerType::get(context, width, IntegerType::Unsigned);
}
template <typename T> static Type floatType(MLIRContext *context) {
  return T::get(context);
}
template <typename T> static Type complexType(MLIRContext *context) {
  return ComplexType::get(T::get(context));
}

static constexpr ElementInfo elements[] = {
    {TensorProto::FLOAT, 32, floatType<Float32Type>},
    {TensorProto::DOUBLE, 64, floatType<Float64Type>},
    {TensorProto::FLOAT16, 16, floatType<Float16Type>},
    {TensorProto::BFLOAT16, 16, floatType<BFloat16Type>},
    {TensorProto::BOOL, 8, signlessType<1>},
    {TensorProto::INT4, 4, signlessType<4>},
    {TensorProto::INT8, 8, signlessType<8>},
    {TensorProto::INT16, 16, signlessType<16>},
    {TensorProto::INT32, 32, signlessType<32>},
    {TensorProto::INT64, 64, signlessType<64>},
    {TensorProto::UINT4, 4, unsignedType<4>},
    {TensorProto::UINT8, 8, unsignedType<8>},
    {TensorProto::UINT16, 16, unsignedType<16>},
    {TensorProto::UINT32, 32, unsignedType<32>},
    {TensorProto::UINT64, 64, unsignedType<64>},
    {TensorProto::COMPLEX64, 64, complexType<Float32Type>},
    {TensorProto::COMPLEX128, 128, complexType<Float64Type>},
    {TensorProto::FLOAT8E4M3FN, 8, floatType<Float8E4M3FNType>},
    {TensorProto::FLOAT8E4M3FNUZ, 8, floatType<Float8E4M3FNUZType>},
    {TensorProto::FLOAT8E5M2, 8, floatType<Float8E5M2Type>},
    {TensorProto::FLOAT8E5M2FNUZ, 8, floatType<Float8E5M2FNUZType>},
    {TensorProto::FLOAT8E8M0, 8, nullptr},
    {TensorProto::FLOAT4E2M1, 4, nullptr},
};

static const ElementInfo *find(int32_t dataType) {
  for (const ElementInfo &info : elements)
    if (info.dataType == dataType)
      return &info;
  return nullptr;
}

Type elementType(int32_t dataType, MLIRContext *context) {
  const ElementInfo *info = find(dataType);
  return info && info->type ? info->type(context) : Type();
}

unsigned storedBits(int32_t dataType) {
  const ElementInfo *info = find(dataType);
  return info ? info->bits : 0;
}

} // namespace takt::import
