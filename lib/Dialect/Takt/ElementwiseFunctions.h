//===- ElementwiseFunctions.h - one element of an elementwise op ----------===//
#ifndef TAKT_LIB_DIALECT_TAKT_ELEMENTWISEFUNCTIONS_H
#define TAKT_LIB_DIALECT_TAKT_ELEMENTWISEFUNCTIONS_H

#include "takt/Support/HostTensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

namespace takt {

/// Computes element `i` of `result`. Operands of rank 0 stand for all elements.
using ElementFunction = void (*)(mlir::Operation *op,
                                 llvm::ArrayRef<const HostTensor *> operands,
                                 HostTensor &result, int64_t i);

inline int64_t elementOf(const HostTensor &tensor, int64_t i) {
  return tensor.shape.empty() ? 0 : i;
}

template <double (*function)(double)>
void unaryFloat(mlir::Operation *, llvm::ArrayRef<const HostTensor *> operands,
                HostTensor &result, int64_t i) {
  result.setFloat(i, function(operands[0]->getFloat(i)));
}

template <double (*function)(double, double)>
void binaryFloat(mlir::Operation *, llvm::ArrayRef<const HostTensor *> operands,
                 HostTensor &result, int64_t i) {
  result.setFloat(i,
                  function(operands[0]->getFloat(i), operands[1]->getFloat(i)));
}

template <int64_t (*function)(int64_t)>
void unaryInt(mlir::Operation *, llvm::ArrayRef<const HostTensor *> operands,
              HostTensor &result, int64_t i) {
  result.setInt(i, function(operands[0]->getInt(i)));
}

template <int64_t (*function)(int64_t, int64_t)>
void binaryInt(mlir::Operation *, llvm::ArrayRef<const HostTensor *> operands,
               HostTensor &result, int64_t i) {
  result.setInt(i, function(operands[0]->getInt(i), operands[1]->getInt(i)));
}

inline double addFloat(double a, double b) { return a + b; }
inline double subFloat(double a, double b) { return a - b; }
inline double mulFloat(double a, double b) { return a * b; }
inline double divFloat(double a, double b) { return a / b; }
inline double remFloat(double a, double b) { return std::fmod(a, b); }
inline double negFloat(double a) { return -a; }
inline double sameFloat(double a) { return a; }
inline double rsqrtFloat(double a) { return 1 / std::sqrt(a); }
/// NaN wins, as in arith.maximumf and in ONNX.
inline double maxFloat(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::fmax(a, b);
}
inline double minFloat(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::fmin(a, b);
}

/// Two's complement without undefined overflow.
inline int64_t addInt(int64_t a, int64_t b) {
  return uint64_t(a) + uint64_t(b);
}
inline int64_t subInt(int64_t a, int64_t b) {
  return uint64_t(a) - uint64_t(b);
}
inline int64_t mulInt(int64_t a, int64_t b) {
  return uint64_t(a) * uint64_t(b);
}
/// Division by 0 and INT64_MIN / -1 are undefined in the model; they must not
/// trap here.
inline int64_t divInt(int64_t a, int64_t b) {
  return b == 0 ? 0 : b == -1 ? subInt(0, a) : a / b;
}
inline int64_t remInt(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}
inline int64_t floorDivInt(int64_t a, int64_t b) {
  int64_t rem = remInt(a, b);
  return divInt(a, b) - (rem != 0 && (rem < 0) != (b < 0));
}
inline int64_t maxInt(int64_t a, int64_t b) { return a > b ? a : b; }
inline int64_t minInt(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t andInt(int64_t a, int64_t b) { return a & b; }
inline int64_t orInt(int64_t a, int64_t b) { return a | b; }
inline int64_t xorInt(int64_t a, int64_t b) { return a ^ b; }
inline int64_t absInt(int64_t a) { return a < 0 ? subInt(0, a) : a; }

inline void compareInt(mlir::Operation *op,
                       llvm::ArrayRef<const HostTensor *> operands,
                       HostTensor &result, int64_t i) {
  unsigned width = mlir::getElementTypeOrSelf(op->getOperand(0).getType())
                       .getIntOrFloatBitWidth();
  llvm::APInt a(width, operands[0]->getInt(i), /*isSigned=*/true);
  llvm::APInt b(width, operands[1]->getInt(i), /*isSigned=*/true);
  auto predicate = llvm::cast<mlir::arith::CmpIOp>(op).getPredicate();
  result.setInt(i, mlir::arith::applyCmpPredicate(predicate, a, b));
}

inline void compareFloat(mlir::Operation *op,
                         llvm::ArrayRef<const HostTensor *> operands,
                         HostTensor &result, int64_t i) {
  llvm::APFloat a(operands[0]->getFloat(i)), b(operands[1]->getFloat(i));
  auto predicate = llvm::cast<mlir::arith::CmpFOp>(op).getPredicate();
  result.setInt(i, mlir::arith::applyCmpPredicate(predicate, a, b));
}

inline void selectElement(mlir::Operation *,
                          llvm::ArrayRef<const HostTensor *> operands,
                          HostTensor &result, int64_t i) {
  bool condition = operands[0]->getInt(elementOf(*operands[0], i));
  const HostTensor &chosen = *operands[condition ? 1 : 2];
  if (isFloat(result.dtype))
    result.setFloat(i, chosen.getFloat(i));
  else
    result.setInt(i, chosen.getInt(i));
}

/// Integer to integer; wraps.
inline void convertInt(mlir::Operation *op,
                       llvm::ArrayRef<const HostTensor *> operands,
                       HostTensor &result, int64_t i) {
  // A signed extension of i1 gives -1 for true.
  int64_t value = operands[0]->getInt(i);
  bool isSignedBool =
      operands[0]->dtype == DType::Bool && llvm::isa<mlir::arith::ExtSIOp>(op);
  result.setInt(i, isSignedBool ? -value : value);
}

/// The value of an integer element read as unsigned.
inline uint64_t unsignedElement(const HostTensor &tensor, int64_t i) {
  unsigned bits = 8 * byteSize(tensor.dtype);
  uint64_t value = tensor.getInt(i);
  return bits == 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

template <uint64_t (*function)(uint64_t, uint64_t)>
void binaryUnsigned(mlir::Operation *,
                    llvm::ArrayRef<const HostTensor *> operands,
                    HostTensor &result, int64_t i) {
  result.setInt(i, function(unsignedElement(*operands[0], i),
                            unsignedElement(*operands[1], i)));
}

/// A division by 0 is undefined in the model; it must not trap here. So are
/// shifts by the width or more.
inline uint64_t divUnsigned(uint64_t a, uint64_t b) { return b ? a / b : 0; }
inline uint64_t remUnsigned(uint64_t a, uint64_t b) { return b ? a % b : 0; }
inline uint64_t maxUnsigned(uint64_t a, uint64_t b) { return a > b ? a : b; }
inline uint64_t minUnsigned(uint64_t a, uint64_t b) { return a < b ? a : b; }
inline uint64_t shiftLeft(uint64_t a, uint64_t b) {
  return b < 64 ? a << b : 0;
}
inline uint64_t shiftRight(uint64_t a, uint64_t b) {
  return b < 64 ? a >> b : 0;
}

inline void convertUnsigned(mlir::Operation *,
                            llvm::ArrayRef<const HostTensor *> operands,
                            HostTensor &result, int64_t i) {
  result.setInt(i, unsignedElement(*operands[0], i));
}

inline void intToFloat(mlir::Operation *,
                       llvm::ArrayRef<const HostTensor *> operands,
                       HostTensor &result, int64_t i) {
  int64_t value = operands[0]->getInt(i);
  result.setFloat(i, operands[0]->dtype == DType::Bool ? -value : value);
}

inline void unsignedToFloat(mlir::Operation *,
                            llvm::ArrayRef<const HostTensor *> operands,
                            HostTensor &result, int64_t i) {
  result.setFloat(i, double(unsignedElement(*operands[0], i)));
}

inline void floatToInt(mlir::Operation *,
                       llvm::ArrayRef<const HostTensor *> operands,
                       HostTensor &result, int64_t i) {
  double value = operands[0]->getFloat(i);
  // Out of range is undefined in the model; it must not be here.
  bool inRange = value > -9.2e18 && value < 9.2e18;
  result.setInt(i, inRange ? int64_t(value) : INT64_MIN);
}

} // namespace takt

#endif
