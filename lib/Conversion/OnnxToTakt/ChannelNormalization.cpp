//===- ChannelNormalization.cpp - batch, instance and group norm ----------===//
#include "Registry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

/// Fails with a message unless inputs `first` and following are vectors with
/// `size` elements, in the input's type.
static LogicalResult checkVectors(NodeLowering &n, unsigned first,
                                  unsigned last, const SizeExpr &size) {
  for (unsigned i = first; i <= last; ++i) {
    if (n.rank(i) != 1 || n.input(i).element != n.input(0).element)
      return n.fail("has parameters that are no vectors of the input's type; "
                    "correct the model");
    if (failed(n.equate(n.input(i).shape[0], size,
                        "parameters with one number per channel")))
      return failure();
  }
  return success();
}

/// (x - mean) / sqrt(variance + epsilon) * scale + bias per channel: two
/// vectors that depend on weights alone.
static LogicalResult batchNormalization(NodeLowering &n) {
  if (n.integer("training_mode", 0) || n.isUsed(1) || n.isUsed(2))
    return n.fail("is in training mode, expected inference; export the model "
                  "for inference");
  if (n.rank(0) < 2 || !isa<FloatType>(n.input(0).element))
    return n.fail("normalises " + shapeText(n.input(0).shape) +
                  ", expected floats [N, C, ..]");
  if (failed(checkVectors(n, 1, 4, n.input(0).shape[1])))
    return failure();
  Value x = n.value(0), scale = n.value(1), bias = n.value(2);
  Value mean = n.value(3), variance = n.value(4);
  ImplicitLocOpBuilder &b = n.builder;
  Value epsilon = n.splatLike(n.number("epsilon", 1e-5), variance);
  Value deviation =
      b.create<math::SqrtOp>(b.create<arith::AddFOp>(variance, epsilon));
  Value factor = b.create<arith::DivFOp>(scale, deviation);
  Value offset =
      b.create<arith::SubFOp>(bias, b.create<arith::MulFOp>(mean, factor));
  SymbolicShape shape = n.shape(x);
  Value scaled = b.create<arith::MulFOp>(x, n.alongDim(factor, 1, shape));
  return n.result(
      b.create<arith::AddFOp>(scaled, n.alongDim(offset, 1, shape)));
}

/// (x - mean) / sqrt(variance + epsilon) over the dimensions from 2 on.
static Value normalizePlanes(NodeLowering &n, Value x, double epsilon) {
  SymbolicShape shape = n.shape(x);
  ImplicitLocOpBuilder &b = n.builder;
  auto axes = llvm::to_vector(llvm::seq<int64_t>(2, shape.size()));
  SizeExpr count = product(ArrayRef<SizeExpr>(shape).drop_front(2));
  auto mean = [&](Value value) -> Value {
    Value sum = n.make<ReduceOp>(n.element(x), value, "sum",
                                 b.getDenseI64ArrayAttr(axes));
    Value divisor = n.broadcast(n.sizeAs(count, n.element(x)), n.shape(sum));
    return b.create<arith::DivFOp>(sum, divisor);
  };
  auto spread = [&](Value planes) {
    return n.make<BroadcastOp>(n.element(x), planes,
                               b.getDenseI64ArrayAttr({0, 1}),
                               n.shapeAttr(shape));
  };
  Value centered = b.create<arith::SubFOp>(x, spread(mean(x)));
  Value variance = mean(b.create<arith::MulFOp>(centered, centered));
  Value shifted =
      b.create<arith::AddFOp>(variance, n.splatLike(epsilon, variance));
  Value factor = b.create<math::RsqrtOp>(shifted);
  return b.create<arith::MulFOp>(centered, spread(factor));
}

/// Where x is [N, C, spatial..] seen as [N, groups, rest], the form in which
/// exporters write a group norm: [N, groups, C / groups, spatial..], which
/// keeps the channels apart.
static Value withChannelsApart(NodeLowering &n, Value x) {
  auto reshape = x.getDefiningOp<ReshapeOp>();
  if (!reshape || n.rankOf(x) != 3)
    return x;
  SymbolicShape from = n.shape(reshape.getInput()), to = n.shape(x);
  if (from.size() < 3 || from[0] != to[0])
    return x;
  auto channels = from[1].constant(), groups = to[1].constant();
  if (!channels || !groups || *groups < 1 || *channels % *groups)
    return x;
  SymbolicShape apart = {from[0], to[1], SizeExpr(*channels / *groups)};
  apart.append(from.begin() + 2, from.end());
  return n.reshape(reshape.getInput(), apart);
}

static LogicalResult instanceNormalization(NodeLowering &n) {
  if (n.rank(0) < 3 || !isa<FloatType>(n.input(0).element))
    return n.fail("normalises " + shapeText(n.input(0).shape) +
                  ", expected floats [N, C, spatial..]");
  if (failed(checkVectors(n, 1, 2, n.input(0).shape[1])))
    return failure();
  Value x = n.value(0);
  SymbolicShape shape = n.shape(x);
  Value apart = withChannelsApart(n, x);
  SymbolicShape apartShape = n.shape(apart);
  Value y = normalizePlanes(n, apart, n.number("epsilon", 1e-5));
  y = n.builder.create<arith::MulFOp>(y, n.alongDim(n.value(1), 1, apartShape));
  y = n.builder.create<arith::AddFOp>(y, n.alongDim(n.value(2), 1, apartShape));
  return n.result(n.reshape(y, shape));
}

/// scale and bias have one number per group until opset 20, then one per
/// channel.
static LogicalResult groupNormalization(NodeLowering &n) {
  int64_t groups = n.integer("num_groups", 0);
  auto channels = n.rank(0) < 3 ? std::nullopt : n.input(0).shape[1].constant();
  if (!channels || groups < 1 || *channels % groups ||
      !isa<FloatType>(n.input(0).element))
    return n.fail("normalises " + shapeText(n.input(0).shape) + " in " +
                  Twine(groups) +
                  " groups; expected floats [N, C, spatial..] with C a "
                  "multiple of the groups");
  bool isPerGroup = n.rank(1) == 1 && n.input(1).shape[0].isConstant(groups) &&
                    groups != *channels;
  SymbolicShape shape = n.input(0).shape;
  if (failed(checkVectors(n, 1, 2, isPerGroup ? SizeExpr(groups) : shape[1])))
    return failure();
  SymbolicShape apart = {shape[0], SizeExpr(groups),
                         SizeExpr(*channels / groups)};
  apart.append(shape.begin() + 2, shape.end());
  Value y = normalizePlanes(n, n.reshape(n.value(0), apart),
                            n.number("epsilon", 1e-5));
  if (!isPerGroup)
    y = n.reshape(y, shape);
  SymbolicShape paired = n.shape(y);
  y = n.builder.create<arith::MulFOp>(y, n.alongDim(n.value(1), 1, paired));
  y = n.builder.create<arith::AddFOp>(y, n.alongDim(n.value(2), 1, paired));
  return n.result(n.reshape(y, shape));
}

void legalize::registerChannelNormalizations(Registry &registry) {
  registry.add("BatchNormalization", batchNormalization);
  registry.add("InstanceNormalization", instanceNormalization);
  registry.add("GroupNormalization", groupNormalization, 18);
}
