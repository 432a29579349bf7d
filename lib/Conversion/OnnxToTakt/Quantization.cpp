//===- Quantization.cpp - floats as small integers, and back --------------===//
#include "ElementwiseHelpers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

/// Input `index`, a scale or zero point, as float32 of the shape of input 0:
/// one number, one per position along the axis, or one per block of positions.
static FailureOr<Value> parameter(NodeLowering &n, unsigned index) {
  SymbolicShape shape = n.input(0).shape;
  Value value = convertTo(n, n.value(index), n.builder.getF32Type());
  SymbolicShape own = n.shape(value);
  if (own.empty() || (own.size() == 1 && own[0].isConstant(1)))
    return n.broadcast(n.reshape(value, {}), shape);
  FailureOr<int64_t> axis = n.axis(n.integer("axis", 1), shape.size());
  if (failed(axis))
    return failure();
  if (own.size() == 1) {
    if (failed(n.equate(own[0], shape[*axis], "one parameter per position")))
      return failure();
    return n.alongDim(value, *axis, shape);
  }
  int64_t block = n.integer("block_size", 0);
  if (own.size() != shape.size() || block < 1)
    return LogicalResult(n.fail("has parameters of shape " + shapeText(own) +
                                " with block_size " + Twine(block) +
                                ", expected one number, a vector or blocks"));
  Value position =
      n.positions(ArrayRef(shape).slice(*axis, 1), 0, n.builder.getI64Type());
  Value blocks =
      n.builder.create<arith::DivSIOp>(position, n.splatLike(block, position));
  return n.reshape(n.make<GatherOp>(n.element(value), value, blocks, *axis,
                                    StringAttr(), StringAttr()),
                   shape);
}

/// round(x / scale) + zero point, to even, bounded to what `element` holds.
static Value quantized(NodeLowering &n, Value x, Value scale, Value zeroPoint,
                       Type element) {
  FloatBuilder b(n, x);
  Value rounded = n.builder.create<math::RoundEvenOp>(b.div(x, scale));
  if (zeroPoint)
    rounded = b.add(rounded, zeroPoint);
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger();
  double lowest = isUnsigned ? 0 : -std::ldexp(1.0, width - 1);
  double highest = std::ldexp(1.0, isUnsigned ? width : width - 1) - 1;
  Value bounded = b.min(b.max(rounded, b.number(lowest)), b.number(highest));
  return convertTo(n, bounded, element);
}

static LogicalResult quantizeLinear(NodeLowering &n) {
  FailureOr<Value> x = floatInput(n, 0);
  if (failed(x))
    return failure();
  Type element = elementTypeOf(n.integer("output_dtype", 2), n.builder);
  if (n.has(2))
    element = n.input(2).element;
  if (!element || !isa<IntegerType>(element) || !dtypeOf(element) ||
      element.getIntOrFloatBitWidth() > 16 || element.isInteger(1))
    return n.fail("quantises to another type than integers of 8 or 16 bits");
  FailureOr<Value> scale = parameter(n, 1), zeroPoint = Value();
  if (succeeded(scale) && n.has(2))
    zeroPoint = parameter(n, 2);
  if (failed(scale) || failed(zeroPoint))
    return failure();
  Value wide = convertTo(n, *x, n.builder.getF32Type());
  return n.result(quantized(n, wide, *scale, *zeroPoint, element));
}

static LogicalResult dequantizeLinear(NodeLowering &n) {
  Type from = n.input(0).element, to = n.input(1).element;
  if (n.node.attribute("output_dtype") && n.integer("output_dtype", 0))
    to = elementTypeOf(n.integer("output_dtype", 0), n.builder);
  auto integer = dyn_cast<IntegerType>(from);
  if (!integer || !dtypeOf(from) || integer.getWidth() < 8 ||
      integer.getWidth() > 32 || !isa_and_nonnull<FloatType>(to))
    return n.fail("has an operand of another type than integers of 8 to 32 "
                  "bits, or a result that is no float");
  FailureOr<Value> scale = parameter(n, 1), zeroPoint = Value();
  if (succeeded(scale) && n.has(2))
    zeroPoint = parameter(n, 2);
  if (failed(scale) || failed(zeroPoint))
    return failure();
  Value x = convertTo(n, n.value(0), n.builder.getF32Type());
  FloatBuilder b(n, x);
  if (*zeroPoint)
    x = b.sub(x, *zeroPoint);
  return n.result(convertTo(n, b.mul(x, *scale), to));
}

/// Scale and zero point from the range of x and 0, for uint8.
static LogicalResult dynamicQuantizeLinear(NodeLowering &n) {
  FailureOr<Value> x = floatInput(n, 0);
  if (failed(x))
    return failure();
  SymbolicShape shape = n.shape(*x);
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  auto extreme = [&](StringRef kind) {
    return n.reshape(n.reduceKept(kind, *x, all), {});
  };
  Value high = extreme("max"), low = extreme("min");
  FloatBuilder b(n, high);
  high = b.max(high, b.number(0));
  low = b.min(low, b.number(0));
  Value scale = b.div(b.sub(high, low), b.number(255));
  // Only zeros: any scale will do.
  scale = b.select(b.equal(scale, b.number(0)), b.number(1), scale);
  Type element = n.builder.getIntegerType(8, /*isSigned=*/false);
  Value zeroPoint = quantized(n, b.negate(low), scale, Value(), element);
  Value shift = convertTo(n, zeroPoint, n.element(*x));
  Value y = quantized(n, *x, n.broadcast(scale, shape),
                      n.broadcast(shift, shape), element);
  if (failed(n.result(y)) || (n.isUsed(1) && failed(n.result(scale, 1))))
    return failure();
  return n.isUsed(2) ? n.result(zeroPoint, 2) : success();
}

void legalize::registerQuantizations(Registry &registry) {
  registry.add("QuantizeLinear", quantizeLinear, 10);
  registry.add("DequantizeLinear", dequantizeLinear, 10);
  registry.add("DynamicQuantizeLinear", dynamicQuantizeLinear, 11);
}
