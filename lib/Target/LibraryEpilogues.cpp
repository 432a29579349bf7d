//===- LibraryEpilogues.cpp - the last steps of a library call ------------===//
#include "LibraryDescriber.h"

#include "takt/Dialect/Takt/Epilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace takt;

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

llvm::Error LibraryDescriber::epilogues(Value product, ProtoEpilogues &result,
                                        double *scale) {
  Value current = product;
  Value last = region.getTerminator()->getOperand(0);
  while (current != last) {
    if (!current.hasOneUse())
      return stageError(product.getDefiningOp(),
                        "a library dispatch has a value with several uses; "
                        "expected a chain of epilogues");
    Operation *user = *current.user_begin();
    if (user == region.getTerminator() || user->getNumResults() != 1)
      return stageError(product.getDefiningOp(),
                        "a library dispatch does not end in its last "
                        "epilogue");
    auto factor = scaleOf(user, current);
    if (scale && factor && current == product)
      *scale = *factor;
    else if (llvm::Error error = epilogue(user, current, result))
      return error;
    current = user->getResult(0);
  }
  return llvm::Error::success();
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
  case EpilogueKind::ReluCeiling:
    return proto::Epilogue::CLIP;
  }
  llvm_unreachable("all kinds are covered");
}

llvm::Error LibraryDescriber::epilogue(Operation *op, Value current,
                                       ProtoEpilogues &result) {
  std::optional<Epilogue> epilogue = epilogueOf(op, current, sizes);
  if (!epilogue)
    return stageError(op, "'" + op->getName().getStringRef() +
                              "' is no epilogue of a library call");
  if (!target.allowsEpilogue(protoKind(epilogue->kind)))
    return stageError(
        op, "target '" + target.name() + "' does not compute the epilogue " +
                proto::Epilogue::Kind_Name(protoKind(epilogue->kind)));
  if (epilogue->kind == EpilogueKind::ReluCeiling)
    result.RemoveLast(); // the relu
  proto::Epilogue &added = *result.Add();
  added.set_kind(protoKind(epilogue->kind));
  added.set_high(epilogue->high);
  if (!epilogue->operand)
    return llvm::Error::success();
  auto operand = operandBuffer(epilogue->operand);
  if (!operand)
    return stageError(op, "a library dispatch adds a value that is neither a "
                          "vector over the last dimension nor a full operand");
  added.set_buffer(*operand);
  return llvm::Error::success();
}
