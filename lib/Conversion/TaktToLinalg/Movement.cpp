//===- Movement.cpp - where an element of a moved tensor comes from -------===//
#include "StageBody.h"

using namespace mlir;
using namespace takt;
using namespace takt::kernels;

Value StageBody::readSlice(SliceOp op, ArrayRef<Index> index) {
  IndexList inner;
  SymbolicShape starts = op.getStarts().getExprs();
  for (auto [coordinate, start, stride] :
       llvm::zip_equal(index, starts, op.getStrides())) {
    if (stride == 1) {
      inner.push_back(kernel.shift(coordinate, start, builder));
      continue;
    }
    Value step = builder.create<arith::MulIOp>(loc, toValue(coordinate),
                                               constantIndex(stride));
    inner.push_back(kernel.shift({AffineExpr(), step}, start, builder));
  }
  return read(op.getInput(), inner);
}

/// Coordinates in `to` of the element at `index` in `from`, where both have the
/// same number of elements, by way of its number in row-major order.
void StageBody::reshapeGroup(ArrayRef<SizeExpr> from, ArrayRef<SizeExpr> to,
                             ArrayRef<Index> index, IndexList &result) {
  SmallVector<unsigned> fromDims, toDims;
  for (unsigned i = 0; i < from.size(); ++i)
    if (!from[i].isConstant(1))
      fromDims.push_back(i);
  for (unsigned i = 0; i < to.size(); ++i)
    if (!to[i].isConstant(1))
      toDims.push_back(i);
  size_t base = result.size();
  result.append(to.size(), kernel.constantIndex(0));
  if (toDims.empty())
    return;
  if (fromDims.size() == 1 && toDims.size() == 1) {
    result[base + toDims[0]] = index[fromDims[0]];
    return;
  }
  Value linear;
  for (unsigned i : fromDims) {
    Value term = builder.create<arith::MulIOp>(
        loc, toValue(index[i]), kernel.product(from.drop_front(i + 1)));
    linear = linear ? builder.create<arith::AddIOp>(loc, linear, term) : term;
  }
  if (!linear)
    linear = constantIndex(0);
  // No size is 0 here: the element exists.
  for (auto [position, i] : llvm::enumerate(toDims)) {
    Value coordinate = linear;
    if (position + 1 < toDims.size())
      coordinate = builder.create<arith::DivUIOp>(
          loc, coordinate, kernel.product(to.drop_front(i + 1)));
    if (position > 0)
      coordinate =
          builder.create<arith::RemUIOp>(loc, coordinate, kernel.size(to[i]));
    result[base + i] = {AffineExpr(), coordinate};
  }
}

IndexList StageBody::reshapeIndex(ArrayRef<SizeExpr> from,
                                  ArrayRef<SizeExpr> to,
                                  ArrayRef<Index> index) {
  // The smallest groups of dimensions that hold the same number of elements on
  // both sides; what can't be matched is one group.
  IndexList result;
  unsigned fromStart = 0, toStart = 0;
  while (toStart < to.size() || fromStart < from.size()) {
    unsigned fromEnd = fromStart, toEnd = toStart;
    bool found = false;
    for (unsigned n = fromStart; n <= from.size() && !found; ++n)
      for (unsigned m = toStart; m <= to.size() && !found; ++m) {
        if (n == fromStart && m == toStart)
          continue;
        if (product(from.slice(fromStart, n - fromStart)) !=
            product(to.slice(toStart, m - toStart)))
          continue;
        fromEnd = n, toEnd = m, found = true;
      }
    if (!found)
      fromEnd = from.size(), toEnd = to.size();
    reshapeGroup(from.slice(fromStart, fromEnd - fromStart),
                 to.slice(toStart, toEnd - toStart),
                 index.slice(fromStart, fromEnd - fromStart), result);
    fromStart = fromEnd, toStart = toEnd;
  }
  return result;
}

Value StageBody::readReshape(ReshapeOp op, ArrayRef<Index> index) {
  const SymbolicShape &from = kernel.sizes.shape(op.getResult());
  const SymbolicShape &to = kernel.sizes.shape(op.getInput());
  // Whole tensors in memory are read under the new shape.
  const KernelBuffer *stored = kernel.find(op.getInput());
  if (stored && stored->rows == 0) {
    KernelBuffer view = *stored;
    view.shape = from;
    return readBuffer(view, index);
  }
  return read(op.getInput(), reshapeIndex(from, to, index));
}

Value StageBody::readConcat(ConcatOp op, ArrayRef<Index> index) {
  unsigned axis = op.getAxis();
  Type type = scalarType(
      cast<RankedTensorType>(op.getResult().getType()).getElementType());
  Value position = toValue(index[axis]);
  SmallVector<SizeExpr> starts{SizeExpr(0)};
  for (Value input : op.getInputs())
    starts.push_back(starts.back() + kernel.sizes.shape(input)[axis]);
  std::function<Value(unsigned)> part = [&](unsigned i) -> Value {
    auto readPart = [&]() {
      IndexList inner(index);
      inner[axis] = {AffineExpr(), builder.create<arith::SubIOp>(
                                       loc, position, kernel.size(starts[i]))};
      return read(op.getInputs()[i], inner);
    };
    if (i + 1 == op.getInputs().size())
      return readPart();
    Value isHere = builder.create<arith::CmpIOp>(
        loc, arith::CmpIPredicate::slt, position, kernel.size(starts[i + 1]));
    return branch(isHere, type, readPart, [&] { return part(i + 1); });
  };
  return part(0);
}

Value StageBody::readIota(IotaOp op, ArrayRef<Index> index) {
  llvm::Expected<SizeExpr> start = SizeExpr::parse(op.getStart());
  if (!start) {
    llvm::consumeError(start.takeError());
    kernel.fail(op, "has a start that is no size expression");
    return constant(builder.getI64Type(), 0);
  }
  Value scaled = builder.create<arith::MulIOp>(loc, toValue(index[0]),
                                               constantIndex(op.getStep()));
  Value sum = builder.create<arith::AddIOp>(loc, scaled, kernel.size(*start));
  Type type = scalarType(
      cast<RankedTensorType>(op.getResult().getType()).getElementType());
  if (!isa<FloatType>(type))
    return builder.create<arith::IndexCastOp>(loc, type, sum);
  Value integer =
      builder.create<arith::IndexCastOp>(loc, builder.getI64Type(), sum);
  return builder.create<arith::SIToFPOp>(loc, type, integer);
}

Value StageBody::readSizeTensor(SizeTensorOp op, ArrayRef<Index> index) {
  Type type = scalarType(
      cast<RankedTensorType>(op.getResult().getType()).getElementType());
  SymbolicShape sizes = op.getSizes().getExprs();
  auto element = [&](const SizeExpr &size) -> Value {
    return builder.create<arith::IndexCastOp>(loc, type, kernel.size(size));
  };
  Value result = sizes.empty() ? constant(type, 0) : element(sizes[0]);
  if (index.empty() || sizes.size() < 2)
    return result;
  Value position = toValue(index[0]);
  for (unsigned i = 1; i < sizes.size(); ++i) {
    Value isHere = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                 position, constantIndex(i));
    result =
        builder.create<arith::SelectOp>(loc, isHere, element(sizes[i]), result);
  }
  return result;
}
