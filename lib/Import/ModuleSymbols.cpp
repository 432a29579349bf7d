//===- ModuleSymbols.cpp - dimensions and weights of the module -----------===//
#include "ModuleSymbols.h"
#include "TensorData.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
namespace takt::import {

static Operation *makeDim(OpBuilder &builder, const std::string &name) {
  OperationState op(builder.getUnknownLoc(), DimOp::getOperationName());
  op.addAttribute(SymbolTable::getSymbolAttrName(),
                  builder.getStringAttr(name));
  return Operation::create(op);
}

static WeightOp makeWeight(OpBuilder &builder, const Weight &weight) {
  MLIRContext *context = builder.getContext();
  auto type =
      RankedTensorType::get(weight.dims, elementType(weight.dataType, context));
  StringAttr name = builder.getStringAttr(weight.name);
  OperationState op(NameLoc::get(name), WeightOp::getOperationName());
  op.addAttribute(SymbolTable::getSymbolAttrName(), name);
  op.addAttribute("type", TypeAttr::get(type));
  op.addAttribute("source", SourceAttr::get(context, weight.file, weight.offset,
                                            weight.length));
  op.addRegion();
  return cast<WeightOp>(Operation::create(op));
}

SmallVector<WeightOp> declareSymbols(ImportState &state, ModuleOp module,
                                     Operation *main, const DimNames &dims) {
  OpBuilder builder(&state.context);
  SymbolTable symbols(module);
  auto before = Block::iterator(main);
  for (const std::string &name : dims.names())
    symbols.insert(makeDim(builder, name), before);
  SmallVector<WeightOp> weights;
  for (const Weight &weight : state.weights) {
    weights.push_back(makeWeight(builder, weight));
    symbols.insert(weights.back(), before);
  }
  return weights;
}

void eraseUnusedWeights(ModuleOp module, ArrayRef<WeightOp> weights) {
  llvm::DenseSet<StringAttr> used;
  module.walk([&](WeightReadOp read) {
    if (read.use_empty())
      read.erase();
    else
      used.insert(read.getWeightAttr().getAttr());
  });
  for (WeightOp weight : weights)
    if (!used.contains(weight.getSymNameAttr()))
      weight.erase();
}

} // namespace takt::import
