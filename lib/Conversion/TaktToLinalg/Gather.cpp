//===- Gather.cpp - elements whose place is data --------------------------===//
#include "StageBody.h"

using namespace mlir;
using namespace takt;
using namespace takt::kernels;

/// The row that `row` (an integer as stored) names among `rows`: negative ones
/// count from the end, and those out of range are the nearest.
Value StageBody::normalizedRow(Value row, const SizeExpr &rows) {
  Value index =
      builder.create<arith::IndexCastOp>(loc, builder.getIndexType(), row);
  Value zero = constantIndex(0), count = kernel.size(rows);
  Value isNegative = builder.create<arith::CmpIOp>(
      loc, arith::CmpIPredicate::slt, index, zero);
  Value fromEnd = builder.create<arith::AddIOp>(loc, index, count);
  index = builder.create<arith::SelectOp>(loc, isNegative, fromEnd, index);
  Value last = builder.create<arith::SubIOp>(loc, count, constantIndex(1));
  index = builder.create<arith::MinSIOp>(loc, index, last);
  return builder.create<arith::MaxSIOp>(loc, index, zero);
}

/// `element()`, but 0 where a dimension of `data` that an index names is empty.
Value StageBody::unlessEmpty(ArrayRef<SizeExpr> dims, Type type,
                             llvm::function_ref<Value()> element) {
  Value count;
  if (!product(dims).constant())
    count = kernel.product(dims);
  else if (product(dims).isConstant(0))
    return constant(type, 0);
  if (!count)
    return element();
  Value hasRows = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne,
                                                count, constantIndex(0));
  return branch(hasRows, type, element, [&] { return constant(type, 0); });
}

Value StageBody::readGather(GatherOp op, ArrayRef<Index> index) {
  unsigned axis = op.getAxis();
  const SymbolicShape &data = kernel.sizes.shape(op.getData());
  unsigned indexRank = kernel.sizes.shape(op.getIndices()).size();
  Value stored = read(op.getIndices(), index.slice(axis, indexRank));
  auto readRow = [&](Value row) {
    IndexList inner(index.take_front(axis));
    inner.push_back({AffineExpr(), row});
    inner.append(index.begin() + axis + indexRank, index.end());
    return read(op.getData(), inner);
  };
  Type type = scalarType(
      cast<RankedTensorType>(op.getResult().getType()).getElementType());
  if (!op.getFirstRow()) {
    Value row = normalizedRow(stored, data[axis]);
    return unlessEmpty(data[axis], type, [&] { return readRow(row); });
  }

  auto first = SizeExpr::parse(*op.getFirstRow());
  auto rows = SizeExpr::parse(*op.getRows());
  if (!first || !rows) {
    llvm::consumeError(first.takeError());
    llvm::consumeError(rows.takeError());
    kernel.fail(op, "has a first row or number of rows that is no size "
                    "expression");
    return stored;
  }
  Value row = builder.create<arith::SubIOp>(loc, normalizedRow(stored, *rows),
                                            kernel.size(*first));
  // Unsigned: rows before the first one are large numbers.
  Value isHere = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult,
                                               row, kernel.size(data[axis]));
  return branch(
      isHere, type, [&] { return readRow(row); },
      [&] { return constant(type, 0); });
}

Value StageBody::readGatherND(GatherNDOp op, ArrayRef<Index> index) {
  const SymbolicShape &data = kernel.sizes.shape(op.getData());
  const SymbolicShape &indices = kernel.sizes.shape(op.getIndices());
  int64_t batch = op.getBatchDims();
  std::optional<int64_t> depth = indices.back().constant();
  if (!depth) {
    kernel.fail(op,
                "has index tuples of unknown length; expected a static last "
                "dimension of its indices");
    return constant(builder.getI8Type(), 0);
  }
  unsigned tupleRank = indices.size() - 1;
  IndexList inner(index.take_front(batch));
  for (int64_t i = 0; i < *depth; ++i) {
    IndexList position(index.take_front(tupleRank));
    position.push_back(kernel.constantIndex(i));
    Value stored = read(op.getIndices(), position);
    inner.push_back({AffineExpr(), normalizedRow(stored, data[batch + i])});
  }
  inner.append(index.begin() + tupleRank, index.end());
  Type type = scalarType(
      cast<RankedTensorType>(op.getResult().getType()).getElementType());
  return unlessEmpty(ArrayRef<SizeExpr>(data).slice(batch, *depth), type,
                     [&] { return read(op.getData(), inner); });
}
