//===- ImportAttributes.h - attributes and types of nodes -----------------===//
#ifndef TAKT_LIB_IMPORT_IMPORTATTRIBUTES_H
#define TAKT_LIB_IMPORT_IMPORTATTRIBUTES_H

#include "ImportState.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace takt::import {

/// The attribute as `onnx.node` holds it; not for graphs.
mlir::FailureOr<mlir::Attribute>
importAttribute(ImportState &state, const pb::NodeProto &node,
                const pb::AttributeProto &attribute);

/// The tensor type; unranked where no shape is known, `none` where nothing is.
/// Fails on what is no tensor and on element types that MLIR lacks; \p what
/// names the value in the message.
mlir::FailureOr<mlir::Type> importType(ImportState &state,
                                       const pb::TypeProto *type,
                                       const llvm::Twine &what);

} // namespace takt::import

#endif // TAKT_LIB_IMPORT_IMPORTATTRIBUTES_H
