//===- Activation.cpp - activation functions ------------------------------===//
#include "ElementwiseHelpers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

/// Lowers y = function(x) on floats.
template <Value (*function)(NodeLowering &, FloatBuilder, Value)>
static LogicalResult activation(NodeLowering &n) {
  FailureOr<Value> x = floatInput(n, 0);
  if (failed(x))
    return failure();
  return n.result(function(n, FloatBuilder(n, *x), *x));
}

static LogicalResult relu(NodeLowering &n) {
  Value x = n.value(0), zero = n.splatLike(0, x);
  if (isa<FloatType>(n.element(x)))
    return n.result(n.builder.create<arith::MaximumFOp>(x, zero));
  return n.result(n.builder.create<arith::MaxSIOp>(x, zero));
}

static Value sigmoidOf(FloatBuilder b, Value x) {
  return b.div(b.number(1), b.add(b.number(1), b.exp(b.negate(x))));
}

static Value sigmoid(NodeLowering &, FloatBuilder b, Value x) {
  return sigmoidOf(b, x);
}

/// x * sigmoid(alpha * x), also called SiLU.
static Value swish(NodeLowering &n, FloatBuilder b, Value x) {
  double alpha = n.number("alpha", 1);
  Value scaled = alpha == 1 ? x : b.mul(x, b.number(alpha));
  return b.mul(x, sigmoidOf(b, scaled));
}

static LogicalResult gelu(NodeLowering &n) {
  std::string approximate = n.text("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    return n.fail("has approximate = '" + approximate +
                  "', expected 'none' or 'tanh'; correct the model");
  Value x = n.value(0);
  return n.result(n.make<GeluOp>(n.element(x), x, approximate == "tanh"));
}

//===----------------------------------------------------------------------===//
// Bent at 0
//===----------------------------------------------------------------------===//

static Value leakyRelu(NodeLowering &n, FloatBuilder b, Value x) {
  Value scaled = b.mul(x, b.number(n.number("alpha", 0.01)));
  return b.select(b.less(x, b.number(0)), scaled, x);
}

/// The slope broadcasts to x.
static LogicalResult prelu(NodeLowering &n) {
  FailureOr<Value> x = floatInput(n, 0);
  if (failed(x))
    return failure();
  FailureOr<SymbolicShape> common =
      n.commonShape({n.shape(*x), n.input(1).shape});
  if (failed(common))
    return failure();
  if (common->size() != n.shape(*x).size())
    return n.fail("has a slope of higher rank than its input; correct the "
                  "model");
  Value slope = n.broadcast(n.value(1), n.shape(*x));
  FloatBuilder b(n, *x);
  return n.result(b.select(b.less(*x, b.number(0)), b.mul(*x, slope), *x));
}

/// alpha * (exp(x) - 1) below 0.
static Value elu(NodeLowering &n, FloatBuilder b, Value x) {
  Value bent =
      b.mul(b.number(n.number("alpha", 1)), b.sub(b.exp(x), b.number(1)));
  return b.select(b.less(x, b.number(0)), bent, x);
}

static Value selu(NodeLowering &n, FloatBuilder b, Value x) {
  // ONNX's defaults, rounded to float32.
  double alpha = n.number("alpha", 1.67326319217681884765625);
  double gamma = n.number("gamma", 1.05070102214813232421875);
  Value bent = b.mul(b.number(gamma * alpha), b.sub(b.exp(x), b.number(1)));
  return b.select(b.less(b.number(0), x), b.mul(b.number(gamma), x), bent);
}

/// max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).
static Value celu(NodeLowering &n, FloatBuilder b, Value x) {
  double alpha = n.number("alpha", 1);
  Value bent = b.mul(b.number(alpha),
                     b.sub(b.exp(b.div(x, b.number(alpha))), b.number(1)));
  return b.add(b.max(x, b.number(0)), b.min(bent, b.number(0)));
}

static Value thresholdedRelu(NodeLowering &n, FloatBuilder b, Value x) {
  Value alpha = b.number(n.number("alpha", 1));
  return b.select(b.less(alpha, x), x, b.number(0));
}

/// 0 within lambd of 0, else moved by bias toward 0.
static Value shrink(NodeLowering &n, FloatBuilder b, Value x) {
  double lambda = n.number("lambd", 0.5);
  Value bias = b.number(n.number("bias", 0));
  Value above =
      b.select(b.less(b.number(lambda), x), b.sub(x, bias), b.number(0));
  return b.select(b.less(x, b.number(-lambda)), b.add(x, bias), above);
}

//===----------------------------------------------------------------------===//
// Pieces of lines
//===----------------------------------------------------------------------===//

/// alpha * x + beta bounded to [0, 1].
static Value lineBetween0And1(FloatBuilder b, Value x, double alpha,
                              double beta) {
  Value line = b.add(b.mul(x, b.number(alpha)), b.number(beta));
  return b.max(b.min(line, b.number(1)), b.number(0));
}

static Value hardSigmoid(NodeLowering &n, FloatBuilder b, Value x) {
  // ONNX's default, rounded to float32.
  double alpha = n.number("alpha", 0.20000000298023223876953125);
  return lineBetween0And1(b, x, alpha, n.number("beta", 0.5));
}

static Value hardSwish(NodeLowering &, FloatBuilder b, Value x) {
  return b.mul(x, lineBetween0And1(b, x, 1.0 / 6, 0.5));
}

//===----------------------------------------------------------------------===//
// Smooth
//===----------------------------------------------------------------------===//

/// log(1 + exp(x)), written so that exp does not overflow.
static Value softplusOf(FloatBuilder b, Value x) {
  Value small = b.exp(b.negate(b.abs(x)));
  return b.add(b.max(x, b.number(0)), b.log(b.add(b.number(1), small)));
}

static Value softplus(NodeLowering &, FloatBuilder b, Value x) {
  return softplusOf(b, x);
}

static Value mish(NodeLowering &, FloatBuilder b, Value x) {
  return b.mul(x, b.tanh(softplusOf(b, x)));
}

static Value softsign(NodeLowering &, FloatBuilder b, Value x) {
  return b.div(x, b.add(b.number(1), b.abs(x)));
}

void legalize::registerActivations(Registry &registry) {
  registry.add("Relu", relu);
  registry.add("Sigmoid", activation<sigmoid>);
  registry.add("Swish", activation<swish>, 24);
  registry.add("Gelu", gelu, 20);
  registry.add("com.microsoft", "Gelu", gelu, 1);
  registry.add("LeakyRelu", activation<leakyRelu>);
  registry.add("PRelu", prelu);
  registry.add("Elu", activation<elu>);
  registry.add("Selu", activation<selu>);
  registry.add("Celu", activation<celu>, 12);
  registry.add("ThresholdedRelu", activation<thresholdedRelu>, 10);
  registry.add("Shrink", activation<shrink>, 9);
  registry.add("HardSigmoid", activation<hardSigmoid>);
  registry.add("HardSwish", activation<hardSwish>, 14);
  registry.add("Softplus", activation<softplus>);
  registry.add("Mish", activation<mish>, 18);
  registry.add("Softsign", activation<softsign>);
}
