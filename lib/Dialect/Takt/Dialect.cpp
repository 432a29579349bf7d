//===- Dialect.cpp - registration of the takt dialect ---------------------===//
#include "takt/Dialect/Takt/Takt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace takt;

#include "takt/Dialect/Takt/TaktDialect.cpp.inc"

#define GET_OP_CLASSES
#include "takt/Dialect/Takt/TaktOps.cpp.inc"

void TaktDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "takt/Dialect/Takt/TaktOps.cpp.inc"
      >();
}
