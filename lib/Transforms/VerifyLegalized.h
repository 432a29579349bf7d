//===- VerifyLegalized.h - what a tensor program must satisfy -------------===//
#ifndef TAKT_LIB_TRANSFORMS_VERIFYLEGALIZED_H
#define TAKT_LIB_TRANSFORMS_VERIFYLEGALIZED_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace takt {

/// The module's @main as a program of tensor ops with known sizes; null after a
/// message that says what is wrong.
mlir::func::FuncOp verifyTensorProgram(mlir::ModuleOp module);

} // namespace takt

#endif
