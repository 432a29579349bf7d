//===- Pass.cpp - takt-to-linalg ------------------------------------------===//
#include "takt/Conversion/TaktToLinalg/TaktToLinalg.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace takt;

namespace {
struct TaktToLinalgPass
    : PassWrapper<TaktToLinalgPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TaktToLinalgPass)
  TaktToLinalgPass() = default;
  TaktToLinalgPass(const TaktToLinalgPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "takt-to-linalg"; }
  StringRef getDescription() const override {
    return "append the generated kernel of each dispatch as loops over linalg "
           "ops on rows";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<linalg::LinalgDialect, memref::MemRefDialect,
                    scf::SCFDialect, math::MathDialect>();
  }

  void runOnOperation() override {
    SmallVector<DispatchOp> dispatches;
    getOperation()->walk([&](DispatchOp op) {
      if (op.getKind() == "kernel" || (library && op.getKind() == "library"))
        dispatches.push_back(op);
    });
    for (auto [i, op] : llvm::enumerate(dispatches))
      if (failed(lowerKernel(op, getOperation(), "kernel" + std::to_string(i))))
        return signalPassFailure();
  }

  Option<bool> library{*this, "library",
                       llvm::cl::desc("library dispatches too, as loops")};
};
} // namespace

void takt::registerTaktToLinalgPass() { PassRegistration<TaktToLinalgPass>(); }
