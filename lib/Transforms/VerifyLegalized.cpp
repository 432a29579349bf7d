//===- VerifyLegalized.cpp - what holds after the legalize phase ----------===//
#include "VerifyLegalized.h"

#include "takt/Dialect/Takt/SizeAnalysis.h"
#include "takt/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace takt {
#define GEN_PASS_DEF_VERIFYLEGALIZEDPASS
#include "takt/Transforms/Passes.h.inc"
} // namespace takt

using namespace mlir;
using namespace takt;

static LogicalResult verifyPorts(func::FuncOp function) {
  auto check = [&](auto get, unsigned count, StringRef kind) -> LogicalResult {
    for (unsigned i = 0; i < count; ++i)
      for (StringRef name : {StringRef(attr::name), StringRef(attr::shape)})
        if (!get(i, name))
          return function.emitOpError()
                 << kind << " " << i << " has no attribute '" << name << "'";
    return success();
  };
  auto argument = [&](unsigned i, StringRef name) {
    return function.getArgAttr(i, name);
  };
  auto result = [&](unsigned i, StringRef name) {
    return function.getResultAttr(i, name);
  };
  if (failed(check(argument, function.getNumArguments(), "argument")))
    return failure();
  return check(result, function.getNumResults(), "result");
}

/// The types say no other size than the shape functions.
static LogicalResult verifySizes(TensorOpInterface op, SizeAnalysis &sizes) {
  for (Value operand : op->getOperands())
    if (!sizes.isKnown(operand))
      return op->emitOpError("has an operand whose sizes follow from nothing");
  auto inferred = op.inferShapes(sizes.operandShapes(op));
  for (auto [result, shape] : llvm::zip_equal(op->getResults(), inferred)) {
    auto type = cast<RankedTensorType>(result.getType());
    if (type.getRank() != int64_t(shape.size()))
      return op->emitOpError("has rank ")
             << type.getRank() << ", expected " << shapeText(shape);
    for (auto [i, size] : llvm::enumerate(shape)) {
      auto value = size.constant();
      if (size.isUndefined() ||
          (value && !type.isDynamicDim(i) && *value != type.getDimSize(i)))
        return op->emitOpError("has type ")
               << type << ", but its sizes are " << shapeText(shape);
    }
  }
  return success();
}

static LogicalResult verifyBody(func::FuncOp function) {
  SizeAnalysis sizes;
  for (Operation &op : function.getBody().front()) {
    if (auto tensorOp = dyn_cast<TensorOpInterface>(op)) {
      if (failed(verifySizes(tensorOp, sizes)))
        return failure();
      continue;
    }
    if (!isa<arith::ConstantOp, WeightReadOp, func::ReturnOp>(op))
      return op.emitOpError(
          "is left in @main, expected tensor ops, constants and "
          "weight reads only");
  }
  return success();
}

func::FuncOp takt::verifyTensorProgram(ModuleOp module) {
  for (Operation &op : *module.getBody())
    if (!isa<DimOp, GuardOp, WeightOp, func::FuncOp>(op))
      return op.emitOpError(
                 "stands in the module, expected dimensions, guards, "
                 "weights and @main only"),
             nullptr;
  auto function = module.lookupSymbol<func::FuncOp>("main");
  if (!function || !function.getBody().hasOneBlock())
    return module.emitError("has no function @main of one block"), nullptr;
  if (failed(verifyPorts(function)) || failed(verifyBody(function)))
    return nullptr;
  return function;
}

namespace {
struct VerifyLegalizedPass
    : takt::impl::VerifyLegalizedPassBase<VerifyLegalizedPass> {
  void runOnOperation() override {
    if (!verifyTensorProgram(getOperation()))
      signalPassFailure();
  }
};
} // namespace
