//===- SliceOps.cpp - slice and concat ------------------------------------===//
#include "OpHelpers.h"

using namespace mlir;
using namespace takt;

//===----------------------------------------------------------------------===//
// slice
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::verify() {
  int64_t rank = cast<RankedTensorType>(getInput().getType()).getRank();
  if (int64_t(getStarts().getSizes().size()) != rank ||
      int64_t(getShape().getSizes().size()) != rank ||
      int64_t(getStrides().size()) != rank)
    return emitOpError("needs a start, a size and a stride for each of ")
           << rank << " dimensions";
  if (llvm::is_contained(getStrides(), 0))
    return emitOpError("has a stride of 0");
  return verifyResultRank(*this, rank);
}

SmallVector<SymbolicShape> SliceOp::inferShapes(ArrayRef<SymbolicShape>) {
  return {getShape().getExprs()};
}

ShardingRule SliceOp::getShardingRule(ArrayRef<SymbolicShape> operands,
                                      ArrayRef<SymbolicShape> results) {
  RuleBuilder rule;
  SmallVector<std::string> in, out;
  SymbolicShape starts = getStarts().getExprs();
  for (size_t i = 0; i < starts.size(); ++i) {
    bool isWhole = starts[i].isConstant(0) && getStrides()[i] == 1 &&
                   operands[0][i] == results[0][i];
    std::string name = ("d" + llvm::Twine(i)).str();
    in.push_back(name);
    out.push_back(isWhole ? name : name + "r");
    rule.factor(in[i], operands[0][i],
                isWhole ? FactorKind::Parallel : FactorKind::Replicated);
    if (!isWhole)
      rule.factor(out[i], results[0][i], FactorKind::Replicated);
  }
  return rule.operand(in).result(out).linear({0}).build();
}

SizeExpr SliceOp::getFlops(ArrayRef<SymbolicShape>, ArrayRef<SymbolicShape>) {
  return 0;
}

Evaluated SliceOp::evaluate(ArrayRef<const HostTensor *> operands,
                            const EvaluationContext &context) {
  const HostTensor &in = *operands[0];
  auto starts = context.evaluate(getStarts().getExprs());
  if (!starts)
    return starts.takeError();
  auto shape = context.evaluate(getShape().getExprs());
  if (!shape)
    return shape.takeError();
  SmallVector<int64_t> strides = rowMajorStrides(in.shape);
  int64_t base = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    int64_t count = (*shape)[i], start = (*starts)[i];
    int64_t last = start + (count - 1) * getStrides()[i];
    if (count < 0 || (count > 0 && (std::min(start, last) < 0 ||
                                    std::max(start, last) >= in.shape[i])))
      return evaluationFailure("a slice of " + llvm::Twine(count) + " from " +
                               llvm::Twine(start) + " leaves dimension " +
                               llvm::Twine(i) + " of size " +
                               llvm::Twine(in.shape[i]));
    base += start * strides[i];
    strides[i] *= getStrides()[i];
  }
  return single(stridedCopy(in, base, strides, *shape));
}

FusionKind SliceOp::getFusionKind() { return FusionKind::Pointwise; }

void SliceOp::localize(const Strategy &, int64_t, ArrayRef<SymbolicShape>,
                       ArrayRef<SymbolicShape> localResults) {
  setShapeAttr(ShapeAttr::get(getContext(), localResults[0]));
}

//===----------------------------------------------------------------------===//
// concat
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::verify() {
  if (getInputs().empty())
    return emitOpError("needs an operand");
  auto out = cast<RankedTensorType>(getResult().getType());
  int64_t axis = getAxis();
  if (axis < 0 || axis >= out.getRank())
    return emitOpError("has axis ") << axis << " with rank " << out.getRank();
  for (Value input : getInputs()) {
    auto in = cast<RankedTensorType>(input.getType());
    if (in.getRank() != out.getRank() ||
        in.getElementType() != out.getElementType())
      return emitOpError("joins ") << in << " into " << out;
    for (int64_t i = 0; i < out.getRank(); ++i)
      if (i != axis && !mayEqual(in.getDimSize(i), out.getDimSize(i)))
        return emitOpError("joins ") << in << " into " << out;
  }
  return success();
}

SmallVector<SymbolicShape>
ConcatOp::inferShapes(ArrayRef<SymbolicShape> operands) {
  SymbolicShape result = operands[0];
  for (const SymbolicShape &operand : operands.drop_front())
    result[getAxis()] = result[getAxis()] + operand[getAxis()];
  return {result};
}

ShardingRule ConcatOp::getShardingRule(ArrayRef<SymbolicShape> operands,
                                       ArrayRef<SymbolicShape> results) {
  RuleBuilder rule;
  SmallVector<std::string> out;
  for (auto [i, size] : llvm::enumerate(results[0])) {
    out.push_back(("d" + llvm::Twine(i)).str());
    rule.factor(out.back(), size,
                int64_t(i) == int64_t(getAxis()) ? FactorKind::Replicated
                                                 : FactorKind::Parallel);
  }
  for (auto [i, operand] : llvm::enumerate(operands)) {
    SmallVector<std::string> in = out;
    in[getAxis()] = ("part" + llvm::Twine(i)).str();
    rule.factor(in[getAxis()], operand[getAxis()], FactorKind::Replicated);
    rule.operand(in);
  }
  ShardingRule result = rule.result(out).build();
  auto &all = result.linearGroups.emplace_back();
  for (size_t i = 0; i < operands.size(); ++i)
    all.push_back(i);
  return result;
}

SizeExpr ConcatOp::getFlops(ArrayRef<SymbolicShape>, ArrayRef<SymbolicShape>) {
  return 0;
}

Evaluated ConcatOp::evaluate(ArrayRef<const HostTensor *> operands,
                             const EvaluationContext &) {
  int64_t axis = getAxis(), length = 0, outer = 1;
  for (const HostTensor *operand : operands)
    length += operand->shape[axis];
  SmallVector<int64_t> shape(operands[0]->shape);
  shape[axis] = length;
  for (int64_t i = 0; i < axis; ++i)
    outer *= shape[i];
  HostTensor result = HostTensor::zeros(operands[0]->dtype, shape);
  uint8_t *to = result.data.data();
  for (int64_t row = 0; row < outer; ++row)
    for (const HostTensor *operand : operands) {
      int64_t bytes = operand->data.size() / outer;
      std::memcpy(to, operand->data.data() + row * bytes, bytes);
      to += bytes;
    }
  return single(std::move(result));
}

FusionKind ConcatOp::getFusionKind() { return FusionKind::Pointwise; }
