//===- MathExpansion.cpp - own expansions of math ops ---------------------===//
#include "CpuTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace takt;

/// Larger than that of upstream's patterns.
static constexpr unsigned ownBenefit = 10;

static Value number(OpBuilder &builder, Location loc, double value) {
  return builder.create<arith::ConstantOp>(
      loc, builder.getF32FloatAttr(float(value)));
}

static Value polynomial(OpBuilder &builder, Location loc, Value x,
                        ArrayRef<double> coefficients) {
  Value sum = number(builder, loc, coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = builder.create<math::FmaOp>(loc, sum, x,
                                      number(builder, loc, coefficient));
  return sum;
}

/// min(x, limit), and NaN where x is NaN: one instruction on x86.
static Value atMost(OpBuilder &builder, Location loc, Value x, double limit) {
  Value bound = number(builder, loc, limit);
  Value isAbove =
      builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OGT, x, bound);
  return builder.create<arith::SelectOp>(loc, isAbove, bound, x);
}

static Value atLeast(OpBuilder &builder, Location loc, Value x, double limit) {
  Value bound = number(builder, loc, limit);
  Value isBelow =
      builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OLT, x, bound);
  return builder.create<arith::SelectOp>(loc, isBelow, bound, x);
}

namespace {
/// erf(x) = x P(x^2) / Q(x^2) on [-3.92, 3.92], +-1 outside. The coefficients
/// minimise the largest absolute error (1.6e-8; 3.3e-7 with rounding); found by
/// reweighted least squares on 4,000 Chebyshev points.
struct ExpandErf : OpRewritePattern<math::ErfOp> {
  ExpandErf(MLIRContext *context) : OpRewritePattern(context, ownBenefit) {}

  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    static const double numerator[] = {1.128379022e+00, 1.927635570e-01,
                                       5.306042694e-02, 3.868309525e-03,
                                       2.874795501e-04, 2.034745595e-06};
    static const double denominator[] = {1.000000000e+00, 5.041639211e-01,
                                         1.150844228e-01, 1.517225944e-02,
                                         1.188111891e-03, 3.807076136e-05};
    Location loc = op.getLoc();
    Value x = atMost(rewriter, loc, op.getOperand(), 3.92);
    x = atLeast(rewriter, loc, x, -3.92);
    Value square = rewriter.create<arith::MulFOp>(loc, x, x);
    Value above = rewriter.create<arith::MulFOp>(
        loc, x, polynomial(rewriter, loc, square, numerator));
    Value below = polynomial(rewriter, loc, square, denominator);
    Value result = rewriter.create<arith::DivFOp>(loc, above, below);
    // Rounding may lead above 1, and gelu of a large number would show it.
    result = atMost(rewriter, loc, result, 1);
    rewriter.replaceOp(op, atLeast(rewriter, loc, result, -1));
    return success();
  }
};

/// exp(x) = 2^n exp(r) with r in [-ln 2 / 2, ln 2 / 2] and a polynomial of
/// degree 6 for exp(r) (relative error 3e-9, found like that of erf). 2^n is
/// two factors, which keeps subnormal results; with the flag `afn` it is one,
/// and they become 0.
struct ExpandExp : OpRewritePattern<math::ExpOp> {
  ExpandExp(MLIRContext *context) : OpRewritePattern(context, ownBenefit) {}

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    Location loc = op.getLoc();
    bool isApproximate =
        bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn);
    // Beyond these the result is inf or 0; NaN passes both.
    Value x = atMost(rewriter, loc, op.getOperand(), isApproximate ? 88 : 89);
    x = atLeast(rewriter, loc, x, isApproximate ? -88 : -104);
    // Adding 1.5 * 2^23 rounds to an integer, which is in the low bits then.
    Value shift = number(rewriter, loc, 12582912);
    Value shifted = rewriter.create<math::FmaOp>(
        loc, x, number(rewriter, loc, 1.4426950408889634), shift);
    Value n = rewriter.create<arith::SubFOp>(loc, shifted, shift);
    // ln 2 in two parts; n * high is exact.
    Value r = rewriter.create<math::FmaOp>(
        loc, n, number(rewriter, loc, -0.693359375), x);
    r = rewriter.create<math::FmaOp>(
        loc, n, number(rewriter, loc, 2.12194440054690583e-4), r);
    static const double coefficients[] = {1.0,
                                          1.0,
                                          4.999999343e-01,
                                          1.666652040e-01,
                                          4.166839080e-02,
                                          8.368745161e-03,
                                          1.381453958e-03};
    Value power = polynomial(rewriter, loc, r, coefficients);
    Value bits =
        rewriter.create<arith::BitcastOp>(loc, rewriter.getI32Type(), shifted);
    Value exponent = rewriter.create<arith::SubIOp>(
        loc, bits, integer(rewriter, loc, 0x4B400000));
    if (isApproximate) {
      rewriter.replaceOp(op, scale(rewriter, loc, power, exponent));
      return success();
    }
    Value half = rewriter.create<arith::ShRSIOp>(loc, exponent,
                                                 integer(rewriter, loc, 1));
    Value rest = rewriter.create<arith::SubIOp>(loc, exponent, half);
    power = scale(rewriter, loc, power, half);
    rewriter.replaceOp(op, scale(rewriter, loc, power, rest));
    return success();
  }

  static Value integer(OpBuilder &builder, Location loc, int64_t value) {
    return builder.create<arith::ConstantIntOp>(loc, value, 32);
  }

  /// value * 2^exponent, for exponents of normal numbers.
  static Value scale(OpBuilder &builder, Location loc, Value value,
                     Value exponent) {
    Value biased = builder.create<arith::AddIOp>(loc, exponent,
                                                 integer(builder, loc, 127));
    Value bits =
        builder.create<arith::ShLIOp>(loc, biased, integer(builder, loc, 23));
    Value factor =
        builder.create<arith::BitcastOp>(loc, builder.getF32Type(), bits);
    return builder.create<arith::MulFOp>(loc, value, factor);
  }
};

/// Calls a function of the C library.
template <typename Op> struct CallLibrary : OpRewritePattern<Op> {
  CallLibrary(MLIRContext *context, const char *name)
      : OpRewritePattern<Op>(context, ownBenefit), name(name) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!type.isF32())
      return failure();
    auto module = op->template getParentOfType<ModuleOp>();
    auto function = module.template lookupSymbol<func::FuncOp>(name);
    if (!function) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(module.getBody());
      function = rewriter.create<func::FuncOp>(
          op.getLoc(), name, rewriter.getFunctionType(type, type));
      function.setPrivate();
    }
    rewriter.replaceOpWithNewOp<func::CallOp>(op, function, op->getOperands());
    return success();
  }

  const char *name;
};
} // namespace

void takt::populateMathExpansions(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandErf, ExpandExp>(context);
  patterns.add<CallLibrary<math::SinOp>>(context, "sinf");
  patterns.add<CallLibrary<math::CosOp>>(context, "cosf");
}
