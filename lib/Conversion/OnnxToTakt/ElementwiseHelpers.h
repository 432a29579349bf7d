//===- ElementwiseHelpers.h - shared by element-by-element rules ----------===//
#ifndef TAKT_LIB_CONVERSION_ONNXTOTAKT_ELEMENTWISEHELPERS_H
#define TAKT_LIB_CONVERSION_ONNXTOTAKT_ELEMENTWISEHELPERS_H

#include "Registry.h"

namespace takt::legalize {

/// The inputs as data, broadcast together. Fails with a message for element
/// types that arith has no ops for.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
broadcastInputs(NodeLowering &n);

/// An element of a result from the elements of the inputs; nullopt if it is not
/// known to be a size.
using ContentFunction =
    llvm::function_ref<std::optional<SizeExpr>(llvm::ArrayRef<SizeExpr>)>;

/// Sets output 0 by content if all inputs have content and `function` knows all
/// elements. `element` is the result's type. False if it did nothing.
bool mapContent(NodeLowering &n, mlir::Type element, ContentFunction function);

} // namespace takt::legalize

#endif
