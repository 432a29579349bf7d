//===- RecognizeHelpers.cpp - matchers that idioms share ------------------===//
#include "RecognizeIdioms.h"

using namespace mlir;
using namespace takt;
using namespace takt::idioms;

Value Recognition::reshape(Value value, ArrayRef<SizeExpr> shape) {
  if (hasShape(value, shape))
    return value;
  return make<ReshapeOp>(value.getLoc(), getElementTypeOrSelf(value.getType()),
                         value, ShapeAttr::get(builder.getContext(), shape));
}

bool idioms::areInnerValuesPrivate(const Matched &matched, Operation *last) {
  return llvm::all_of(matched, [&](Operation *op) {
    return op == last || llvm::all_of(op->getUsers(), [&](Operation *user) {
             return matched.contains(user);
           });
  });
}

std::optional<double> idioms::scalarOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<BroadcastOp, ReshapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  auto dense = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue())
                        : DenseFPElementsAttr();
  if (!dense || !(dense.isSplat() || dense.getNumElements() == 1))
    return std::nullopt;
  APFloat number = *dense.begin();
  bool losesInfo = false;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

bool idioms::isClose(double value, double expected) {
  // Exporters write constants in f32, some with six digits.
  return std::abs(value - expected) <= 1e-5 * std::abs(expected);
}

Value idioms::eitherOperand(Operation *op, function_ref<bool(Value)> accepts,
                            Value &other) {
  for (unsigned i : {0u, 1u})
    if (accepts(op->getOperand(i))) {
      other = op->getOperand(1 - i);
      return op->getOperand(i);
    }
  return {};
}

static void multiplyOut(Value value, Value leaf, Product &product,
                        Matched &matched) {
  if (value == leaf)
    return product.factors.push_back(value);
  if (auto number = scalarOf(value)) {
    product.constant *= *number;
    return;
  }
  if (auto mul = value.getDefiningOp<arith::MulFOp>()) {
    matched.insert(mul);
    multiplyOut(mul.getLhs(), leaf, product, matched);
    return multiplyOut(mul.getRhs(), leaf, product, matched);
  }
  auto div = value.getDefiningOp<arith::DivFOp>();
  auto divisor = div ? scalarOf(div.getRhs()) : std::nullopt;
  if (!divisor)
    return product.factors.push_back(value);
  matched.insert(div);
  product.constant /= *divisor;
  multiplyOut(div.getLhs(), leaf, product, matched);
}

Product idioms::productOf(Value value, Value leaf, Matched &matched) {
  Product product;
  multiplyOut(value, leaf, product, matched);
  return product;
}

Value idioms::rowsOf(Recognition &r, Value value) {
  auto op = value.getDefiningOp<BroadcastOp>();
  if (!op)
    return {};
  SymbolicShape rows = r.sizes.shape(value);
  if (rows.empty())
    return {};
  int64_t rank = rows.size();
  // Each dimension must stand in its own place, so that squares do not fool us.
  for (auto [i, dim] : llvm::enumerate(op.getDims()))
    if (dim != int64_t(i))
      return {};
  rows.back() = SizeExpr(1);
  if (int64_t(op.getDims().size()) == rank - 1)
    rows.pop_back();
  return r.hasShape(op.getInput(), rows) ? Value(op.getInput()) : Value();
}

Value idioms::withoutUnit(Recognition &r, Value value) {
  auto op = value.getDefiningOp<ReshapeOp>();
  if (!op)
    return value;
  SymbolicShape shape = r.sizes.shape(op.getInput());
  shape.push_back(SizeExpr(1));
  return r.hasShape(value, shape) ? Value(op.getInput()) : value;
}

Value idioms::reducedRows(Recognition &r, Value value, StringRef kind,
                          Matched &matched) {
  Value rows = withoutUnit(r, value);
  auto op = rows.getDefiningOp<ReduceOp>();
  if (!op || op.getKind() != kind)
    return {};
  int64_t last = r.sizes.shape(op.getInput()).size() - 1;
  if (op.getAxes() != ArrayRef<int64_t>(last))
    return {};
  if (rows != value)
    matched.insert(value.getDefiningOp());
  matched.insert(op);
  return op.getInput();
}
