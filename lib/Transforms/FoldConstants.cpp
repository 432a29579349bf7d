//===- FoldConstants.cpp - evaluates ops on small constants ---------------===//
#include "takt/Dialect/Takt/Takt.h"
#include "takt/Interpreter/BlockEvaluator.h"
#include "takt/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace takt {
#define GEN_PASS_DEF_FOLDCONSTANTSPASS
#include "takt/Transforms/Passes.h.inc"
} // namespace takt

using namespace mlir;
using namespace takt;

/// Constants stay in the IR, so they must stay small.
static constexpr int64_t maxResultBytes = 1024;

static DenseElementsAttr toAttribute(const HostTensor &tensor,
                                     RankedTensorType type) {
  if (tensor.dtype != DType::Bool)
    return DenseElementsAttr::getFromRawBuffer(
        type, ArrayRef<char>(reinterpret_cast<const char *>(tensor.data.data()),
                             tensor.data.size()));
  SmallVector<bool> values;
  for (int64_t i = 0, n = tensor.numElements(); i < n; ++i)
    values.push_back(tensor.getInt(i) != 0);
  return DenseElementsAttr::get(type, values);
}

static bool isSmall(RankedTensorType type) {
  auto dtype = type ? dtypeOf(type.getElementType()) : std::nullopt;
  return dtype && type.hasStaticShape() &&
         type.getNumElements() * byteSize(*dtype) <= maxResultBytes;
}

static std::optional<HostTensor> evaluate(TensorOpInterface op);

/// The tensor that a constant, or a broadcast of one, holds.
static std::optional<HostTensor> constantTensor(Value value) {
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    return evaluate(cast<TensorOpInterface>(broadcast.getOperation()));
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return std::nullopt;
  llvm::Expected<HostTensor> tensor = tensorOfAttribute(constant.getValue());
  if (tensor)
    return std::move(*tensor);
  llvm::consumeError(tensor.takeError());
  return std::nullopt;
}

/// The op's result, if it has one small one that depends on constants alone.
static std::optional<HostTensor> evaluate(TensorOpInterface op) {
  if (op->getNumResults() != 1 ||
      !isSmall(dyn_cast<RankedTensorType>(op->getResult(0).getType())))
    return std::nullopt;
  SmallVector<HostTensor> tensors;
  for (Value operand : op->getOperands()) {
    std::optional<HostTensor> tensor = constantTensor(operand);
    if (!tensor)
      return std::nullopt;
    tensors.push_back(std::move(*tensor));
  }
  SmallVector<const HostTensor *> operands;
  for (const HostTensor &tensor : tensors)
    operands.push_back(&tensor);
  // Without symbols, what depends on the request fails and stays as it is.
  auto results = op.evaluate(operands, EvaluationContext{});
  if (results)
    return std::move(results->front());
  llvm::consumeError(results.takeError());
  return std::nullopt;
}

namespace {
struct FoldConstantsPass
    : takt::impl::FoldConstantsPassBase<FoldConstantsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        foldIn(block);
  }

  static void foldIn(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      // A broadcast says how a constant is used: as a bias, as a number.
      auto tensorOp = dyn_cast<TensorOpInterface>(op);
      auto value =
          tensorOp && !isa<BroadcastOp>(op) ? evaluate(tensorOp) : std::nullopt;
      if (!value)
        continue;
      OpBuilder builder(&op);
      auto type = cast<RankedTensorType>(op.getResult(0).getType());
      op.getResult(0).replaceAllUsesWith(builder.create<arith::ConstantOp>(
          op.getLoc(), toAttribute(*value, type)));
      op.erase();
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};
} // namespace
