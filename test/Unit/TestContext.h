//===- TestContext.h - a context with the dialects of tensor programs -----===//
#ifndef TAKT_TEST_UNIT_TESTCONTEXT_H
#define TAKT_TEST_UNIT_TESTCONTEXT_H

#include "takt/Dialect/Takt/Takt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

struct TestContext {
  TestContext()
      : context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
  }

  /// Null, after printing diagnostics, if the text is wrong.
  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registry.insert<takt::TaktDialect, mlir::arith::ArithDialect,
                    mlir::math::MathDialect, mlir::tensor::TensorDialect,
                    mlir::func::FuncDialect>();
    takt::registerElementwiseModels(registry);
    return registry;
  }

  mlir::MLIRContext context;
};

#endif
