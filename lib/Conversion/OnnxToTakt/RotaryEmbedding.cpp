//===- RotaryEmbedding.cpp - pairs of elements rotated by position --------===//
#include "ElementwiseHelpers.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

/// Input `index`, a table of cosines or sines, as [B, S, half] repeated over
/// the heads to `shape`, whose dimension `heads` counts them.
static FailureOr<Value> table(NodeLowering &n, unsigned index, int64_t heads,
                              ArrayRef<SizeExpr> shape) {
  Value values = n.value(index);
  if (n.has(3))
    values = n.make<GatherOp>(n.element(values), values, n.value(3), int64_t(0),
                              StringAttr(), StringAttr());
  SymbolicShape wanted(shape);
  wanted.erase(wanted.begin() + heads);
  if (n.rankOf(values) != 3)
    return LogicalResult(n.fail("has a cache of shape " +
                                shapeText(n.input(index).shape) +
                                ", expected one row per position, or per batch "
                                "and position without position_ids"));
  for (auto [size, want] : llvm::zip(n.shape(values), wanted))
    if (!size.isConstant(1) &&
        failed(n.equate(size, want, "a cache of the rotated half's size")))
      return failure();
  SymbolicShape kept = n.shape(values);
  kept.insert(kept.begin() + heads, SizeExpr(1));
  return n.broadcast(n.reshape(values, kept), shape);
}

/// The rotated elements `first` and `second` in their old places.
static Value join(NodeLowering &n, Value first, Value second,
                  bool isInterleaved) {
  if (!isInterleaved)
    return n.concat({first, second}, 3);
  SymbolicShape apart = n.shape(first), whole = apart;
  apart.push_back(SizeExpr(1));
  whole.back() = whole.back() * SizeExpr(2);
  Value pairs =
      n.concat({n.reshape(first, apart), n.reshape(second, apart)}, 4);
  return n.reshape(pairs, whole);
}

/// Rotates the first `rotated` elements of the last dimension of x, [B, H, S,
/// D] or [B, S, H, D].
static FailureOr<Value> rotate(NodeLowering &n, Value x, int64_t heads,
                               int64_t rotated) {
  SizeExpr half(rotated / 2), depth = n.shape(x)[3];
  bool isInterleaved = n.integer("interleaved", 0) != 0;
  Value a = isInterleaved ? n.part(x, 3, 0, half, 2) : n.part(x, 3, 0, half);
  Value b = isInterleaved ? n.part(x, 3, 1, half, 2) : n.part(x, 3, half, half);
  FailureOr<Value> cos = table(n, 1, heads, n.shape(a));
  FailureOr<Value> sin = table(n, 2, heads, n.shape(a));
  if (failed(cos) || failed(sin))
    return failure();
  FloatBuilder build(n, a);
  Value first = build.sub(build.mul(*cos, a), build.mul(*sin, b));
  Value second = build.add(build.mul(*sin, a), build.mul(*cos, b));
  Value result = join(n, first, second, isInterleaved);
  if (depth.isConstant(rotated))
    return result;
  Value rest = n.part(x, 3, rotated, depth - SizeExpr(rotated));
  return n.concat({result, rest}, 3);
}

/// x is [B, H, S, D], or [B, S, H * D] with num_heads.
static LogicalResult rotaryEmbedding(NodeLowering &n) {
  FailureOr<Value> x = floatInput(n, 0);
  if (failed(x))
    return failure();
  SymbolicShape shape = n.shape(*x);
  bool isMerged = shape.size() == 3;
  int64_t heads = n.integer("num_heads", 0);
  auto depth = shape.back().constant();
  if (isMerged && depth)
    depth = heads > 0 && *depth % heads == 0 ? std::optional(*depth / heads)
                                             : std::nullopt;
  int64_t rotated = n.integer("rotary_embedding_dim", 0);
  if (rotated == 0)
    rotated = depth.value_or(0);
  if ((!isMerged && shape.size() != 4) || !depth || rotated < 2 ||
      rotated % 2 || rotated > *depth)
    return n.fail("rotates " + Twine(rotated) + " elements of " +
                  shapeText(shape) + " with num_heads = " + Twine(heads) +
                  ", expected an even number of a head's elements");
  if (isMerged)
    x = n.reshape(*x, {shape[0], shape[1], SizeExpr(heads), SizeExpr(*depth)});
  FailureOr<Value> result = rotate(n, *x, isMerged ? 2 : 1, rotated);
  if (failed(result))
    return failure();
  return n.result(n.reshape(*result, shape));
}

void legalize::registerRotaryEmbeddings(Registry &registry) {
  registry.add("RotaryEmbedding", rotaryEmbedding, 23);
}
