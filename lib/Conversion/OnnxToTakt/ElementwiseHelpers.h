//===- ElementwiseHelpers.h - shared by element-by-element rules ----------===//
#ifndef TAKT_LIB_CONVERSION_ONNXTOTAKT_ELEMENTWISEHELPERS_H
#define TAKT_LIB_CONVERSION_ONNXTOTAKT_ELEMENTWISEHELPERS_H

#include "Registry.h"

namespace takt::legalize {

/// The same bits as signless integers if `x` holds unsigned ones, else `x`.
mlir::Value asSignless(NodeLowering &n, mlir::Value x);
/// Sets an output to `x`, whose bits are of type `element`.
mlir::LogicalResult resultAs(NodeLowering &n, mlir::Value x, mlir::Type element,
                             unsigned output = 0);
/// Unsigned integers as signed ones of the same order, others as they are; and
/// an output of such, of which `element` was the type.
mlir::Value toOrdered(NodeLowering &n, mlir::Value x);
mlir::LogicalResult resultOfOrdered(NodeLowering &n, mlir::Value x,
                                    mlir::Type element, unsigned output = 0);

/// The inputs as data, broadcast together; unsigned integers as signless ones.
/// Fails with a message for element types that arith has no ops for.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
broadcastInputs(NodeLowering &n);

/// Input `index` as data. Fails with a message unless it holds floats.
mlir::FailureOr<mlir::Value> floatInput(NodeLowering &n, unsigned index);

/// The type that a number of TensorProto.DataType stands for; null for those
/// that takt does not compute with.
mlir::Type elementTypeOf(int64_t dataType, mlir::Builder &builder);
/// `x` with each element converted, from and to floats, signed integers or
/// bool.
mlir::Value convertTo(NodeLowering &n, mlir::Value x, mlir::Type to);

/// Arithmetic on float tensors of one shape, that of `like`.
class FloatBuilder {
public:
  FloatBuilder(NodeLowering &n, mlir::Value like) : n(n), like(like) {}

  /// The shape filled with a number.
  mlir::Value number(double value) { return n.splatLike(value, like); }
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  /// NaN where an operand is.
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value negate(mlir::Value x);
  mlir::Value abs(mlir::Value x);
  mlir::Value exp(mlir::Value x);
  mlir::Value log(mlir::Value x);
  mlir::Value sqrt(mlir::Value x);
  mlir::Value tanh(mlir::Value x);
  mlir::Value pow(mlir::Value x, mlir::Value exponent);
  /// False where an operand is NaN.
  mlir::Value less(mlir::Value a, mlir::Value b);
  mlir::Value equal(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);

private:
  NodeLowering &n;
  mlir::Value like;
};

/// The mean of floats over `axes`, which keep size 1; axes rise.
mlir::Value meanKept(NodeLowering &n, mlir::Value x,
                     mlir::ArrayRef<int64_t> axes);

/// An element of a result from the elements of the inputs; nullopt if it is not
/// known to be a size.
using ContentFunction =
    llvm::function_ref<std::optional<SizeExpr>(llvm::ArrayRef<SizeExpr>)>;

/// Sets output 0 by content if all inputs have content and `function` knows all
/// elements. `element` is the result's type. False if it did nothing.
bool mapContent(NodeLowering &n, mlir::Type element, ContentFunction function);

} // namespace takt::legalize

#endif
