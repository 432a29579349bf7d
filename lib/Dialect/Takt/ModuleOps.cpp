//===- ModuleOps.cpp - ops at module level --------------------------------===//
#include "takt/Dialect/Takt/Takt.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace takt;

int64_t takt::tensorParallelOf(Operation *stage) {
  auto ranks = stage->getAttrOfType<IntegerAttr>(attr::tensorParallel);
  return ranks ? ranks.getInt() : 1;
}

LogicalResult WeightOp::verifyRegions() {
  Region &body = getInitializer();
  if (body.empty() == !getSource().has_value())
    return emitOpError("needs either a source or an initializer");
  if (body.empty())
    return success();
  if (!body.hasOneBlock() || body.front().getNumArguments() != 0)
    return emitOpError("needs an initializer of one block without arguments");
  auto yield = dyn_cast<YieldOp>(body.front().back());
  if (!yield || yield.getValues().size() != 1 ||
      yield.getValues()[0].getType() != getType())
    return emitOpError("needs an initializer that yields one ") << getType();
  return success();
}

LogicalResult
WeightReadOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  // Symbols of outer modules are not visible from a stage's module, so the
  // nearest symbol table that is a module must hold it.
  auto module = (*this)->getParentOfType<ModuleOp>();
  auto weight =
      module ? symbolTable.lookupSymbolIn<WeightOp>(module, getWeightAttr())
             : WeightOp();
  if (!weight)
    return emitOpError("refers to '") << getWeight() << "', which is no weight";
  if (weight.getType() != getType())
    return emitOpError("has type ")
           << getType() << ", but weight '" << getWeight() << "' has "
           << weight.getType();
  return success();
}

// Ends a region that yields nothing; needed for the implicit terminator.
void YieldOp::build(OpBuilder &, OperationState &) {}
