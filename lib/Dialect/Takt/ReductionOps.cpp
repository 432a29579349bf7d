//===- ReductionOps.cpp - reduce ------------------------------------------===//
#include "OpHelpers.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace takt;

/// The kind named by the attribute; the verifier has checked it.
static FactorKind factorKind(StringRef kind) {
  return llvm::StringSwitch<FactorKind>(kind)
      .Case("sum", FactorKind::Sum)
      .Case("max", FactorKind::Max)
      .Case("min", FactorKind::Min)
      .Case("prod", FactorKind::Product)
      .Default(FactorKind::Replicated);
}

LogicalResult ReduceOp::verify() {
  auto in = cast<RankedTensorType>(getInput().getType());
  if (factorKind(getKind()) == FactorKind::Replicated)
    return emitOpError("has kind '")
           << getKind() << "', expected sum, max, min or prod";
  int64_t last = -1;
  for (int64_t axis : getAxes()) {
    if (axis <= last || axis >= in.getRank())
      return emitOpError("axes must rise and be below ")
             << in.getRank() << ", found " << axis;
    last = axis;
  }
  return verifyResultRank(*this, in.getRank() - int64_t(getAxes().size()));
}

SmallVector<SymbolicShape>
ReduceOp::inferShapes(ArrayRef<SymbolicShape> operands) {
  SymbolicShape result;
  for (auto [i, size] : llvm::enumerate(operands[0]))
    if (!llvm::is_contained(getAxes(), int64_t(i)))
      result.push_back(size);
  return {result};
}

ShardingRule ReduceOp::getShardingRule(ArrayRef<SymbolicShape> operands,
                                       ArrayRef<SymbolicShape>) {
  RuleBuilder rule;
  SmallVector<std::string> in = factorNames("d", operands[0].size()), out;
  for (auto [i, size] : llvm::enumerate(operands[0])) {
    bool isReduced = llvm::is_contained(getAxes(), int64_t(i));
    rule.factor(in[i], size,
                isReduced ? factorKind(getKind()) : FactorKind::Parallel);
    if (!isReduced)
      out.push_back(in[i]);
  }
  rule.operand(in).result(out);
  if (getKind() == "sum")
    rule.linear({0});
  return rule.build();
}

SizeExpr ReduceOp::getFlops(ArrayRef<SymbolicShape> operands,
                            ArrayRef<SymbolicShape>) {
  return product(operands[0]);
}

namespace {
/// One step of a reduction and its neutral element, on one number type.
template <typename T> struct Reducer {
  T neutral;
  T (*step)(T, T);
};
} // namespace

template <typename T> static Reducer<T> reducerFor(StringRef kind) {
  using Limits = std::numeric_limits<T>;
  if (kind == "sum")
    return {T(0), [](T a, T b) { return T(a + b); }};
  if (kind == "prod")
    return {T(1), [](T a, T b) { return T(a * b); }};
  bool hasInfinity = Limits::has_infinity;
  // A NaN wins, as in ONNX.
  if (kind == "max")
    return {hasInfinity ? T(-Limits::infinity()) : Limits::lowest(),
            [](T a, T b) { return a != a || a > b ? a : b; }};
  return {hasInfinity ? Limits::infinity() : Limits::max(),
          [](T a, T b) { return a != a || a < b ? a : b; }};
}

/// Visits (input position, output position) of every element.
static void forEachReduced(const HostTensor &in, ArrayRef<int64_t> axes,
                           llvm::function_ref<void(int64_t, int64_t)> body) {
  int64_t position = 0;
  forEachIndex(in.shape, [&](ArrayRef<int64_t> index) {
    int64_t out = 0;
    for (auto [i, size] : llvm::enumerate(in.shape))
      if (!llvm::is_contained(axes, int64_t(i)))
        out = out * size + index[i];
    body(position++, out);
  });
}

Evaluated ReduceOp::evaluate(ArrayRef<const HostTensor *> operands,
                             const EvaluationContext &) {
  const HostTensor &in = *operands[0];
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(in.shape))
    if (!llvm::is_contained(getAxes(), int64_t(i)))
      shape.push_back(size);
  HostTensor result = HostTensor::zeros(in.dtype, shape);
  int64_t count = result.numElements();
  if (isFloat(in.dtype)) {
    auto reducer = reducerFor<double>(getKind());
    SmallVector<double> sums(count, reducer.neutral);
    forEachReduced(in, getAxes(), [&](int64_t from, int64_t to) {
      sums[to] = reducer.step(sums[to], in.getFloat(from));
    });
    for (int64_t i = 0; i < count; ++i)
      result.setFloat(i, sums[i]);
    return single(std::move(result));
  }
  auto reducer = reducerFor<int64_t>(getKind());
  SmallVector<int64_t> sums(count, reducer.neutral);
  forEachReduced(in, getAxes(), [&](int64_t from, int64_t to) {
    sums[to] = reducer.step(sums[to], in.getInt(from));
  });
  for (int64_t i = 0; i < count; ++i)
    result.setInt(i, sums[i]);
  return single(std::move(result));
}

FusionKind ReduceOp::getFusionKind() { return FusionKind::RowReduction; }
