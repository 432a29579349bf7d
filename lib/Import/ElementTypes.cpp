//===- ElementTypes.cpp - ONNX's element types
//-----------------------------===//
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

Type elementType(int32_t dataType, MLIRContext *context) {
  Builder b(context);
  auto unsignedType = [&](unsigned width) {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  switch (dataType) {
  case TensorProto::FLOAT:
    return b.getF32Type();
  case TensorProto::DOUBLE:
    return b.getF64Type();
  case TensorProto::FLOAT16:
    return b.getF16Type();
  case TensorProto::BFLOAT16:
    return b.getBF16Type();
  case TensorProto::BOOL:
    return b.getI1Type();
  case TensorProto::INT4:
    return b.getIntegerType(4);
  case TensorProto::INT8:
    return b.getIntegerType(8);
  case TensorProto::INT16:
    return b.getIntegerType(16);
  case TensorProto::INT32:
    return b.getIntegerType(32);
  case TensorProto::INT64:
    return b.getIntegerType(64);
  case TensorProto::UINT4:
    return unsignedType(4);
  case TensorProto::UINT8:
    return unsignedType(8);
  case TensorProto::UINT16:
    return unsignedType(16);
  case TensorProto::UINT32:
    return unsignedType(32);
  case TensorProto::UINT64:
    return unsignedType(64);
  case TensorProto::COMPLEX64:
    return ComplexType::get(b.getF32Type());
  case TensorProto::COMPLEX128:
    return ComplexType::get(b.getF64Type());
  case TensorProto::FLOAT8E4M3FN:
    return b.getFloat8E4M3FNType();
  case TensorProto::FLOAT8E4M3FNUZ:
    return b.getFloat8E4M3FNUZType();
  case TensorProto::FLOAT8E5M2:
    return b.getFloat8E5M2Type();
  case TensorProto::FLOAT8E5M2FNUZ:
    return b.getFloat8E5M2FNUZType();
  default:
    return {};
  }
}

unsigned storedBits(int32_t dataType) {
  switch (dataType) {
  case TensorProto::INT4:
  case TensorProto::UINT4:
  case TensorProto::FLOAT4E2M1:
    return 4;
  case TensorProto::BOOL:
  case TensorProto::INT8:
  case TensorProto::UINT8:
  case TensorProto::FLOAT8E4M3FN:
  case TensorProto::FLOAT8E4M3FNUZ:
  case TensorProto::FLOAT8E5M2:
  case TensorProto::FLOAT8E5M2FNUZ:
  case TensorProto::FLOAT8E8M0:
    return 8;
  case TensorProto::FLOAT16:
  case TensorProto::BFLOAT16:
  case TensorProto::INT16:
  case TensorProto::UINT16:
    return 16;
  case TensorProto::FLOAT:
  case TensorProto::INT32:
  case TensorProto::UINT32:
    return 32;
  case TensorProto::DOUBLE:
  case TensorProto::INT64:
  case TensorProto::UINT64:
  case TensorProto::COMPLEX64:
    return 64;
  case TensorProto::COMPLEX128:
    return 128;
  default:
    return 0;
  }
}

} // namespace takt::import
