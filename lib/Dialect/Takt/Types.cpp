//===- Types.cpp - element types and tensor types -------------------------===//
#include "takt/Dialect/Takt/Takt.h"

using namespace mlir;
using namespace takt;

std::optional<DType> takt::dtypeOf(Type element) {
  if (element.isF32())
    return DType::F32;
  if (element.isF64())
    return DType::F64;
  if (element.isF16())
    return DType::F16;
  if (element.isBF16())
    return DType::BF16;
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return std::nullopt;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return DType::Bool;
  case 8:
    return isUnsigned ? DType::U8 : DType::I8;
  case 16:
    return isUnsigned ? DType::U16 : DType::I16;
  case 32:
    return isUnsigned ? DType::U32 : DType::I32;
  case 64:
    return isUnsigned ? DType::U64 : DType::I64;
  }
  return std::nullopt;
}

Type takt::typeOf(DType dtype, MLIRContext *context) {
  auto integer = [&](unsigned width, bool isUnsigned = false) -> Type {
    return IntegerType::get(context, width,
                            isUnsigned ? IntegerType::Unsigned
                                       : IntegerType::Signless);
  };
  switch (dtype) {
  case DType::F32:
    return Float32Type::get(context);
  case DType::F64:
    return Float64Type::get(context);
  case DType::F16:
    return Float16Type::get(context);
  case DType::BF16:
    return BFloat16Type::get(context);
  case DType::I8:
    return integer(8);
  case DType::I16:
    return integer(16);
  case DType::I32:
    return integer(32);
  case DType::I64:
    return integer(64);
  case DType::U8:
    return integer(8, true);
  case DType::U16:
    return integer(16, true);
  case DType::U32:
    return integer(32, true);
  case DType::U64:
    return integer(64, true);
  case DType::Bool:
    return integer(1);
  }
  llvm_unreachable("all dtypes are covered");
}

RankedTensorType takt::tensorType(ArrayRef<SizeExpr> shape, Type element) {
  SmallVector<int64_t> dims;
  for (const SizeExpr &size : shape)
    dims.push_back(size.constant().value_or(ShapedType::kDynamic));
  return RankedTensorType::get(dims, element);
}

SymbolicShape takt::staticShape(RankedTensorType type) {
  assert(type.hasStaticShape());
  SymbolicShape shape;
  for (int64_t size : type.getShape())
    shape.push_back(SizeExpr(size));
  return shape;
}
