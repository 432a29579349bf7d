//===- Operands.cpp - how a stage reads and writes buffers ----------------===//
#include "StageBody.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace takt;
using namespace takt::kernels;

Value StageBody::toValue(const Index &index) {
  if (!index.expr)
    return index.value;
  Value base;
  if (auto dim = dyn_cast<AffineDimExpr>(index.expr)) {
    unsigned position = dim.getPosition();
    base = position < kernel.outer ? kernel.rows[position]
                                   : loopIndices[loopOf[position]];
  } else {
    base =
        kernel.size(SizeExpr(cast<AffineConstantExpr>(index.expr).getValue()));
  }
  if (!index.value)
    return base;
  return builder.create<arith::AddIOp>(loc, base, index.value);
}

bool StageBody::rowMatches(const KernelBuffer &buffer, ArrayRef<Index> index) {
  for (unsigned i = 0; i < buffer.rows; ++i) {
    if (buffer.shape[i].isConstant(1))
      continue;
    auto dim = dyn_cast_or_null<AffineDimExpr>(index[i].expr);
    if (!dim || dim.getPosition() != i || index[i].value)
      return false;
  }
  return true;
}

bool StageBody::makeOperand(const KernelBuffer &buffer, ArrayRef<Index> index,
                            Value &view, AffineMap &map) {
  OpBuilder &row = kernel.row;
  SmallVector<OpFoldResult> viewSizes, viewStrides;
  SmallVector<AffineExpr> results;
  Value offset;
  auto addOffset = [&](Value position, Value stride) {
    Value term = row.create<arith::MulIOp>(loc, position, stride);
    offset = offset ? row.create<arith::AddIOp>(loc, offset, term) : term;
  };
  auto fold = [](Value value) -> OpFoldResult {
    if (auto constant = value.getDefiningOp<arith::ConstantIndexOp>())
      return OpBuilder(value.getContext()).getIndexAttr(constant.value());
    return value;
  };
  for (unsigned i = buffer.skip; i < buffer.shape.size(); ++i) {
    if (!index[i].expr)
      return false;
    Value stride =
        kernel.product(ArrayRef<SizeExpr>(buffer.shape).drop_front(i + 1));
    if (index[i].value)
      addOffset(index[i].value, stride);
    auto dim = dyn_cast<AffineDimExpr>(index[i].expr);
    int loop = dim ? loopOf[dim.getPosition()] : -1;
    if (loop < 0) {
      auto constant = dyn_cast<AffineConstantExpr>(index[i].expr);
      if (!constant || constant.getValue() != 0)
        addOffset(toValue({index[i].expr, Value()}), stride);
      continue;
    }
    results.push_back(getAffineDimExpr(loop, kernel.context));
    // The loop's own bound: then both are one value in SSA form.
    viewSizes.push_back(fold(kernel.size(space[dim.getPosition()])));
    viewStrides.push_back(fold(stride));
  }
  map = AffineMap::get(loopReduced.size(), 0, results, kernel.context);
  if (!map.isProjectedPermutation())
    return false;
  SmallVector<int64_t> staticSizes, staticStrides;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(viewSizes, dynamic, staticSizes);
  dispatchIndexOpFoldResults(viewStrides, dynamic, staticStrides);
  OpFoldResult viewOffset =
      offset ? OpFoldResult(offset) : OpFoldResult(row.getIndexAttr(0));
  auto layout = StridedLayoutAttr::get(
      kernel.context, offset ? ShapedType::kDynamic : 0, staticStrides);
  auto type = MemRefType::get(
      staticSizes, cast<MemRefType>(buffer.base.getType()).getElementType(),
      layout);
  view = row.create<memref::ReinterpretCastOp>(
      loc, type, buffer.base, viewOffset, viewSizes, viewStrides);
  return true;
}

Value StageBody::fromStorage(Value stored, Type element) {
  if (!element.isInteger(1))
    return stored;
  Value zero = builder.create<arith::ConstantIntOp>(loc, 0, 8);
  return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, stored,
                                       zero);
}

Value StageBody::readBuffer(const KernelBuffer &buffer, ArrayRef<Index> index) {
  if (!rowMatches(buffer, index)) {
    kernel.rejectOuter();
    return builder.create<arith::ConstantOp>(
        loc, builder.getZeroAttr(scalarType(buffer.element)));
  }
  Value view;
  AffineMap map;
  // Operands are loaded for every point, so not those of a branch.
  if (known.size() > 1 || !makeOperand(buffer, index, view, map))
    return loadElement(buffer, index);
  Value stored = block->insertArgument(
      inputs.size(), cast<MemRefType>(view.getType()).getElementType(), loc);
  inputs.push_back(view);
  maps.push_back(map);
  return fromStorage(stored, buffer.element);
}

Value StageBody::loadElement(const KernelBuffer &buffer,
                             ArrayRef<Index> index) {
  ArrayRef<SizeExpr> stored =
      ArrayRef<SizeExpr>(buffer.shape).drop_front(buffer.skip);
  Value linear;
  for (unsigned i = 0; i < stored.size(); ++i) {
    Value stride = kernel.product(stored.drop_front(i + 1));
    Value term = builder.create<arith::MulIOp>(
        loc, toValue(index[buffer.skip + i]), stride);
    linear = linear ? builder.create<arith::AddIOp>(loc, linear, term) : term;
  }
  if (!linear)
    linear = constantIndex(0);
  Value total = kernel.product(stored);
  Type element = cast<MemRefType>(buffer.base.getType()).getElementType();
  auto type = MemRefType::get({ShapedType::kDynamic}, element,
                              StridedLayoutAttr::get(kernel.context, 0, {1}));
  OpFoldResult one = builder.getIndexAttr(1), zero = builder.getIndexAttr(0);
  Value flat = kernel.row.create<memref::ReinterpretCastOp>(
      loc, type, buffer.base, zero, ArrayRef<OpFoldResult>{OpFoldResult(total)},
      ArrayRef<OpFoldResult>{one});
  return fromStorage(builder.create<memref::LoadOp>(loc, flat, linear),
                     buffer.element);
}
