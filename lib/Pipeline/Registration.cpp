//===- Registration.cpp - dialects and passes of the tools ----------------===//
#include "takt/Pipeline/Registration.h"

#include "takt/Conversion/OnnxToTakt/OnnxToTakt.h"
#include "takt/Conversion/TaktToLinalg/TaktToLinalg.h"
#include "takt/Dialect/Onnx/Onnx.h"
#include "takt/Dialect/Takt/Takt.h"
#include "takt/Target/Target.h"
#include "takt/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

void takt::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<TaktDialect, onnx::OnnxDialect, mlir::arith::ArithDialect,
                  mlir::func::FuncDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect, mlir::tensor::TensorDialect>();
  registerElementwiseModels(registry);
}

void takt::registerAllPasses() {
  registerTaktOnnxToTaktPasses();
  registerTaktTransformsPasses();
  registerTaktToLinalgPass();
}
