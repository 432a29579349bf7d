//===- Cast.cpp - conversions of the element type -------------------------===//
#include "ElementwiseHelpers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

Type legalize::elementTypeOf(int64_t dataType, Builder &builder) {
  switch (dataType) {
  case 1:
    return builder.getF32Type();
  case 2:
    return builder.getIntegerType(8, /*isSigned=*/false);
  case 3:
    return builder.getIntegerType(8);
  case 4:
    return builder.getIntegerType(16, /*isSigned=*/false);
  case 5:
    return builder.getIntegerType(16);
  case 6:
    return builder.getI32Type();
  case 7:
    return builder.getI64Type();
  case 9:
    return builder.getI1Type();
  case 10:
    return builder.getF16Type();
  case 11:
    return builder.getF64Type();
  case 12:
    return builder.getIntegerType(32, /*isSigned=*/false);
  case 13:
    return builder.getIntegerType(64, /*isSigned=*/false);
  case 16:
    return builder.getBF16Type();
  default:
    return {};
  }
}

static Value toBool(NodeLowering &n, Value x) {
  Value zero = n.splatLike(0, x);
  // NaN is not 0.
  if (isa<FloatType>(n.element(x)))
    return n.builder.create<arith::CmpFOp>(arith::CmpFPredicate::UNE, x, zero);
  return n.builder.create<arith::CmpIOp>(arith::CmpIPredicate::ne, x, zero);
}

/// A float beyond the type is undefined in the model, unless it fits 64 bits.
static Value toUnsigned(NodeLowering &n, Value x, Type to) {
  unsigned width = to.getIntOrFloatBitWidth();
  if (isa<FloatType>(n.element(x)))
    x = convertTo(n, x, n.builder.getI64Type());
  return n.make<ReinterpretOp>(
      to, convertTo(n, x, n.builder.getIntegerType(width)));
}

static Value fromUnsigned(NodeLowering &n, Value x, Type to) {
  Value bits = asSignless(n, x);
  Type type = cast<RankedTensorType>(bits.getType()).clone(to);
  unsigned fromWidth = n.element(bits).getIntOrFloatBitWidth();
  if (isa<FloatType>(to))
    return n.builder.create<arith::UIToFPOp>(type, bits);
  if (fromWidth < to.getIntOrFloatBitWidth())
    return n.builder.create<arith::ExtUIOp>(type, bits);
  return convertTo(n, bits, to);
}

Value legalize::convertTo(NodeLowering &n, Value x, Type to) {
  Type from = n.element(x);
  if (from == to)
    return x;
  if (to.isInteger(1))
    return toBool(n, asSignless(n, x));
  if (to.isUnsignedInteger())
    return toUnsigned(n, x, to);
  if (from.isUnsignedInteger())
    return fromUnsigned(n, x, to);
  Type type = cast<RankedTensorType>(x.getType()).clone(to);
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  unsigned fromWidth = from.getIntOrFloatBitWidth();
  unsigned toWidth = to.getIntOrFloatBitWidth();
  if (fromFloat && toFloat) {
    if (fromWidth == toWidth) // f16 and bf16, by way of f32
      return convertTo(n, convertTo(n, x, n.builder.getF32Type()), to);
    if (fromWidth < toWidth)
      return n.builder.create<arith::ExtFOp>(type, x);
    return n.builder.create<arith::TruncFOp>(type, x);
  }
  if (fromFloat)
    return n.builder.create<arith::FPToSIOp>(type, x);
  if (toFloat && fromWidth == 1)
    return n.builder.create<arith::UIToFPOp>(type, x);
  if (toFloat)
    return n.builder.create<arith::SIToFPOp>(type, x);
  if (fromWidth == 1)
    return n.builder.create<arith::ExtUIOp>(type, x);
  if (fromWidth < toWidth)
    return n.builder.create<arith::ExtSIOp>(type, x);
  return n.builder.create<arith::TruncIOp>(type, x);
}

static LogicalResult castSizes(NodeLowering &n, Type to) {
  auto sizes = [&](ArrayRef<SizeExpr> e) -> std::optional<SizeExpr> {
    if (to.isSignlessInteger(64) || to == n.input(0).element)
      return e[0];
    auto value = e[0].constant();
    if (to.isInteger(1)) {
      if (value || isDifferent(e[0], 0))
        return SizeExpr(value && *value == 0 ? 0 : 1);
      return std::nullopt;
    }
    // Sizes fit 32 bits in practice, constants are checked.
    if (to.isSignlessInteger(32) && (!value || llvm::isInt<32>(*value)))
      return e[0];
    return std::nullopt;
  };
  return success(mapContent(n, to, sizes));
}

static LogicalResult castTo(NodeLowering &n, Type to) {
  Type from = n.input(0).element;
  if (from == to)
    return n.forward(0);
  if (isa<IntegerType>(to) && succeeded(castSizes(n, to)))
    return success();
  for (Type element : {from, to})
    if (isa<IntegerType>(element) && !dtypeOf(element)) {
      std::string type;
      llvm::raw_string_ostream(type) << element;
      return n.fail("casts from or to " + type +
                    ", expected floats or integers of 8 to 64 bits or bool");
    }
  return n.result(convertTo(n, n.value(0), to));
}

static LogicalResult lowerCast(NodeLowering &n) {
  int64_t dataType = n.integer("to", 0);
  Type to = elementTypeOf(dataType, n.builder);
  if (!to)
    return n.fail("casts to data type " + Twine(dataType) +
                  " of TensorProto, expected a float of 16 to 64 bits, an "
                  "integer of 8 to 64 bits or bool");
  return castTo(n, to);
}

static LogicalResult castLike(NodeLowering &n) {
  return castTo(n, n.input(1).element);
}

//===----------------------------------------------------------------------===//
// Pow: its operands may differ in type
//===----------------------------------------------------------------------===//

/// The value of an exponent that is the same constant throughout.
static std::optional<double> constantExponent(NodeLowering &n) {
  if (auto values = n.constants(1))
    return values->size() == 1 ? std::optional<double>((*values)[0])
                               : std::nullopt;
  auto op = n.value(1).getDefiningOp<arith::ConstantOp>();
  auto dense = op ? dyn_cast<DenseFPElementsAttr>(op.getValue()) : nullptr;
  if (!dense || dense.getNumElements() != 1)
    return std::nullopt;
  APFloat value = *dense.begin();
  bool losesInfo = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

static LogicalResult power(NodeLowering &n) {
  Value base = n.value(0);
  Type result = n.element(base);
  std::optional<double> exponent = constantExponent(n);
  bool isSmall =
      exponent && (*exponent == 1 || *exponent == 2 || *exponent == 3);
  if (isSmall && n.rank(1) <= n.rank(0) && isa<FloatType>(result)) {
    Value product = base;
    for (int i = 1; i < *exponent; ++i)
      product = n.builder.create<arith::MulFOp>(product, base);
    return n.result(product);
  }
  // Integers up to 2^53 are exact in f64.
  Type compute = isa<FloatType>(result) ? result : n.builder.getF64Type();
  SmallVector<Value> values = {convertTo(n, base, compute),
                               convertTo(n, n.value(1), compute)};
  if (failed(n.broadcastTogether(values)))
    return failure();
  Value power = n.builder.create<math::PowFOp>(values[0], values[1]);
  return n.result(convertTo(n, power, result));
}

void legalize::registerCasts(Registry &registry) {
  registry.add("Cast", lowerCast);
  registry.add("CastLike", castLike, 15);
  registry.add("Pow", power);
}
