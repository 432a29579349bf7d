//===- Resize.cpp - interpolation along each dimension --------------------===//
#include "Registry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

namespace {
/// How one dimension changes.
struct Axis {
  int64_t dim;
  SizeExpr in, out;
  std::optional<float> scale; // given by the model; else out / in
};

/// The attributes that say which input position an output position reads.
struct Mapping {
  std::string transformation, nearest;
  bool isLinear;

  /// As ONNX Runtime computes it, in f32.
  float position(int64_t x, int64_t in, int64_t out, float scale) const {
    if (transformation == "asymmetric")
      return float(x) / scale;
    if (transformation == "align_corners")
      return out == 1 ? 0.0f : float(x) * float(in - 1) / float(out - 1);
    if (transformation == "pytorch_half_pixel" && out <= 1)
      return 0.0f;
    return (float(x) + 0.5f) / scale - 0.5f;
  }
  int64_t round(float position) const {
    if (nearest == "floor")
      return std::floor(position);
    if (nearest == "ceil")
      return std::ceil(position);
    if (nearest == "round_prefer_ceil")
      return std::floor(position + 0.5f);
    return std::ceil(position - 0.5f);
  }
};
} // namespace

static Value vectorOf(NodeLowering &n, ArrayRef<int64_t> numbers) {
  auto type =
      RankedTensorType::get({int64_t(numbers.size())}, n.builder.getI64Type());
  return n.builder.create<arith::ConstantOp>(
      DenseElementsAttr::get(type, numbers));
}

static Value take(NodeLowering &n, Value x, Value indices, int64_t dim) {
  return n.make<GatherOp>(n.element(x), x, indices, dim, StringAttr(),
                          StringAttr());
}

/// x[low] + (x[high] - x[low]) * weight along one dimension.
static Value interpolate(NodeLowering &n, Value x, const Axis &axis,
                         const Mapping &mapping, int64_t in, int64_t out,
                         float scale) {
  SmallVector<int64_t> low, high;
  SmallVector<float> weights;
  for (int64_t i = 0; i < out; ++i) {
    float position =
        std::clamp(mapping.position(i, in, out, scale), 0.0f, float(in - 1));
    low.push_back(std::floor(position));
    high.push_back(std::min(low.back() + 1, in - 1));
    weights.push_back(position - float(low.back()));
  }
  ImplicitLocOpBuilder &b = n.builder;
  Value first = take(n, x, vectorOf(n, low), axis.dim);
  Value second = take(n, x, vectorOf(n, high), axis.dim);
  auto type = RankedTensorType::get({out}, b.getF32Type());
  Value weight = b.create<arith::ConstantOp>(
      DenseElementsAttr::get(type, ArrayRef<float>(weights)));
  Value repeated = n.make<BroadcastOp>(b.getF32Type(), weight,
                                       b.getDenseI64ArrayAttr(axis.dim),
                                       n.shapeAttr(n.shape(first)));
  Value difference = b.create<arith::SubFOp>(second, first);
  return b.create<arith::AddFOp>(first,
                                 b.create<arith::MulFOp>(difference, repeated));
}

/// Each element `factor` times: what every mapping but align_corners does for
/// a whole factor, whatever the size.
static Value repeat(NodeLowering &n, Value x, const Axis &axis,
                    int64_t factor) {
  ImplicitLocOpBuilder &b = n.builder;
  Type i64 = b.getI64Type();
  Value counter = n.make<IotaOp>(i64, "0", int64_t(1), n.shapeAttr(axis.out));
  Value divisor = n.splatLike(factor, counter);
  return take(n, x, b.create<arith::DivSIOp>(counter, divisor), axis.dim);
}

static FailureOr<Value> resizeAxis(NodeLowering &n, Value x, const Axis &axis,
                                   const Mapping &mapping) {
  auto in = axis.in.constant(), out = axis.out.constant();
  if (in && out && *in > 0) {
    float scale = axis.scale.value_or(float(*out) / float(*in));
    if (mapping.isLinear)
      return interpolate(n, x, axis, mapping, *in, *out, scale);
    SmallVector<int64_t> indices;
    for (int64_t i = 0; i < *out; ++i)
      indices.push_back(std::clamp<int64_t>(
          mapping.round(mapping.position(i, *in, *out, scale)), 0, *in - 1));
    return take(n, x, vectorOf(n, indices), axis.dim);
  }
  SizeExpr factor = axis.out.floorDiv(axis.in);
  std::optional<int64_t> whole = factor.constant();
  if (!whole && axis.scale && *axis.scale == std::floor(*axis.scale))
    whole = *axis.scale;
  bool isCentred = mapping.transformation != "align_corners" &&
                   (mapping.transformation == "asymmetric"
                        ? mapping.nearest == "floor"
                        : StringRef(mapping.nearest).starts_with("round"));
  if (!mapping.isLinear && whole && *whole > 0 && isCentred &&
      axis.in * SizeExpr(*whole) == axis.out)
    return repeat(n, x, axis, *whole);
  return LogicalResult(
      n.fail("changes a size that depends on the request other than by a whole "
             "factor with mode = nearest; bind the dimension with --dim"));
}

/// The dimensions that change, from the scales or the sizes.
static FailureOr<SmallVector<Axis>> readAxes(NodeLowering &n) {
  const SymbolicShape shape = n.input(0).shape;
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  auto dims = n.axes(n.integers("axes").value_or(all), shape.size());
  if (failed(dims))
    return failure();
  bool isOld = n.node.getVersion() < 11;
  unsigned scalesAt = isOld ? 1 : 2;
  SmallVector<Axis> axes;
  DenseFPElementsAttr scales;
  auto fits = [&](size_t count) {
    return count == dims->size()
               ? success()
               : n.fail("has " + Twine(count) + " scales or sizes for " +
                        Twine(dims->size()) + " dimensions");
  };
  if (!isOld && n.has(3)) {
    const SizeContent *sizes = n.content(3);
    if (!sizes)
      return LogicalResult(n.fail("has sizes that depend on data, expected "
                                  "ones made of sizes and constants"));
    if (failed(fits(sizes->size())))
      return failure();
    for (auto [dim, size] : llvm::zip(*dims, *sizes))
      axes.push_back({dim, shape[dim], size, std::nullopt});
    return axes;
  }
  if (!n.has(scalesAt) || !matchPattern(n.value(scalesAt), m_Constant(&scales)))
    return LogicalResult(n.fail("has neither constant scales nor sizes"));
  if (failed(fits(scales.getNumElements())))
    return failure();
  for (auto [dim, number] : llvm::zip(*dims, scales.getValues<APFloat>())) {
    float scale = number.convertToFloat();
    auto in = shape[dim].constant();
    if (!(scale > 0) || (!in && scale != std::floor(scale)))
      return LogicalResult(
          n.fail("has a scale that is not positive, or a broken one for a "
                 "size that depends on the request; bind it with --dim"));
    SizeExpr out = in ? SizeExpr(int64_t(std::floor(float(*in) * scale)))
                      : shape[dim] * SizeExpr(int64_t(scale));
    axes.push_back({dim, shape[dim], out, scale});
  }
  return axes;
}

static LogicalResult resize(NodeLowering &n) {
  std::string mode = n.text("mode", "nearest");
  bool isOld = n.node.getVersion() < 11;
  Mapping mapping{
      n.text("coordinate_transformation_mode",
             isOld ? "asymmetric" : "half_pixel"),
      n.text("nearest_mode", isOld ? "floor" : "round_prefer_floor"),
      mode == "linear"};
  static const StringRef known[] = {"half_pixel", "asymmetric", "align_corners",
                                    "pytorch_half_pixel"};
  if ((mode != "nearest" && mode != "linear") ||
      !llvm::is_contained(known, mapping.transformation) ||
      n.integer("antialias", 0) || n.integer("exclude_outside", 0) ||
      n.text("keep_aspect_ratio_policy", "stretch") != "stretch")
    return n.fail("has mode = " + mode + " with " + mapping.transformation +
                  "; expected nearest or linear with half_pixel, asymmetric, "
                  "align_corners or pytorch_half_pixel, without antialias and "
                  "aspect ratio policy");
  auto axes = readAxes(n);
  if (failed(axes))
    return failure();
  Value x = n.value(0);
  if (mapping.isLinear && !n.element(x).isF32())
    return n.fail("interpolates another type than float32; insert a Cast");
  for (const Axis &axis : *axes) {
    if (axis.in == axis.out)
      continue;
    FailureOr<Value> resized = resizeAxis(n, x, axis, mapping);
    if (failed(resized))
      return failure();
    x = *resized;
  }
  return n.result(x);
}

void legalize::registerResizes(Registry &registry) {
  registry.add("Resize", resize, 10);
}
