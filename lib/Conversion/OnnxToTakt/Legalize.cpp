//===- Legalize.cpp - the pass that runs the rules ------------------------===//
#include "Registry.h"

#include "takt/Conversion/OnnxToTakt/OnnxToTakt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace takt {
#define GEN_PASS_DEF_LEGALIZEPASS
#include "takt/Conversion/OnnxToTakt/Passes.h.inc"
} // namespace takt

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

static LogicalResult checkSupported(ModuleOp module) {
  std::vector<UnsupportedNode> unsupported = collectUnsupported(module);
  if (unsupported.empty())
    return success();
  int64_t count = countNodes(module);
  return module.emitError()
         << unsupported.size() << " of " << count << " nodes "
         << (unsupported.size() == 1 ? "is" : "are") << " not supported"
         << unsupportedText(unsupported);
}

/// Runs the rules over the body. Nodes stay until all are lowered, since the
/// state knows values by address.
static LogicalResult lowerBody(LegalizeState &state, Block &body) {
  for (Operation &op : llvm::make_early_inc_range(body)) {
    auto node = dyn_cast<onnx::NodeOp>(op);
    if (!node)
      continue;
    NodeLowering lowering(state, node);
    Rule rule = Registry::get().find(node.getDomain(), node.getOpType(),
                                     node.getVersion());
    if (failed(rule(lowering)) || lowering.isBroken())
      return failure();
  }
  return success();
}

/// States that the model's declared sizes of an output hold. Declared names
/// that no input has say nothing.
static LogicalResult checkDeclared(LegalizeState &state, func::FuncOp function,
                                   unsigned index, const SymbolicShape &shape) {
  auto declared = function.getResultAttrOfType<ShapeAttr>(index, attr::shape);
  if (!declared)
    return success();
  auto name = function.getResultAttrOfType<StringAttr>(index, attr::name);
  std::string output = name ? "output '" + name.getValue().str() + "'"
                            : "output " + std::to_string(index);
  SymbolicShape exprs = declared.getExprs();
  if (exprs.size() != shape.size())
    return function.emitError() << output << " has rank " << shape.size()
                                << ", but is declared with " << exprs.size()
                                << " sizes; correct the model";
  SymbolTable symbols(state.module);
  for (auto [dim, expr] : llvm::enumerate(exprs)) {
    SmallVector<std::string> names;
    expr.collectSymbols(names);
    if (llvm::any_of(names, [&](auto &n) { return !symbols.lookup<DimOp>(n); }))
      continue;
    if (failed(state.equate(expr, shape[dim],
                            output + ": its declared size in dimension " +
                                std::to_string(dim))))
      return function.emitError()
             << output << " has size " << shape[dim].str() << " in dimension "
             << dim << ", but is declared with " << expr.str()
             << "; correct the model";
  }
  return success();
}

/// Returns what the lowered body computes and gives the function its final
/// type.
static LogicalResult finishFunction(LegalizeState &state,
                                    func::FuncOp function) {
  auto returnOp =
      cast<func::ReturnOp>(function.getBody().front().getTerminator());
  ImplicitLocOpBuilder builder(returnOp.getLoc(), returnOp);
  SmallVector<Type> types;
  for (OpOperand &operand : returnOp->getOpOperands()) {
    LoweredValue &lowered = state.lookup(operand.get());
    operand.set(state.materialize(builder, lowered));
    types.push_back(operand.get().getType());
    unsigned index = operand.getOperandNumber();
    if (failed(checkDeclared(state, function, index, lowered.shape)))
      return failure();
    function.setResultAttr(
        index, attr::shape,
        ShapeAttr::get(function.getContext(), lowered.shape));
  }
  function.setType(FunctionType::get(function.getContext(),
                                     function.getArgumentTypes(), types));
  return success();
}

namespace {
struct LegalizePass : takt::impl::LegalizePassBase<LegalizePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto function = module.lookupSymbol<func::FuncOp>("main");
    if (!function || function.isExternal()) {
      module.emitError(
          "has no function @main with a body; import a model first");
      return signalPassFailure();
    }
    if (failed(checkSupported(module)))
      return signalPassFailure();
    LegalizeState state(module);
    Block &body = function.getBody().front();
    if (failed(lowerBody(state, body)) ||
        failed(finishFunction(state, function)))
      return signalPassFailure();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isa<onnx::NodeOp, onnx::NoneOp>(op))
        op.erase();
  }
};
} // namespace
