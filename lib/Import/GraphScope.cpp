//===- GraphScope.cpp - names of values while a graph is imported ---------===//
#include "GraphScope.h"
#include "TensorData.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
namespace takt::import {

GraphScope::GraphScope(ImportState &state, const pb::GraphProto &graph,
                       Block &block, GraphScope *parent)
    : state(state), block(block), parent(parent) {
  for (const auto &tensor : graph.initializer())
    initializers[tensor.name()] = &tensor;
  for (const auto *infos :
       {&graph.value_info(), &graph.output(), &graph.input()})
    for (const auto &info : *infos)
      if (info.has_type())
        types[info.name()] = &info.type();
}

LogicalResult GraphScope::define(const std::string &name, Value value) {
  for (GraphScope *scope = this; scope; scope = scope->parent)
    if (scope->values.count(name) || scope->initializers.count(name))
      return state.badModel("value \"" + name +
                            "\" is defined twice, expected one definition");
  values[name] = value;
  return success();
}

const pb::TypeProto *GraphScope::typeOf(const std::string &name) const {
  return types.lookup(name);
}

Value GraphScope::materialize(const pb::TensorProto &tensor) {
  DenseElementsAttr elements = denseElements(tensor, &state.context);
  if (!elements) {
    (void)state.unsupported(
        "initializer \"" + tensor.name() + "\" has element type " +
        dataTypeName(tensor.data_type()) + ", which is not supported");
    return {};
  }
  OpBuilder builder(&state.context);
  if (lastConstant)
    builder.setInsertionPointAfter(lastConstant);
  else
    builder.setInsertionPointToStart(&block);
  Location loc = NameLoc::get(builder.getStringAttr(tensor.name()));
  auto constant = builder.create<arith::ConstantOp>(loc, elements);
  lastConstant = constant;
  return constant;
}

Value GraphScope::findLocal(const std::string &name) {
  if (Value value = values.lookup(name))
    return value;
  const pb::TensorProto *tensor = initializers.lookup(name);
  if (!tensor)
    return {};
  Value value = materialize(*tensor);
  if (value)
    values[name] = value;
  return value;
}

Value GraphScope::lookup(const std::string &name, const Twine &user) {
  for (GraphScope *scope = this; scope; scope = scope->parent) {
    if (Value value = scope->findLocal(name))
      return value;
    if (scope->initializers.count(name))
      return {}; // reported
  }
  (void)state.badModel(user + " uses \"" + name +
                       "\", which no earlier node or graph input defines");
  return {};
}

} // namespace takt::import
