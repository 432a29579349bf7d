//===- SizeAnalysis.cpp - the symbolic shape of every value ---------------===//
#include "takt/Dialect/Takt/SizeAnalysis.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace takt;

/// The shape that the IR states for a block argument, if any.
static ShapeAttr statedShape(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned index = argument.getArgNumber();
  if (auto function = dyn_cast_or_null<FunctionOpInterface>(parent))
    return function.getArgAttrOfType<ShapeAttr>(index, attr::shape);
  if (auto dispatch = dyn_cast_or_null<DispatchOp>(parent))
    return cast<ShapeAttr>(dispatch.getInputShapes()[index]);
  return {};
}

const SymbolicShape *SizeAnalysis::find(Value value) {
  if (auto it = shapes.find(value); it != shapes.end())
    return it->second.get();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return nullptr;
  auto record = [&](Value key, SymbolicShape shape) {
    set(key, std::move(shape));
    return shapes.find(key)->second.get();
  };
  if (type.hasStaticShape())
    return record(value, staticShape(type));
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    ShapeAttr stated = statedShape(argument);
    return stated ? record(value, stated.getExprs()) : nullptr;
  }
  Operation *op = value.getDefiningOp();
  if (auto dispatch = dyn_cast<DispatchOp>(op)) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    return record(
        value, cast<ShapeAttr>(dispatch.getResultShapes()[index]).getExprs());
  }
  auto tensorOp = dyn_cast<TensorOpInterface>(op);
  if (!tensorOp)
    return nullptr;
  // Recursion depth is the length of the longest chain whose shapes nobody has
  // asked for yet; callers that walk programs in order keep it at 1.
  for (Value operand : op->getOperands())
    if (!find(operand))
      return nullptr;
  auto results = tensorOp.inferShapes(operandShapes(op));
  for (auto [result, shape] : llvm::zip_equal(op->getResults(), results))
    record(result, shape);
  return shapes.find(value)->second.get();
}

const SymbolicShape &SizeAnalysis::shape(Value value) {
  const SymbolicShape *known = find(value);
  if (!known)
    llvm::report_fatal_error("a value's sizes follow from nothing");
  return *known;
}

bool SizeAnalysis::isKnown(Value value) { return find(value); }

void SizeAnalysis::set(Value value, SymbolicShape shape) {
  shapes[value] = std::make_unique<SymbolicShape>(std::move(shape));
}

SmallVector<SymbolicShape> SizeAnalysis::operandShapes(Operation *op) {
  SmallVector<SymbolicShape> result;
  for (Value operand : op->getOperands())
    result.push_back(shape(operand));
  return result;
}

SmallVector<SymbolicShape> SizeAnalysis::resultShapes(Operation *op) {
  SmallVector<SymbolicShape> result;
  for (Value value : op->getResults())
    result.push_back(shape(value));
  return result;
}
