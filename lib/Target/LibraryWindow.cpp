//===- LibraryWindow.cpp - convolution and pooling as library calls -------===//
#include "LibraryDescriber.h"

using namespace mlir;
using namespace takt;

template <typename List>
static void addNumbers(ArrayRef<int64_t> from, List *to) {
  to->Add(from.begin(), from.end());
}

llvm::Error LibraryDescriber::convolution(ConvOp op,
                                          proto::Convolution &result) {
  auto input = operandBuffer(op.getInput());
  auto weight = operandBuffer(op.getWeight());
  if (!input || !weight)
    return stageError(op, "a library convolution reads a computed tensor; "
                          "expected operands of the dispatch");
  result.set_input(*input);
  result.set_weight(*weight);
  result.set_output(buffer(dispatch.getResult(0)));
  addShape(op.getInput(), *result.mutable_input_shape());
  addShape(op.getResult(), *result.mutable_output_shape());
  addNumbers(op.getKernel(), result.mutable_kernel());
  addNumbers(op.getStrides(), result.mutable_strides());
  addNumbers(op.getDilations(), result.mutable_dilations());
  addNumbers(op.getPadsBegin(), result.mutable_pads_begin());
  addNumbers(op.getPadsEnd(), result.mutable_pads_end());
  result.set_groups(op.getGroups());
  return epilogues(op.getResult(), *result.mutable_epilogues(), nullptr);
}

static proto::Pool::Kind poolKind(StringRef kind) {
  if (kind == "max")
    return proto::Pool::MAX;
  return kind == "average" ? proto::Pool::AVERAGE
                           : proto::Pool::AVERAGE_INCLUDE_PAD;
}

llvm::Error LibraryDescriber::pool(PoolOp op, proto::Pool &result) {
  auto input = operandBuffer(op.getInput());
  if (!input || region.getTerminator()->getOperand(0) != op.getResult())
    return stageError(op, "a pooling dispatch holds more than its pooling");
  result.set_kind(poolKind(op.getKind()));
  result.set_input(*input);
  result.set_output(buffer(dispatch.getResult(0)));
  addShape(op.getInput(), *result.mutable_input_shape());
  addShape(op.getResult(), *result.mutable_output_shape());
  addNumbers(op.getKernel(), result.mutable_kernel());
  addNumbers(op.getStrides(), result.mutable_strides());
  addNumbers(op.getPadsBegin(), result.mutable_pads_begin());
  addNumbers(op.getPadsEnd(), result.mutable_pads_end());
  return llvm::Error::success();
}
