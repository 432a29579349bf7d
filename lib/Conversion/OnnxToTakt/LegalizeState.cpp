//===- LegalizeState.cpp - what is known of a model's values --------------===//
#include "NodeLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

/// The elements of a small integer or boolean constant.
static std::optional<SizeContent> constantContent(Value value) {
  auto op = value.getDefiningOp<arith::ConstantOp>();
  auto dense = op ? dyn_cast<DenseIntElementsAttr>(op.getValue()) : nullptr;
  if (!dense || dense.getNumElements() > maxContentElements)
    return std::nullopt;
  auto type = cast<IntegerType>(dense.getElementType());
  bool isSigned = !type.isUnsigned() && type.getWidth() > 1;
  SizeContent content;
  for (const APInt &element : dense) {
    if (!isSigned && element.getActiveBits() > 63)
      return std::nullopt;
    content.push_back(
        SizeExpr(isSigned ? element.getSExtValue()
                          : static_cast<int64_t>(element.getZExtValue())));
    // INT64_MIN, an open end in Slice, has no exact expression: the next
    // number says the same.
    if (content.back().isUndefined())
      content.back() = SizeExpr(-INT64_MAX);
  }
  return content;
}

LoweredValue &LegalizeState::lookup(Value value) {
  auto [it, isNew] = values.try_emplace(value);
  if (isNew)
    it->second = std::make_unique<LoweredValue>(LoweredValue{
        value, sizes.shape(value), getElementTypeOrSelf(value.getType()),
        constantContent(value)});
  return *it->second;
}

/// A constant of the given type whose elements are known, if they all are.
static DenseElementsAttr constantElements(RankedTensorType type,
                                          const SizeContent &content) {
  auto element = cast<IntegerType>(type.getElementType());
  SmallVector<APInt> elements;
  for (const SizeExpr &expr : content) {
    auto value = expr.constant();
    if (!value)
      return {};
    elements.push_back(
        APInt(element.getWidth(), *value, !element.isUnsigned()));
  }
  return DenseElementsAttr::get(type, elements);
}

Value LegalizeState::materialize(ImplicitLocOpBuilder &builder,
                                 LoweredValue &lowered) {
  if (lowered.value)
    return lowered.value;
  RankedTensorType type = tensorType(lowered.shape, lowered.element);
  if (DenseElementsAttr elements = constantElements(type, *lowered.content)) {
    lowered.value = builder.create<arith::ConstantOp>(elements);
    return lowered.value;
  }
  auto sizesAttr = ShapeAttr::get(builder.getContext(), *lowered.content);
  SmallVector<int64_t, 1> dims;
  if (type.getRank() > 0)
    dims.push_back(lowered.content->size());
  lowered.value = builder.create<SizeTensorOp>(
      RankedTensorType::get(dims, lowered.element), sizesAttr);
  if (type.getRank() > 1)
    lowered.value = builder.create<ReshapeOp>(
        type, lowered.value,
        ShapeAttr::get(builder.getContext(), lowered.shape));
  return lowered.value;
}

LogicalResult LegalizeState::equate(const SizeExpr &left, const SizeExpr &right,
                                    const Twine &reason) {
  if (left == right)
    return success();
  if (isDifferent(left, right))
    return failure();
  std::string leftText = left.str(), rightText = right.str();
  if (guards.contains(rightText + " = " + leftText) ||
      !guards.insert(leftText + " = " + rightText).second)
    return success();
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  // After the dimensions and earlier guards, before all else.
  for (Operation &op : *module.getBody()) {
    builder.setInsertionPoint(&op);
    if (!isa<DimOp, GuardOp>(op))
      break;
    builder.setInsertionPointAfter(&op);
  }
  builder.create<GuardOp>(module.getLoc(), leftText, rightText, reason.str());
  return success();
}

bool LegalizeState::requireAtLeast(const SizeExpr &size, int64_t minimum) {
  if (auto value = size.constant())
    return *value >= minimum;
  auto name = size.symbolName();
  auto dim = name ? SymbolTable(module).lookup<DimOp>(*name) : DimOp();
  if (!dim)
    return false;
  if (static_cast<int64_t>(dim.getMinimum()) < minimum)
    dim.setMinimum(minimum);
  return true;
}
