//===- LibraryOperation.cpp - dispatches as calls into the runtime --------===//
#include "StageBuilder.h"

#include "takt/Dialect/Takt/Epilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace takt;

namespace {
/// Reads the region of one dispatch.
class Describer {
public:
  Describer(DispatchOp dispatch, ValueTable &values, const Target &target,
            llvm::function_ref<int32_t(Value)> buffer)
      : dispatch(dispatch), region(dispatch.getBody().front()), values(values),
        target(target), buffer(buffer) {}

  llvm::Expected<proto::Operation> describe();

private:
  llvm::Error contraction(MatmulOp op, proto::Contraction &result);
  llvm::Error epilogues(MatmulOp op, proto::Contraction &result);
  llvm::Error epilogue(Operation *op, Value current,
                       proto::Contraction &result);
  llvm::Error pool(MaxPoolOp op, proto::Pool &result);
  llvm::Error collective(Operation *op, proto::Collective &result);
  int32_t value(const SizeExpr &expr) { return values.index(expr); }

  /// The buffer of an operand of the dispatch, or none for another value.
  std::optional<int32_t> operandBuffer(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument)
      return std::nullopt;
    return buffer(dispatch.getInputs()[argument.getArgNumber()]);
  }

  DispatchOp dispatch;
  Block &region;
  ValueTable &values;
  const Target &target;
  llvm::function_ref<int32_t(Value)> buffer;
  SizeAnalysis sizes;
};
} // namespace

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

llvm::Error Describer::contraction(MatmulOp op, proto::Contraction &result) {
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
  return epilogues(op, result);
}

/// What follows the product, up to the value that the dispatch yields.
llvm::Error Describer::epilogues(MatmulOp op, proto::Contraction &result) {
  Value current = op.getResult();
  Value last = region.getTerminator()->getOperand(0);
  while (current != last) {
    if (!current.hasOneUse())
      return stageError(op, "a library dispatch has a value with several uses; "
                            "expected a chain of epilogues");
    Operation *user = *current.user_begin();
    if (user == region.getTerminator() || user->getNumResults() != 1)
      return stageError(op, "a library dispatch does not end in its last "
                            "epilogue");
    if (llvm::Error error = epilogue(user, current, result))
      return error;
    current = user->getResult(0);
  }
  return llvm::Error::success();
}

/// The number that all elements of a value are, if it is such a constant.
static std::optional<double> constantNumber(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getInput();
  DenseFPElementsAttr data;
  if (!matchPattern(value, m_Constant(&data)) || !data.isSplat())
    return std::nullopt;
  return data.getSplatValue<APFloat>().convertToDouble();
}

/// The factor of a multiplication of `current` by a number other than 0, which
/// the manifest takes for none.
static std::optional<double> scaleOf(Operation *op, Value current) {
  if (!isa<arith::MulFOp>(op))
    return std::nullopt;
  auto number =
      constantNumber(op->getOperand(op->getOperand(0) == current ? 1 : 0));
  return number && *number != 0 ? number : std::nullopt;
}

static proto::Epilogue::Kind protoKind(EpilogueKind kind) {
  switch (kind) {
  case EpilogueKind::Bias:
    return proto::Epilogue::BIAS;
  case EpilogueKind::Add:
    return proto::Epilogue::ADD;
  case EpilogueKind::Relu:
    return proto::Epilogue::RELU;
  case EpilogueKind::GeluErf:
    return proto::Epilogue::GELU_ERF;
  case EpilogueKind::GeluTanh:
    return proto::Epilogue::GELU_TANH;
  }
  llvm_unreachable("all kinds are covered");
}

llvm::Error Describer::epilogue(Operation *op, Value current,
                                proto::Contraction &result) {
  if (auto scale = scaleOf(op, current);
      scale && result.epilogues().empty() && result.scale() == 0) {
    result.set_scale(*scale);
    return llvm::Error::success();
  }
  std::optional<Epilogue> epilogue = epilogueOf(op, current, sizes);
  if (!epilogue)
    return stageError(op, "'" + op->getName().getStringRef() +
                              "' is no epilogue of a library contraction");
  if (!target.allowsEpilogue(protoKind(epilogue->kind)))
    return stageError(
        op, "target '" + target.name() + "' does not compute the epilogue " +
                proto::Epilogue::Kind_Name(protoKind(epilogue->kind)));
  proto::Epilogue &added = *result.add_epilogues();
  added.set_kind(protoKind(epilogue->kind));
  if (!epilogue->operand)
    return llvm::Error::success();
  auto operand = operandBuffer(epilogue->operand);
  if (!operand)
    return stageError(op, "a library dispatch adds a value that is neither a "
                          "vector over the last dimension nor a full operand");
  added.set_buffer(*operand);
  return llvm::Error::success();
}

llvm::Error Describer::pool(MaxPoolOp op, proto::Pool &result) {
  auto input = operandBuffer(op.getInput());
  if (!input || region.getTerminator()->getOperand(0) != op.getResult())
    return stageError(op, "a pooling dispatch holds more than its pooling");
  result.set_kind(proto::Pool::MAX);
  result.set_input(*input);
  result.set_output(buffer(dispatch.getResult(0)));
  for (const SizeExpr &size : sizes.shape(op.getInput()))
    result.add_input_shape(value(size));
  for (const SizeExpr &size : sizes.shape(op.getResult()))
    result.add_output_shape(value(size));
  auto copy = [](ArrayRef<int64_t> from, auto *to) {
    to->Add(from.begin(), from.end());
  };
  copy(op.getKernel(), result.mutable_kernel());
  copy(op.getStrides(), result.mutable_strides());
  copy(op.getPadsBegin(), result.mutable_pads_begin());
  copy(op.getPadsEnd(), result.mutable_pads_end());
  return llvm::Error::success();
}

llvm::Error Describer::collective(Operation *op, proto::Collective &result) {
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

llvm::Expected<proto::Operation> Describer::describe() {
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
    if (auto maxPool = dyn_cast<MaxPoolOp>(op))
      return finish(pool(maxPool, *operation.mutable_pool()));
    if (isCollective(&op))
      return finish(collective(&op, *operation.mutable_collective()));
  }
  return stageError(dispatch, "a dispatch of kind '" + dispatch.getKind() +
                                  "' holds no contraction, pooling or "
                                  "collective");
}

llvm::Expected<proto::Operation>
takt::describeOperation(DispatchOp dispatch, ValueTable &values,
                        const Target &target,
                        llvm::function_ref<int32_t(Value)> buffer) {
  return Describer(dispatch, values, target, buffer).describe();
}
