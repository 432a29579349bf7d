//===- GatherOps.cpp - gather and gather_nd -------------------------------===//
#include "OpHelpers.h"

using namespace mlir;
using namespace takt;

/// Copies row `from` of rows of `bytes` to row `to`.
static void copyRow(const HostTensor &in, int64_t from, HostTensor &out,
                    int64_t to, int64_t bytes) {
  std::memcpy(out.data.data() + to * bytes, in.data.data() + from * bytes,
              bytes);
}

static RankedTensorType ranked(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// ONNX counts a negative index from the end; an index out of range must not
/// read elsewhere, so it takes the nearest row.
static int64_t normalizeIndex(int64_t index, int64_t rows) {
  if (index < 0)
    index += rows;
  return std::clamp<int64_t>(index, 0, rows - 1);
}

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::verify() {
  auto data = ranked(getData()), indices = ranked(getIndices());
  int64_t axis = getAxis();
  if (axis < 0 || axis >= data.getRank())
    return emitOpError("has axis ") << axis << " with rank " << data.getRank();
  if (!isa<IntegerType>(indices.getElementType()))
    return emitOpError("has indices of type ") << indices.getElementType();
  if (getFirstRow().has_value() != getRows().has_value())
    return emitOpError("needs first_row and rows together");
  for (std::optional<StringRef> text : {getFirstRow(), getRows()})
    if (text)
      if (auto expr = SizeExpr::parse(*text); !expr)
        return emitOpError("size '")
               << *text << "': " << llvm::toString(expr.takeError());
  return verifyResultRank(*this, data.getRank() - 1 + indices.getRank());
}

SmallVector<SymbolicShape>
GatherOp::inferShapes(ArrayRef<SymbolicShape> operands) {
  const SymbolicShape &data = operands[0];
  SymbolicShape result(data.begin(), data.begin() + getAxis());
  result.append(operands[1].begin(), operands[1].end());
  result.append(data.begin() + getAxis() + 1, data.end());
  return {result};
}

ShardingRule GatherOp::getShardingRule(ArrayRef<SymbolicShape> operands,
                                       ArrayRef<SymbolicShape>) {
  RuleBuilder rule;
  SmallVector<std::string> data = factorNames("d", operands[0].size());
  SmallVector<std::string> indices = declareFactors(rule, "i", operands[1]);
  int64_t axis = getAxis();
  // Each rank looks up the rows that it holds and gives 0 for the others: a sum
  // with one term that is not 0. A part of a part is not described.
  FactorKind rows = getFirstRow() ? FactorKind::Replicated : FactorKind::Sum;
  for (auto [i, size] : llvm::enumerate(operands[0]))
    rule.factor(data[i], size,
                int64_t(i) == axis ? rows : FactorKind::Parallel);
  SmallVector<std::string> result(data.begin(), data.begin() + axis);
  result.append(indices);
  result.append(data.begin() + axis + 1, data.end());
  return rule.operand(data).operand(indices).result(result).linear({0}).build();
}

SizeExpr GatherOp::getFlops(ArrayRef<SymbolicShape>, ArrayRef<SymbolicShape>) {
  return 0;
}

Evaluated GatherOp::evaluate(ArrayRef<const HostTensor *> operands,
                             const EvaluationContext &context) {
  const HostTensor &data = *operands[0], &indices = *operands[1];
  int64_t axis = getAxis(), held = data.shape[axis], first = 0, rows = held;
  if (getFirstRow()) {
    auto firstRow = context.evaluate(*SizeExpr::parse(*getFirstRow()));
    if (!firstRow)
      return firstRow.takeError();
    auto allRows = context.evaluate(*SizeExpr::parse(*getRows()));
    if (!allRows)
      return allRows.takeError();
    first = *firstRow, rows = *allRows;
  }
  SmallVector<int64_t> shape(data.shape.begin(), data.shape.begin() + axis);
  shape.append(indices.shape.begin(), indices.shape.end());
  shape.append(data.shape.begin() + axis + 1, data.shape.end());
  HostTensor result = HostTensor::zeros(data.dtype, shape);
  int64_t outer = 1, count = indices.numElements();
  for (int64_t i = 0; i < axis; ++i)
    outer *= data.shape[i];
  if (rows == 0 && result.numElements() != 0)
    return evaluationFailure("a gather reads a dimension of size 0");
  if (result.numElements() == 0)
    return single(std::move(result));
  int64_t inner = result.numElements() / (outer * count);
  int64_t bytes = inner * byteSize(data.dtype);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < count; ++i) {
      int64_t row = normalizeIndex(indices.getInt(i), rows) - first;
      if (row >= 0 && row < held)
        copyRow(data, o * held + row, result, o * count + i, bytes);
    }
  return single(std::move(result));
}

SmallVector<SizeExpr> GatherOp::getOffsets() {
  if (!getFirstRow())
    return {};
  return {llvm::cantFail(SizeExpr::parse(*getFirstRow())),
          llvm::cantFail(SizeExpr::parse(*getRows()))};
}

FusionKind GatherOp::getFusionKind() { return FusionKind::Pointwise; }

void GatherOp::localize(const Strategy &strategy, int64_t ways,
                        ArrayRef<SymbolicShape> localOperands,
                        ArrayRef<SymbolicShape>) {
  if (strategy.operands[0] != State::split(getAxis()))
    return;
  SizeExpr held = localOperands[0][getAxis()];
  setFirstRow((SizeExpr::symbol(shardSymbol) * held).str());
  setRows((held * SizeExpr(ways)).str());
}

//===----------------------------------------------------------------------===//
// gather_nd
//===----------------------------------------------------------------------===//

LogicalResult GatherNDOp::verify() {
  auto data = ranked(getData()), indices = ranked(getIndices());
  int64_t batch = getBatchDims();
  if (indices.getRank() == 0 || indices.isDynamicDim(indices.getRank() - 1))
    return emitOpError("needs index tuples of static length, found ")
           << indices;
  int64_t depth = indices.getDimSize(indices.getRank() - 1);
  if (depth < 1 || batch < 0 || batch >= indices.getRank() ||
      batch + depth > data.getRank())
    return emitOpError("indexes ")
           << batch + depth << " dimensions of rank " << data.getRank();
  if (!isa<IntegerType>(indices.getElementType()))
    return emitOpError("has indices of type ") << indices.getElementType();
  return verifyResultRank(*this, indices.getRank() - 1 + data.getRank() -
                                     batch - depth);
}

SmallVector<SymbolicShape>
GatherNDOp::inferShapes(ArrayRef<SymbolicShape> operands) {
  const SymbolicShape &data = operands[0], &indices = operands[1];
  int64_t depth = *indices.back().constant();
  SymbolicShape result(indices.begin(), indices.end() - 1);
  result.append(data.begin() + getBatchDims() + depth, data.end());
  return {result};
}

ShardingRule GatherNDOp::getShardingRule(ArrayRef<SymbolicShape> operands,
                                         ArrayRef<SymbolicShape>) {
  RuleBuilder rule;
  int64_t batch = getBatchDims(), depth = *operands[1].back().constant();
  SmallVector<std::string> data = factorNames("d", operands[0].size());
  SmallVector<std::string> indices = factorNames("i", operands[1].size());
  for (auto [i, size] : llvm::enumerate(operands[0])) {
    bool isIndexed = int64_t(i) >= batch && int64_t(i) < batch + depth;
    rule.factor(data[i], size,
                isIndexed ? FactorKind::Replicated : FactorKind::Parallel);
  }
  for (auto [i, size] : llvm::enumerate(operands[1])) {
    if (int64_t(i) < batch)
      indices[i] = data[i];
    else
      rule.factor(indices[i], size,
                  i + 1 == operands[1].size() ? FactorKind::Replicated
                                              : FactorKind::Parallel);
  }
  SmallVector<std::string> result(indices.begin(), indices.end() - 1);
  result.append(data.begin() + batch + depth, data.end());
  return rule.operand(data).operand(indices).result(result).linear({0}).build();
}

SizeExpr GatherNDOp::getFlops(ArrayRef<SymbolicShape>,
                              ArrayRef<SymbolicShape>) {
  return 0;
}

Evaluated GatherNDOp::evaluate(ArrayRef<const HostTensor *> operands,
                               const EvaluationContext &) {
  const HostTensor &data = *operands[0], &indices = *operands[1];
  int64_t batch = getBatchDims(), depth = indices.shape.back();
  SmallVector<int64_t> shape(indices.shape.begin(), indices.shape.end() - 1);
  shape.append(data.shape.begin() + batch + depth, data.shape.end());
  HostTensor result = HostTensor::zeros(data.dtype, shape);
  if (result.numElements() == 0)
    return single(std::move(result));
  int64_t tuples = indices.numElements() / depth, batches = 1;
  for (int64_t i = 0; i < batch; ++i)
    batches *= data.shape[i];
  int64_t inner = result.numElements() / tuples;
  int64_t bytes = inner * byteSize(data.dtype);
  for (int64_t t = 0; t < tuples; ++t) {
    int64_t position = batch ? t / (tuples / batches) : 0;
    for (int64_t i = 0; i < depth; ++i) {
      int64_t rows = data.shape[batch + i];
      if (rows == 0)
        return evaluationFailure("a gather reads a dimension of size 0");
      position =
          position * rows + normalizeIndex(indices.getInt(t * depth + i), rows);
    }
    copyRow(data, position, result, t, bytes);
  }
  return single(std::move(result));
}

FusionKind GatherNDOp::getFusionKind() { return FusionKind::Pointwise; }
