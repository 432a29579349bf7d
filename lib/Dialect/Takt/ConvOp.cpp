//===- ConvOp.cpp - convolution, channels last ----------------------------===//
#include "WindowHelpers.h"

using namespace mlir;
using namespace takt;

SmallVector<int64_t> ConvOp::getKernel() {
  auto weight = cast<RankedTensorType>(getWeight().getType());
  return llvm::to_vector(weight.getShape().drop_front(2));
}

static Window windowOf(ConvOp op, ArrayRef<int64_t> kernel) {
  return {kernel, op.getStrides(), op.getDilations(), op.getPadsBegin(),
          op.getPadsEnd()};
}

LogicalResult ConvOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto weight = cast<RankedTensorType>(getWeight().getType());
  if (weight.getRank() != input.getRank() || !weight.hasStaticShape())
    return emitOpError("needs a weight [O, C / groups, kernel..] of static "
                       "sizes for an operand ")
           << input << ", found " << weight;
  int64_t groups = getGroups(), outputs = weight.getDimSize(0);
  if (groups < 1 || outputs % groups ||
      !mayEqual(input.getShape().back(), weight.getDimSize(1) * groups))
    return emitOpError("has ")
           << groups << " groups over " << input << " and " << weight;
  return verifyWindow(*this, getInput(), windowOf(*this, getKernel()));
}

SmallVector<SymbolicShape>
ConvOp::inferShapes(ArrayRef<SymbolicShape> operands) {
  SmallVector<int64_t> kernel = getKernel();
  return {windowShape(operands[0], windowOf(*this, kernel), operands[1][0])};
}

/// A factor per group, which holds inputs and outputs of its own; with one
/// group, the input channels are summed over.
ShardingRule ConvOp::getShardingRule(ArrayRef<SymbolicShape> operands,
                                     ArrayRef<SymbolicShape> results) {
  RuleBuilder rule;
  int64_t groups = getGroups();
  int64_t outputs = *operands[1][0].constant() / groups;
  rule.factor("n", operands[0][0]);
  rule.factor("g", SizeExpr(groups));
  rule.factor("o", SizeExpr(outputs));
  rule.factor("c", operands[1][1],
              groups == 1 ? FactorKind::Sum : FactorKind::Replicated);
  auto around = [](StringRef first, SmallVector<std::string> middle,
                   StringRef last) {
    middle.insert(middle.begin(), first.str());
    middle.push_back(last.str());
    return middle;
  };
  rule.operand(
      around("n", declareSpatialFactors(rule, "s", operands[0]), "g c"));
  SmallVector<std::string> weight =
      declareFactors(rule, "k", ArrayRef<SizeExpr>(operands[1]).drop_front(2),
                     FactorKind::Replicated);
  weight.insert(weight.begin(), {"g o", "c"});
  rule.operand(weight);
  rule.result(around("n", declareSpatialFactors(rule, "t", results[0]), "g o"));
  return rule.linear({0}).linear({1}).build();
}

SizeExpr ConvOp::getFlops(ArrayRef<SymbolicShape> operands,
                          ArrayRef<SymbolicShape> results) {
  SizeExpr perOutput =
      product(ArrayRef<SizeExpr>(operands[1]).drop_front()) * SizeExpr(2);
  return product(results[0]) * perOutput;
}

Evaluated ConvOp::evaluate(ArrayRef<const HostTensor *> operands,
                           const EvaluationContext &) {
  const HostTensor &in = *operands[0], &weight = *operands[1];
  SmallVector<int64_t> kernel = getKernel();
  Window window = windowOf(*this, kernel);
  SymbolicShape inShape(in.shape.begin(), in.shape.end());
  SmallVector<int64_t> shape;
  for (const SizeExpr &size :
       windowShape(inShape, window, SizeExpr(weight.shape[0])))
    shape.push_back(*size.constant());
  ArrayRef<int64_t> sizes =
      ArrayRef<int64_t>(in.shape).drop_front().drop_back();
  int64_t channels = in.shape.back(), inner = weight.shape[1], taps = 1;
  for (int64_t size : kernel)
    taps *= size;
  int64_t perGroup = weight.shape[0] / getGroups(), plane = 1;
  for (int64_t size : sizes)
    plane *= size;
  HostTensor result = HostTensor::zeros(in.dtype, shape);
  int64_t number = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    int64_t output = index.back(), first = output / perGroup * inner;
    double sum = 0;
    forEachTap(window, sizes, index.drop_front(), [&](int64_t at, int64_t tap) {
      int64_t row = (index[0] * plane + at) * channels + first;
      for (int64_t c = 0; c < inner; ++c)
        sum += in.getFloat(row + c) *
               weight.getFloat((output * inner + c) * taps + tap);
    });
    result.setFloat(number++, sum);
  });
  return single(std::move(result));
}

FusionKind ConvOp::getFusionKind() { return FusionKind::Library; }

void ConvOp::localize(const Strategy &strategy, int64_t ways,
                      ArrayRef<SymbolicShape>, ArrayRef<SymbolicShape>) {
  int channels = cast<RankedTensorType>(getInput().getType()).getRank() - 1;
  if (getGroups() > 1 && strategy.operands[0] == State::split(channels))
    setGroups(getGroups() / ways);
}
