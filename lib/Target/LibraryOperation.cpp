//===- LibraryOperation.cpp - dispatches as calls into the runtime --------===//
#include "LibraryDescriber.h"

using namespace mlir;
using namespace takt;

/// The operand of a transpose of the last two dimensions, or the value.
static Value matrixOperand(Value value, bool &isTransposed) {
  auto transpose = value.getDefiningOp<TransposeOp>();
  if (!transpose)
    return value;
  SmallVector<int64_t> swapped =
      llvm::to_vector(llvm::seq<int64_t>(0, transpose.getPermutation().size()));
  if (swapped.size() < 2)
    return value;
  std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
  if (transpose.getPermutation() != ArrayRef<int64_t>(swapped))
    return value;
  isTransposed = !isTransposed;
  return transpose.getInput();
}

llvm::Error LibraryDescriber::contraction(MatmulOp op,
                                          proto::Contraction &result) {
  bool transposeLhs = false, transposeRhs = op.getTransposeRhs();
  Value lhs = matrixOperand(op.getLhs(), transposeLhs);
  Value rhs = matrixOperand(op.getRhs(), transposeRhs);
  auto lhsBuffer = operandBuffer(lhs), rhsBuffer = operandBuffer(rhs);
  if (!lhsBuffer || !rhsBuffer)
    return stageError(op, "a library contraction reads a computed matrix; "
                          "expected operands of the dispatch");
  const SymbolicShape &shape = sizes.shape(op.getLhs());
  ArrayRef<SizeExpr> leading = ArrayRef<SizeExpr>(shape).drop_back(2);
  bool isShared = sizes.shape(op.getRhs()).size() == 2;
  SizeExpr batch = product(leading), m = shape[shape.size() - 2];
  if (isShared && !transposeLhs) {
    m = product(ArrayRef<SizeExpr>(shape).drop_back());
    batch = SizeExpr(1);
  }
  result.set_lhs(*lhsBuffer);
  result.set_rhs(*rhsBuffer);
  result.set_output(buffer(dispatch.getResult(0)));
  result.set_batch(value(batch));
  result.set_m(value(m));
  result.set_n(value(sizes.shape(op.getResult()).back()));
  result.set_k(value(shape.back()));
  result.set_transpose_lhs(transposeLhs);
  result.set_transpose_rhs(transposeRhs);
  result.set_rhs_shared(isShared);
  double scale = 0;
  llvm::Error error =
      epilogues(op.getResult(), *result.mutable_epilogues(), &scale);
  result.set_scale(scale);
  return error;
}

llvm::Error LibraryDescriber::collective(Operation *op,
                                         proto::Collective &result) {
  auto input = operandBuffer(op->getOperand(0));
  if (!input || region.getTerminator()->getOperand(0) != op->getResult(0))
    return stageError(op,
                      "a collective dispatch holds more than its collective");
  result.set_input(*input);
  result.set_output(buffer(dispatch.getResult(0)));
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  result.set_dtype(dtypeName(*dtypeOf(type.getElementType())).str());
  ArrayRef<SizeExpr> shape = sizes.shape(op->getOperand(0));
  SizeExpr outer(1), part(1), inner = product(shape);
  auto cut = [&](int64_t axis) {
    outer = product(shape.take_front(axis));
    part = shape[axis];
    inner = product(shape.drop_front(axis + 1));
  };
  result.set_kind(proto::Collective::ALL_REDUCE);
  if (auto gather = dyn_cast<AllGatherOp>(op)) {
    result.set_kind(proto::Collective::ALL_GATHER);
    cut(gather.getAxis());
  } else if (auto scatter = dyn_cast<ReduceScatterOp>(op)) {
    result.set_kind(proto::Collective::REDUCE_SCATTER);
    cut(scatter.getAxis());
  }
  if (result.kind() != proto::Collective::ALL_GATHER)
    result.set_reduction("sum");
  result.set_outer(value(outer));
  result.set_part(value(part));
  result.set_inner(value(inner));
  return llvm::Error::success();
}

llvm::Expected<proto::Operation> LibraryDescriber::describe() {
  proto::Operation operation;
  operation.set_name(originName(dispatch));
  auto finish = [&](llvm::Error error) -> llvm::Expected<proto::Operation> {
    if (error)
      return std::move(error);
    return operation;
  };
  for (Operation &op : region.without_terminator()) {
    if (auto matmul = dyn_cast<MatmulOp>(op))
      return finish(contraction(matmul, *operation.mutable_contraction()));
    if (auto conv = dyn_cast<ConvOp>(op))
      return finish(convolution(conv, *operation.mutable_convolution()));
    if (auto window = dyn_cast<PoolOp>(op))
      return finish(pool(window, *operation.mutable_pool()));
    if (isCollective(&op))
      return finish(collective(&op, *operation.mutable_collective()));
  }
  return stageError(dispatch, "a dispatch of kind '" + dispatch.getKind() +
                                  "' holds no contraction, convolution, "
                                  "pooling or collective");
}

llvm::Expected<proto::Operation>
takt::describeOperation(DispatchOp dispatch, ValueTable &values,
                        const Target &target,
                        llvm::function_ref<int32_t(Value)> buffer) {
  return LibraryDescriber(dispatch, values, target, buffer).describe();
}
