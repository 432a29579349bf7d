//===- RecognizeProducts.cpp - matrix products of flattened rows ----------===//
#include "RecognizeIdioms.h"

using namespace mlir;
using namespace takt;
using namespace takt::idioms;

/// The repeated bias that `value` adds to rows, and the rows; null if none.
static BroadcastOp biasOf(Value &value, Matched &matched) {
  auto add = value.getDefiningOp<arith::AddFOp>();
  if (!add)
    return {};
  auto isRow = [](Value v) {
    auto row = v.getDefiningOp<BroadcastOp>();
    return row && row.getDims() == ArrayRef<int64_t>(1);
  };
  Value row = eitherOperand(add, isRow, value);
  if (!row)
    return {};
  matched.insert(add);
  return row.getDefiningOp<BroadcastOp>();
}

/// Exporters write a linear layer on [B, S, K] as reshape to [B * S, K],
/// product, bias, reshape to [B, S, N]. Without the reshapes, what follows the
/// bias can join the product, and each dimension can be cut by itself.
Value idioms::recognizeFlattenedProduct(Recognition &r, Operation *op) {
  auto last = dyn_cast<ReshapeOp>(op);
  if (!last || r.sizes.shape(last.getResult()).size() < 3)
    return {};
  Matched matched;
  matched.insert(last);
  Value value = last.getInput();
  BroadcastOp bias = biasOf(value, matched);
  auto product = value.getDefiningOp<MatmulOp>();
  auto rows =
      product ? product.getLhs().getDefiningOp<ReshapeOp>() : ReshapeOp();
  SymbolicShape shape = r.sizes.shape(last.getResult());
  if (!rows || r.sizes.shape(value).size() != 2 ||
      r.sizes.shape(value).back() != shape.back())
    return {};
  matched.insert(product);
  if (!areInnerValuesPrivate(matched, last))
    return {};
  Location loc = product.getLoc();
  Type element = getElementTypeOrSelf(value.getType());
  SymbolicShape operandShape = shape;
  operandShape.back() = r.sizes.shape(rows.getResult()).back();
  Value result =
      r.make<MatmulOp>(loc, element, r.reshape(rows.getInput(), operandShape),
                       product.getRhs(), product.getTransposeRhsAttr());
  if (!bias)
    return result;
  int64_t dim = shape.size() - 1;
  Value repeated =
      r.make<BroadcastOp>(bias.getLoc(), element, bias.getInput(),
                          r.builder.getDenseI64ArrayAttr(dim),
                          ShapeAttr::get(r.builder.getContext(), shape));
  return r.builder.create<arith::AddFOp>(last.getInput().getLoc(), result,
                                         repeated);
}
