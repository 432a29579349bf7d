//===- Contraction.cpp - MatMul and Gemm ----------------------------------===//
#include "Registry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace takt;
using namespace takt::legalize;

/// Whether all sizes before the last two are 1.
static bool isOneMatrix(ArrayRef<SizeExpr> shape) {
  return llvm::all_of(shape.drop_back(2),
                      [](const SizeExpr &size) { return size.isConstant(1); });
}

/// Makes the batch sizes of both operands equal, or drops those of the rhs if
/// all of the lhs's batch shares it.
static LogicalResult alignBatches(NodeLowering &n, Value &lhs, Value &rhs) {
  SymbolicShape left = n.shape(lhs), right = n.shape(rhs);
  if (isOneMatrix(right) && left.size() >= right.size()) {
    rhs = n.reshape(rhs, ArrayRef<SizeExpr>(right).take_back(2));
    return success();
  }
  SymbolicShape leftBatch(ArrayRef<SizeExpr>(left).drop_back(2));
  SymbolicShape rightBatch(ArrayRef<SizeExpr>(right).drop_back(2));
  FailureOr<SymbolicShape> batch = n.commonShape({leftBatch, rightBatch});
  if (failed(batch))
    return failure();
  auto withBatch = [&](ArrayRef<SizeExpr> shape) {
    SymbolicShape result = *batch;
    result.append(shape.end() - 2, shape.end());
    return result;
  };
  lhs = n.broadcast(lhs, withBatch(left));
  rhs = n.broadcast(rhs, withBatch(right));
  return success();
}

/// A vector counts as a row on the left and as a column on the right; its
/// dimension of size 1 is not in the result.
static LogicalResult matMul(NodeLowering &n) {
  Value lhs = n.value(0), rhs = n.value(1);
  if (!isa<FloatType>(n.element(lhs)))
    return n.fail("multiplies integers, expected floats; insert a Cast");
  bool isRow = n.rankOf(lhs) == 1, isColumn = n.rankOf(rhs) == 1;
  if (n.rankOf(lhs) == 0 || n.rankOf(rhs) == 0)
    return n.fail("has a scalar operand, expected vectors or matrices");
  if (isRow)
    lhs = n.reshape(lhs, {SizeExpr(1), n.shape(lhs)[0]});
  if (isColumn)
    rhs = n.reshape(rhs, {n.shape(rhs)[0], SizeExpr(1)});
  SizeExpr inner = n.shape(lhs).back();
  if (failed(n.equate(inner, n.shape(rhs).end()[-2], "equal inner sizes")) ||
      failed(alignBatches(n, lhs, rhs)))
    return failure();
  Value product = n.make<MatmulOp>(n.element(lhs), lhs, rhs, UnitAttr());
  SymbolicShape shape = n.shape(product);
  if (isRow)
    shape.erase(shape.end() - 2);
  if (isColumn)
    shape.pop_back();
  return n.result(n.reshape(product, shape));
}

static Value scaled(NodeLowering &n, Value value, double factor) {
  if (factor == 1)
    return value;
  return n.builder.create<arith::MulFOp>(value, n.splatLike(factor, value));
}

/// alpha * A' * B' + beta * C.
static LogicalResult gemm(NodeLowering &n) {
  Value a = n.value(0), b = n.value(1);
  if (n.rankOf(a) != 2 || n.rankOf(b) != 2)
    return n.fail("has operands of rank " + Twine(n.rankOf(a)) + " and " +
                  Twine(n.rankOf(b)) +
                  ", expected matrices; correct the model");
  if (!isa<FloatType>(n.element(a)))
    return n.fail("multiplies integers, expected floats; insert a Cast");
  if (n.integer("transA", 0))
    a = n.transpose(a, {1, 0});
  bool transposesB = n.integer("transB", 0) != 0;
  if (failed(n.equate(n.shape(a)[1], n.shape(b)[transposesB ? 1 : 0],
                      "equal inner sizes")))
    return failure();
  UnitAttr transposeRhs = transposesB ? n.builder.getUnitAttr() : UnitAttr();
  Value result = n.make<MatmulOp>(n.element(a), a, b, transposeRhs);
  result = scaled(n, result, n.number("alpha", 1));
  if (!n.has(2) || n.number("beta", 1) == 0)
    return n.result(result);
  Value c = scaled(n, n.value(2), n.number("beta", 1));
  FailureOr<SymbolicShape> common =
      n.commonShape({n.shape(result), n.shape(c)});
  if (failed(common))
    return failure();
  c = n.broadcast(c, n.shape(result));
  return n.result(n.builder.create<arith::AddFOp>(result, c));
}

void legalize::registerContractions(Registry &registry) {
  registry.add("MatMul", matMul);
  registry.add("Gemm", gemm);
}
