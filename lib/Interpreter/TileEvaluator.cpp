//===- TileEvaluator.cpp - parts of weights -------------------------------===//
#include "takt/Interpreter/TileEvaluator.h"
#include "ReshapeTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace takt;

static WeightOp weightOf(WeightReadOp read) {
  return SymbolTable::lookupNearestSymbolFrom<WeightOp>(
      read->getParentOfType<ModuleOp>(), read.getWeightAttr());
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

namespace {
/// How many tiles are computed for one tile of a weight: a value that is used
/// twice is computed twice, so that nothing but tiles is held.
class TileCount {
public:
  /// 0 if the weight can't be computed in tiles.
  int64_t of(WeightOp weight);

private:
  static constexpr int64_t limit = 4096;
  int64_t of(Operation *op);

  DenseMap<Operation *, int64_t> counts; // 0 while a weight is looked at
};
} // namespace

static bool hasTiles(Operation *op) {
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        !tensor || !tensor.hasStaticShape())
      return false;
  if (auto slice = dyn_cast<SliceOp>(op))
    return llvm::all_of(slice.getStrides(),
                        [](int64_t stride) { return stride == 1; });
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return ReshapeTile::find(shapeOf(reshape.getInput()),
                             shapeOf(reshape.getResult()))
        .has_value();
  return isa<WeightReadOp, arith::ConstantOp, TransposeOp, BroadcastOp,
             ConcatOp>(op) ||
         (op->hasTrait<OpTrait::Elementwise>() && isa<TensorOpInterface>(op) &&
          op->getNumResults() == 1);
}

int64_t TileCount::of(Operation *op) {
  if (auto [it, isNew] = counts.try_emplace(op, 0); !isNew)
    return it->second;
  if (!hasTiles(op))
    return 0;
  int64_t count = 1;
  if (auto read = dyn_cast<WeightReadOp>(op)) {
    WeightOp weight = weightOf(read);
    count = weight ? of(weight) : 0;
  }
  for (Value operand : op->getOperands()) {
    int64_t part = operand.getDefiningOp() ? of(operand.getDefiningOp()) : 0;
    count = part == 0 || count == 0 ? 0 : count + part;
  }
  return counts[op] = count > limit ? 0 : count;
}

int64_t TileCount::of(WeightOp weight) {
  if (weight.getSource())
    return 1;
  if (auto [it, isNew] = counts.try_emplace(weight, 0); !isNew)
    return it->second;
  Block &block = weight.getInitializer().front();
  for (Operation &op : block.without_terminator())
    of(&op); // in order, so that long chains are no deep recursion
  Operation *result = block.getTerminator()->getOperand(0).getDefiningOp();
  int64_t count = result ? of(result) : 0;
  return counts[weight] = count;
}

bool takt::canEvaluateInTiles(WeightOp weight) {
  return TileCount().of(weight) > 0;
}

namespace {
/// Pulls tiles from the result to the sources.
class TileEvaluator {
public:
  TileEvaluator(const SymbolValues &symbols, const WindowReader &read)
      : symbols(symbols), read(read) {}

  llvm::Expected<HostTensor> tile(WeightOp weight, const TensorWindow &window) {
    if (weight.getSource())
      return read(weight, window);
    Operation *yield = weight.getInitializer().front().getTerminator();
    return tile(yield->getOperand(0), window);
  }

private:
  llvm::Expected<HostTensor> tile(Value value, const TensorWindow &window);
  llvm::Expected<HostTensor> slice(SliceOp op, TensorWindow window);
  llvm::Expected<HostTensor> transpose(TransposeOp op,
                                       const TensorWindow &window);
  llvm::Expected<HostTensor> broadcast(BroadcastOp op,
                                       const TensorWindow &window);
  llvm::Expected<HostTensor> concat(ConcatOp op, const TensorWindow &window);
  llvm::Expected<HostTensor> reshape(ReshapeOp op, const TensorWindow &window);
  llvm::Expected<HostTensor> elementwise(Operation *op,
                                         const TensorWindow &window);
  llvm::Expected<HostTensor> apply(Operation *op,
                                   ArrayRef<HostTensor> operands);

  const SymbolValues &symbols;
  const WindowReader &read;
};
} // namespace

llvm::Expected<HostTensor> TileEvaluator::slice(SliceOp op,
                                                TensorWindow window) {
  auto lookup = [&](StringRef name) -> std::optional<int64_t> {
    auto found = symbols.find(name);
    return found == symbols.end() ? std::nullopt : std::optional(found->second);
  };
  auto starts = EvaluationContext{lookup}.evaluate(op.getStarts().getExprs());
  if (!starts)
    return starts.takeError();
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  for (auto [i, start] : llvm::enumerate(*starts)) {
    window.start[i] += start;
    if (window.start[i] < 0 || window.size[i] > shape[i] - window.start[i])
      return evaluationFailure(describeOperation(op) +
                               ": a slice leaves its operand");
  }
  return tile(op.getInput(), window);
}

llvm::Expected<HostTensor>
TileEvaluator::transpose(TransposeOp op, const TensorWindow &window) {
  TensorWindow inner = window;
  for (auto [i, dim] : llvm::enumerate(op.getPermutation())) {
    inner.start[dim] = window.start[i];
    inner.size[dim] = window.size[i];
  }
  llvm::Expected<HostTensor> operand = tile(op.getInput(), inner);
  if (!operand)
    return operand;
  return apply(op, *operand);
}

/// The operand's part, repeated to the window.
llvm::Expected<HostTensor>
TileEvaluator::broadcast(BroadcastOp op, const TensorWindow &window) {
  TensorWindow inner;
  for (auto [i, dim] : llvm::enumerate(op.getDims())) {
    bool isRepeated =
        shapeOf(op.getInput())[i] == 1 && shapeOf(op.getResult())[dim] != 1;
    inner.start.push_back(isRepeated ? 0 : window.start[dim]);
    inner.size.push_back(isRepeated ? 1 : window.size[dim]);
  }
  llvm::Expected<HostTensor> operand = tile(op.getInput(), inner);
  if (!operand)
    return operand;
  return repeatTile(*operand, op.getDims(), window.size);
}

llvm::Expected<HostTensor> TileEvaluator::concat(ConcatOp op,
                                                 const TensorWindow &window) {
  int64_t axis = op.getAxis(), begin = 0;
  auto element =
      cast<RankedTensorType>(op.getResult().getType()).getElementType();
  HostTensor result = HostTensor::zeros(*dtypeOf(element), window.size);
  for (Value input : op.getInputs()) {
    int64_t end = begin + shapeOf(input)[axis];
    int64_t from = std::max(begin, window.start[axis]);
    int64_t to = std::min(end, window.start[axis] + window.size[axis]);
    if (from < to) {
      TensorWindow part = window;
      part.start[axis] = from - begin;
      part.size[axis] = to - from;
      llvm::Expected<HostTensor> operand = tile(input, part);
      if (!operand)
        return operand;
      SmallVector<int64_t> place(window.rank(), 0);
      place[axis] = from - window.start[axis];
      pasteWindow(result, place, *operand);
    }
    begin = end;
  }
  return result;
}

llvm::Expected<HostTensor> TileEvaluator::reshape(ReshapeOp op,
                                                  const TensorWindow &window) {
  std::optional<ReshapeTile> groups =
      ReshapeTile::find(shapeOf(op.getInput()), shapeOf(op.getResult()));
  ReshapeTile::Plan plan = groups->plan(window);
  llvm::Expected<HostTensor> operand = tile(op.getInput(), plan.operand);
  if (!operand)
    return operand;
  operand->shape = plan.regrouped;
  HostTensor rows = cutWindow(*operand, plan.rows);
  rows.shape = plan.covering;
  return cutWindow(rows, plan.inner);
}

llvm::Expected<HostTensor>
TileEvaluator::elementwise(Operation *op, const TensorWindow &window) {
  SmallVector<HostTensor> operands;
  for (Value operand : op->getOperands()) {
    llvm::Expected<HostTensor> part = tile(operand, window);
    if (!part)
      return part;
    operands.push_back(std::move(*part));
  }
  return apply(op, operands);
}

llvm::Expected<HostTensor> TileEvaluator::apply(Operation *op,
                                                ArrayRef<HostTensor> operands) {
  SmallVector<const HostTensor *> pointers;
  for (const HostTensor &operand : operands)
    pointers.push_back(&operand);
  auto none = [](StringRef) { return std::optional<int64_t>(); };
  auto results =
      cast<TensorOpInterface>(op).evaluate(pointers, EvaluationContext{none});
  if (!results)
    return evaluationFailure(describeOperation(op) + ": " +
                             llvm::toString(results.takeError()));
  return std::move(results->front());
}

llvm::Expected<HostTensor> TileEvaluator::tile(Value value,
                                               const TensorWindow &window) {
  Operation *op = value.getDefiningOp();
  return llvm::TypeSwitch<Operation *, llvm::Expected<HostTensor>>(op)
      .Case([&](WeightReadOp op) { return tile(weightOf(op), window); })
      .Case([&](arith::ConstantOp op) -> llvm::Expected<HostTensor> {
        if (auto splat = dyn_cast<SplatElementsAttr>(op.getValue()))
          return tensorOfAttribute(splat.resizeSplat(
              RankedTensorType::get(window.size, splat.getElementType())));
        llvm::Expected<HostTensor> tensor = tensorOfAttribute(op.getValue());
        if (!tensor)
          return tensor;
        return cutWindow(*tensor, window);
      })
      .Case([&](SliceOp op) { return slice(op, window); })
      .Case([&](TransposeOp op) { return transpose(op, window); })
      .Case([&](BroadcastOp op) { return broadcast(op, window); })
      .Case([&](ConcatOp op) { return concat(op, window); })
      .Case([&](ReshapeOp op) { return reshape(op, window); })
      .Default([&](Operation *op) { return elementwise(op, window); });
}

llvm::Expected<HostTensor> takt::evaluateTile(WeightOp weight,
                                              const TensorWindow &window,
                                              const SymbolValues &symbols,
                                              const WindowReader &read) {
  return TileEvaluator(symbols, read).tile(weight, window);
}
