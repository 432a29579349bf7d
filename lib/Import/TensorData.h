//===- TensorData.h - the elements of TensorProto -------------------------===//
#ifndef TAKT_LIB_IMPORT_TENSORDATA_H
#define TAKT_LIB_IMPORT_TENSORDATA_H

#include "ImportState.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace takt::import {

/// `float16`, for messages; the number for unknown types.
std::string dataTypeName(int32_t dataType);

/// The element type; null for strings and types that MLIR lacks.
mlir::Type elementType(int32_t dataType, mlir::MLIRContext *context);

/// Bits per stored element: 4 for int4, 8 for bool; 0 for strings and unknown
/// types.
unsigned storedBits(int32_t dataType);

/// The number of elements. Fails on negative dims and on overflow.
mlir::FailureOr<int64_t> elementCount(ImportState &state,
                                      const pb::TensorProto &tensor);

/// The bytes that the elements take in a file; 4-bit elements are packed.
mlir::FailureOr<int64_t> byteCount(ImportState &state,
                                   const pb::TensorProto &tensor);

/// Checks that the field that holds the elements has as many as dims say, of
/// values that the type can hold. External tensors: dims only.
mlir::LogicalResult checkTensor(ImportState &state,
                                const pb::TensorProto &tensor);

/// The elements of a checked inline tensor as a file would hold them,
/// little-endian.
std::string tensorBytes(const pb::TensorProto &tensor);

/// A checked inline tensor as an attribute; null for strings and types that
/// MLIR lacks.
mlir::DenseElementsAttr denseElements(const pb::TensorProto &tensor,
                                      mlir::MLIRContext *context);

inline bool isExternal(const pb::TensorProto &tensor) {
  return tensor.data_location() == pb::TensorProto::EXTERNAL;
}

} // namespace takt::import

#endif // TAKT_LIB_IMPORT_TENSORDATA_H
