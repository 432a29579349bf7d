//===- takt-opt.cpp - runs passes on a file -------------------------------===//
#include "takt/Pipeline/Registration.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  takt::registerAllDialects(registry);
  takt::registerAllPasses();
  mlir::registerTransformsPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Takt optimizer driver\n", registry));
}
