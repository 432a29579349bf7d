//===- Onnx.h - the onnx dialect ------------------------------------------===//
#ifndef TAKT_DIALECT_ONNX_ONNX_H
#define TAKT_DIALECT_ONNX_ONNX_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "takt/Dialect/Onnx/OnnxDialect.h.inc"

#define GET_OP_CLASSES
#include "takt/Dialect/Onnx/OnnxOps.h.inc"

#endif // TAKT_DIALECT_ONNX_ONNX_H
