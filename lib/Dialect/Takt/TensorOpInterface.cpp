//===- TensorOpInterface.cpp - what all tensor ops share ------------------===//
#include "takt/Dialect/Takt/Takt.h"

using namespace mlir;
using namespace takt;

#include "takt/Dialect/Takt/TensorOpInterface.cpp.inc"

bool takt::isCollective(Operation *op) {
  auto tensorOp = dyn_cast<TensorOpInterface>(op);
  return tensorOp && tensorOp.getFusionKind() == FusionKind::Collective;
}

void takt::forEachSize(Operation *op,
                       function_ref<void(const SizeExpr &)> visit) {
  for (NamedAttribute attribute : op->getAttrs())
    attribute.getValue().walk([&](ShapeAttr shape) {
      for (const SizeExpr &size : shape.getExprs())
        visit(size);
    });
  if (auto tensorOp = dyn_cast<TensorOpInterface>(op))
    for (const SizeExpr &size : tensorOp.getOffsets())
      visit(size);
}

llvm::Error takt::evaluationFailure(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

llvm::Expected<int64_t>
EvaluationContext::evaluate(const SizeExpr &expr) const {
  if (auto value = expr.constant())
    return *value;
  if (symbols)
    if (auto value = expr.evaluate(symbols))
      return *value;
  return evaluationFailure("size '" + expr.str() +
                           "' has no value here or overflows");
}

llvm::Expected<SmallVector<int64_t>>
EvaluationContext::evaluate(ArrayRef<SizeExpr> exprs) const {
  SmallVector<int64_t> values;
  for (const SizeExpr &expr : exprs) {
    llvm::Expected<int64_t> value = evaluate(expr);
    if (!value)
      return value.takeError();
    values.push_back(*value);
  }
  return values;
}
