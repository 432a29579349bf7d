//===- ImportGraph.cpp - the graph into onnx.node operations --------------===//
#include "ConstantNode.h"
#include "DimNames.h"
#include "GraphScope.h"
#include "ImportAttributes.h"
#include "ModuleSymbols.h"
#include "TensorData.h"
#include "WeightSchema.h"

#include "takt/Dialect/Onnx/Onnx.h"
#include "takt/Dialect/Takt/Takt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
namespace takt::import {

namespace {
class GraphImporter {
public:
  GraphImporter(ImportState &state, const pb::ModelProto &model,
                const DimNames &dims)
      : state(state), model(model), dims(dims), builder(&state.context) {
    for (const auto &import : model.opset_import())
      versions[import.domain()] = import.version();
  }

  OwningOpRef<ModuleOp> run();

private:
  LogicalResult importMain(func::FuncOp main);
  /// Names and shapes of the arguments and results.
  void describePorts(func::FuncOp main);
  LogicalResult importNodes(const pb::GraphProto &graph, GraphScope &scope);
  LogicalResult importNode(const pb::NodeProto &node, int index,
                           GraphScope &scope);
  LogicalResult importConstant(const pb::NodeProto &node, Location loc,
                               GraphScope &scope);
  LogicalResult importSubgraph(const pb::GraphProto &graph, Region &region,
                               GraphScope &scope);
  LogicalResult addOperands(const pb::NodeProto &node, OperationState &op,
                            GraphScope &scope);
  LogicalResult addAttributes(const pb::NodeProto &node, OperationState &op,
                              GraphScope &scope);
  Value none();

  ImportState &state;
  const pb::ModelProto &model;
  const DimNames &dims;
  OpBuilder builder;
  llvm::StringMap<int64_t> versions;
  SmallVector<WeightOp> weights; ///< by index
  Block *entry = nullptr;
  Value noneValue;
};
} // namespace

/// The one value that stands for all inputs left empty.
Value GraphImporter::none() {
  if (!noneValue) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(entry);
    noneValue = builder.create<onnx::NoneOp>(builder.getUnknownLoc(),
                                             builder.getNoneType());
  }
  return noneValue;
}

LogicalResult GraphImporter::addOperands(const pb::NodeProto &node,
                                         OperationState &op,
                                         GraphScope &scope) {
  for (const std::string &input : node.input()) {
    Value value = input.empty() ? none() : scope.lookup(input, describe(node));
    if (!value)
      return failure();
    op.addOperands(value);
  }
  return success();
}

LogicalResult GraphImporter::addAttributes(const pb::NodeProto &node,
                                           OperationState &op,
                                           GraphScope &scope) {
  NamedAttrList attributes;
  SmallVector<Attribute> regionNames;
  for (const auto &attribute : node.attribute()) {
    if (attribute.has_g()) {
      regionNames.push_back(builder.getStringAttr(attribute.name()));
      if (failed(importSubgraph(attribute.g(), *op.addRegion(), scope)))
        return failure();
      continue;
    }
    FailureOr<Attribute> value = importAttribute(state, node, attribute);
    if (failed(value))
      return failure();
    attributes.set(attribute.name(), *value);
  }
  op.addAttribute("op_type", builder.getStringAttr(node.op_type()));
  op.addAttribute("domain", builder.getStringAttr(node.domain()));
  op.addAttribute("version",
                  builder.getI64IntegerAttr(versions.lookup(node.domain())));
  op.addAttribute("attrs", attributes.getDictionary(&state.context));
  if (!regionNames.empty())
    op.addAttribute("region_names", builder.getArrayAttr(regionNames));
  return success();
}

LogicalResult GraphImporter::importSubgraph(const pb::GraphProto &graph,
                                            Region &region,
                                            GraphScope &parent) {
  OpBuilder::InsertionGuard guard(builder);
  Block &block = region.emplaceBlock();
  GraphScope scope(state, graph, block, &parent);
  for (const auto &input : graph.input()) {
    FailureOr<Type> type =
        importType(state, scope.typeOf(input.name()),
                   "subgraph input \"" + input.name() + "\"");
    if (failed(type))
      return failure();
    Location loc = NameLoc::get(builder.getStringAttr(input.name()));
    if (failed(scope.define(input.name(), block.addArgument(*type, loc))))
      return failure();
  }
  builder.setInsertionPointToEnd(&block);
  if (failed(importNodes(graph, scope)))
    return failure();
  SmallVector<Value> results;
  for (const auto &output : graph.output()) {
    results.push_back(scope.lookup(output.name(), "a subgraph's output list"));
    if (!results.back())
      return failure();
  }
  builder.create<onnx::YieldOp>(builder.getUnknownLoc(), results);
  return success();
}

LogicalResult GraphImporter::importConstant(const pb::NodeProto &node,
                                            Location loc, GraphScope &scope) {
  // References to a function's attributes have been replaced by now.
  pb::NodeProto copy = node;
  useTensorForm(copy);
  const pb::AttributeProto &value = copy.attribute(0);
  DenseElementsAttr elements;
  if (value.has_t() && succeeded(checkTensor(state, value.t())))
    elements = denseElements(value.t(), &state.context);
  if (!elements)
    return state.unsupported(
        describe(node) + " holds strings or another kind of value that is "
                         "not supported, expected a dense tensor of numbers");
  return scope.define(node.output(0),
                      builder.create<arith::ConstantOp>(loc, elements));
}

LogicalResult GraphImporter::importNode(const pb::NodeProto &node, int index,
                                        GraphScope &scope) {
  std::string name = node.name();
  if (name.empty())
    name = node.op_type() + "_" + std::to_string(index);
  Location loc = NameLoc::get(builder.getStringAttr(name));
  if (std::optional<int64_t> weight = weightIndex(node)) {
    WeightOp symbol = weights[*weight];
    return scope.define(node.output(0),
                        builder.create<WeightReadOp>(loc, symbol.getType(),
                                                     symbol.getSymName()));
  }
  if (isConstantNode(node) && node.output_size() == 1)
    return importConstant(node, loc, scope);

  OperationState op(loc, onnx::NodeOp::getOperationName());
  if (failed(addOperands(node, op, scope)) ||
      failed(addAttributes(node, op, scope)))
    return failure();
  for (const std::string &output : node.output()) {
    FailureOr<Type> type =
        importType(state, output.empty() ? nullptr : scope.typeOf(output),
                   "output \"" + output + "\" of " + describe(node));
    if (failed(type))
      return failure();
    op.addTypes(*type);
  }
  Operation *result = builder.create(op);
  for (auto [output, value] :
       llvm::zip_equal(node.output(), result->getResults()))
    if (!output.empty() && failed(scope.define(output, value)))
      return failure();
  return success();
}

LogicalResult GraphImporter::importNodes(const pb::GraphProto &graph,
                                         GraphScope &scope) {
  int index = 0;
  for (const pb::NodeProto &node : graph.node()) {
    if (failed(importNode(node, index, scope)))
      return failure();
    index += !weightIndex(node); // those were initializers
  }
  return success();
}

LogicalResult GraphImporter::importMain(func::FuncOp main) {
  const pb::GraphProto &graph = model.graph();
  entry = &main.getBody().emplaceBlock();
  GraphScope scope(state, graph, *entry, nullptr);
  for (const auto &input : graph.input()) {
    FailureOr<Type> type = importType(state, &input.type(),
                                      "graph input \"" + input.name() + "\"");
    if (failed(type))
      return failure();
    Location loc = NameLoc::get(builder.getStringAttr(input.name()));
    if (failed(scope.define(input.name(), entry->addArgument(*type, loc))))
      return failure();
  }
  builder.setInsertionPointToEnd(entry);
  if (failed(importNodes(graph, scope)))
    return failure();
  SmallVector<Value> results;
  for (const auto &output : graph.output()) {
    results.push_back(scope.lookup(output.name(), "the graph's output list"));
    if (!results.back())
      return failure();
  }
  builder.create<func::ReturnOp>(builder.getUnknownLoc(), results);
  main.setType(builder.getFunctionType(entry->getArgumentTypes(),
                                       TypeRange(ValueRange(results))));
  describePorts(main);
  return success();
}

void GraphImporter::describePorts(func::FuncOp main) {
  const pb::GraphProto &graph = model.graph();
  for (int i = 0; i < graph.input_size(); ++i) {
    main.setArgAttr(i, attr::name,
                    builder.getStringAttr(graph.input(i).name()));
    main.setArgAttr(
        i, attr::shape,
        ShapeAttr::get(&state.context, ArrayRef<SizeExpr>(dims.inputShape(i))));
  }
  for (int i = 0; i < graph.output_size(); ++i) {
    main.setResultAttr(i, attr::name,
                       builder.getStringAttr(graph.output(i).name()));
    if (const auto &shape = dims.outputShape(i))
      main.setResultAttr(
          i, attr::shape,
          ShapeAttr::get(&state.context, ArrayRef<SizeExpr>(*shape)));
  }
}

OwningOpRef<ModuleOp> GraphImporter::run() {
  OwningOpRef<ModuleOp> module(ModuleOp::create(state.location()));
  builder.setInsertionPointToEnd(module->getBody());
  auto main = builder.create<func::FuncOp>(state.location(), "main",
                                           builder.getFunctionType({}, {}));
  weights = declareSymbols(state, *module, main, dims);
  if (failed(importMain(main)))
    return {};
  eraseUnusedWeights(*module, weights);
  if (failed(verify(*module))) {
    (void)state.badModel("was imported into a module that does not verify");
    return {};
  }
  return module;
}

OwningOpRef<ModuleOp> importGraph(ImportState &state,
                                  const pb::ModelProto &model,
                                  const DimNames &dims) {
  return GraphImporter(state, model, dims).run();
}

} // namespace takt::import
