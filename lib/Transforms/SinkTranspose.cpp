//===- SinkTranspose.cpp - an op before the transpose of its operands -----===//
#include "SinkTranspose.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace takt;

namespace {
/// One op whose operands are transposes by `permutation`: result dimension i of
/// each is dimension permutation[i] of what it transposes.
class Sinker {
public:
  Sinker(Operation *op, ArrayRef<int64_t> permutation, SizeAnalysis &sizes)
      : op(op), permutation(permutation), sizes(sizes), builder(op) {}

  bool run();

private:
  bool elementwise();
  bool reduce(ReduceOp reduce);
  bool concat(ConcatOp concat);
  bool softmax(SoftmaxOp softmax);
  bool slice(SliceOp slice);
  bool gather(GatherOp gather);
  bool reshape(ReshapeOp reshape);

  /// `value` as it is before the transpose; null if that costs a copy.
  Value before(Value value);
  Value broadcastBefore(BroadcastOp broadcast);
  /// All operands before the transpose.
  bool operandsBefore(SmallVectorImpl<Value> &operands);
  /// A list with one entry per dimension, in the order before the transpose.
  template <typename List> List listBefore(const List &list) const {
    List result(list);
    for (auto [i, dim] : llvm::enumerate(permutation))
      result[dim] = list[i];
    return result;
  }
  template <typename Op, typename... Args> Value make(Args &&...args) {
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    return createInferred<Op>(builder, op->getLoc(), sizes, element,
                              std::forward<Args>(args)...);
  }
  /// The op's result is `value`, transposed by `by`.
  bool replaceBy(Value value, ArrayRef<int64_t> by);

  Operation *op;
  ArrayRef<int64_t> permutation;
  SizeAnalysis &sizes;
  OpBuilder builder;
};
} // namespace

bool Sinker::replaceBy(Value value, ArrayRef<int64_t> by) {
  if (!isIdentityPermutation(by))
    value = make<TransposeOp>(value, builder.getDenseI64ArrayAttr(by));
  op->getResult(0).replaceAllUsesWith(value);
  return true;
}

/// The operand of a broadcast follows if its dimensions keep their order, or
/// by a transpose of its own, which is smaller.
Value Sinker::broadcastBefore(BroadcastOp broadcast) {
  SmallVector<std::pair<int64_t, int64_t>>
      places; // in the result, in the operand
  for (auto [i, dim] : llvm::enumerate(broadcast.getDims()))
    places.push_back({permutation[dim], i});
  llvm::sort(places);
  SmallVector<int64_t> dims, order;
  for (auto [dim, from] : places) {
    dims.push_back(dim);
    order.push_back(from);
  }
  Value input = broadcast.getInput();
  Type element = getElementTypeOrSelf(input.getType());
  if (!llvm::is_sorted(order))
    input =
        createInferred<TransposeOp>(builder, op->getLoc(), sizes, element,
                                    input, builder.getDenseI64ArrayAttr(order));
  SymbolicShape shape = listBefore(sizes.shape(broadcast.getResult()));
  return createInferred<BroadcastOp>(
      builder, op->getLoc(), sizes, element, input,
      builder.getDenseI64ArrayAttr(dims),
      ShapeAttr::get(builder.getContext(), shape));
}

Value Sinker::before(Value value) {
  Operation *producer = value.getDefiningOp();
  if (auto transpose = dyn_cast_or_null<TransposeOp>(producer))
    return transpose.getPermutation() == permutation ? transpose.getInput()
                                                     : Value();
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(producer))
    return broadcastBefore(broadcast);
  auto constant = dyn_cast_or_null<arith::ConstantOp>(producer);
  auto data = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                       : SplatElementsAttr();
  auto type = cast<RankedTensorType>(value.getType());
  if (!data || type.getRank() != int64_t(permutation.size()))
    return {};
  SmallVector<int64_t> shape = listBefore(llvm::to_vector(type.getShape()));
  return builder.create<arith::ConstantOp>(
      op->getLoc(),
      data.resizeSplat(RankedTensorType::get(shape, type.getElementType())));
}

bool Sinker::operandsBefore(SmallVectorImpl<Value> &operands) {
  for (Value operand : op->getOperands()) {
    Value value = before(operand);
    if (!value)
      return false;
    operands.push_back(value);
  }
  return true;
}

bool Sinker::elementwise() {
  SmallVector<Value> operands;
  if (op->getNumResults() != 1 || !operandsBefore(operands))
    return false;
  Value old = op->getResult(0);
  SymbolicShape shape = listBefore(sizes.shape(old));
  Operation *clone = builder.clone(*op);
  clone->setOperands(operands);
  clone->getResult(0).setType(
      tensorType(shape, getElementTypeOrSelf(old.getType())));
  sizes.set(clone->getResult(0), shape);
  return replaceBy(clone->getResult(0), permutation);
}

bool Sinker::reduce(ReduceOp reduce) {
  SmallVector<int64_t> axes, kept;
  for (auto [i, dim] : llvm::enumerate(permutation))
    (llvm::is_contained(reduce.getAxes(), int64_t(i)) ? axes : kept)
        .push_back(dim);
  llvm::sort(axes);
  SmallVector<int64_t> inOrder(kept), by;
  llvm::sort(inOrder);
  for (int64_t dim : kept)
    by.push_back(llvm::find(inOrder, dim) - inOrder.begin());
  return replaceBy(make<ReduceOp>(before(reduce.getInput()), reduce.getKind(),
                                  builder.getDenseI64ArrayAttr(axes)),
                   by);
}

bool Sinker::concat(ConcatOp concat) {
  SmallVector<Value> operands;
  return operandsBefore(operands) &&
         replaceBy(make<ConcatOp>(operands, permutation[concat.getAxis()]),
                   permutation);
}

bool Sinker::softmax(SoftmaxOp softmax) {
  return replaceBy(make<SoftmaxOp>(before(softmax.getInput()),
                                   permutation[softmax.getAxis()]),
                   permutation);
}

bool Sinker::slice(SliceOp slice) {
  auto shapeBefore = [&](ShapeAttr attribute) {
    return ShapeAttr::get(builder.getContext(),
                          listBefore(attribute.getExprs()));
  };
  return replaceBy(
      make<SliceOp>(before(slice.getInput()), shapeBefore(slice.getStarts()),
                    shapeBefore(slice.getShape()),
                    builder.getDenseI64ArrayAttr(
                        listBefore(llvm::to_vector(slice.getStrides())))),
      permutation);
}

/// A vector of indices takes the place of the dimension that it indexes.
bool Sinker::gather(GatherOp gather) {
  if (sizes.shape(gather.getIndices()).size() != 1 || gather.getFirstRow() ||
      gather.getData().getDefiningOp<TransposeOp>() == nullptr)
    return false;
  return replaceBy(make<GatherOp>(before(gather.getData()), gather.getIndices(),
                                  permutation[gather.getAxis()], StringAttr(),
                                  StringAttr()),
                   permutation);
}

bool Sinker::reshape(ReshapeOp reshape) {
  auto first =
      reshapeBeforeTranspose(sizes.shape(reshape.getInput()), permutation,
                             sizes.shape(reshape.getResult()));
  return first && replaceBy(make<ReshapeOp>(before(reshape.getInput()),
                                            ShapeAttr::get(builder.getContext(),
                                                           first->shape)),
                            first->permutation);
}

bool Sinker::run() {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](ReduceOp op) { return reduce(op); })
      .Case([&](ConcatOp op) { return concat(op); })
      .Case([&](SoftmaxOp op) { return softmax(op); })
      .Case([&](SliceOp op) { return slice(op); })
      .Case([&](GatherOp op) { return gather(op); })
      .Case([&](ReshapeOp op) { return reshape(op); })
      .Default([&](Operation *other) {
        return other->hasTrait<OpTrait::Elementwise>() && elementwise();
      });
}

bool takt::sinkTranspose(Operation *op, SizeAnalysis &sizes) {
  for (Value operand : op->getOperands())
    if (auto transpose = operand.getDefiningOp<TransposeOp>()) {
      // A copy: the op's attributes may go with it.
      SmallVector<int64_t> permutation(transpose.getPermutation());
      return Sinker(op, permutation, sizes).run();
    }
  return false;
}
