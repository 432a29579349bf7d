//===- Import.cpp - the order of an import's steps ------------------------===//
#include "takt/Import/Import.h"
#include "DimNames.h"
#include "ImportState.h"

#include "takt/Dialect/Onnx/Onnx.h"
#include "takt/Dialect/Takt/Takt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace takt;
using namespace takt::import;

static OwningOpRef<ModuleOp> runSteps(ImportState &state) {
  pb::ModelProto model;
  DimNames dims;
  if (failed(readModel(state, model)) || failed(normalizeModel(state, model)) ||
      failed(checkFunctions(state, model)) ||
      failed(extractWeights(state, model)) ||
      failed(checkModel(state, model)) ||
      failed(inlineFunctions(state, model)) ||
      failed(dims.bind(state, model)) || failed(inferTypes(state, model)))
    return {};
  return importGraph(state, model, dims);
}

OwningOpRef<ModuleOp> takt::importOnnx(MLIRContext &context, StringRef path,
                                       const ImportOptions &options,
                                       ImportError *error) {
  context.loadDialect<takt::onnx::OnnxDialect, TaktDialect, arith::ArithDialect,
                      func::FuncDialect>();
  ImportState state(context, path, options);
  OwningOpRef<ModuleOp> module;
  try {
    module = runSteps(state);
  } catch (const std::exception &exception) {
    // The steps catch what ONNX throws; what is left is memory.
    (void)state.badModel("cannot be imported: " + Twine(exception.what()));
  }
  if (error)
    *error = module ? ImportError::None : state.error;
  return module;
}
