//===- FormDispatches.cpp - groups ops into dispatches --------------------===//
#include "takt/Transforms/FusionGraph.h"
#include "takt/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace takt {
#define GEN_PASS_DEF_FORMDISPATCHESPASS
#include "takt/Transforms/Passes.h.inc"
} // namespace takt

using namespace mlir;
using namespace takt;

static StringRef kindName(FusionGroup::Kind kind) {
  switch (kind) {
  case FusionGroup::Kernel:
    return "kernel";
  case FusionGroup::Library:
    return "library";
  case FusionGroup::View:
    return "view";
  case FusionGroup::Collective:
    return "collective";
  }
  llvm_unreachable("all kinds are covered");
}

namespace {
/// Replaces the ops of one function by dispatches.
class DispatchBuilder {
public:
  explicit DispatchBuilder(func::FuncOp function)
      : block(function.getBody().front()), builder(block.getTerminator()),
        graph(FusionGraph::build(block, sizes)) {}

  LogicalResult run() {
    std::vector<FusionGroup> groups = graph.fuse(sizes);
    if (llvm::Error error = verifyGroups(graph.nodes, groups))
      return block.getParentOp()->emitError("fusion is wrong: ")
             << llvm::toString(std::move(error));
    for (const FusionGroup &group : groups)
      build(group);
    for (OpOperand &operand : block.getTerminator()->getOpOperands())
      operand.set(results.lookupOrDefault(operand.get()));
    for (Operation *op : llvm::reverse(graph.ops))
      op->erase();
    return success();
  }

private:
  void build(const FusionGroup &group) {
    SmallVector<Value> inputs = collectInputs(group), outputs;
    SmallVector<Attribute> inputShapes, resultShapes;
    SmallVector<Type> types;
    for (Value input : inputs)
      inputShapes.push_back(shapeOf(input));
    for (int node : group.outputs) {
      outputs.push_back(graph.ops[node]->getResult(0));
      types.push_back(outputs.back().getType());
      resultShapes.push_back(shapeOf(outputs.back()));
    }
    SmallVector<Value> operands;
    for (Value input : inputs)
      operands.push_back(results.lookupOrDefault(input));
    auto dispatch = builder.create<DispatchOp>(
        locationOf(group), types, operands,
        builder.getStringAttr(kindName(group.kind)),
        builder.getArrayAttr(inputShapes), builder.getArrayAttr(resultShapes));
    fillBody(dispatch, group, inputs, outputs);
    results.map(outputs, dispatch.getResults());
  }

  /// What the group reads from outside, in order of first use.
  SmallVector<Value> collectInputs(const FusionGroup &group) {
    llvm::SmallSetVector<Value, 8> inputs;
    for (int node : group.nodes)
      for (auto [operand, producer] : llvm::zip_equal(
               graph.ops[node]->getOperands(), graph.nodes[node].operands))
        if (!llvm::is_contained(group.nodes, producer))
          inputs.insert(operand);
    return inputs.takeVector();
  }

  void fillBody(DispatchOp dispatch, const FusionGroup &group,
                ArrayRef<Value> inputs, ArrayRef<Value> outputs) {
    Block &body = dispatch.getBody().emplaceBlock();
    OpBuilder inside = OpBuilder::atBlockEnd(&body);
    IRMapping mapping;
    for (Value input : inputs)
      mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
    for (int node : group.nodes)
      inside.clone(*graph.ops[node], mapping);
    SmallVector<Value> yielded;
    for (Value output : outputs)
      yielded.push_back(mapping.lookup(output));
    inside.create<YieldOp>(dispatch.getLoc(), yielded);
  }

  ShapeAttr shapeOf(Value value) {
    return ShapeAttr::get(builder.getContext(), sizes.shape(value));
  }

  /// The library call or reduction names the dispatch, else its last op.
  Location locationOf(const FusionGroup &group) {
    for (int node : group.nodes)
      if (graph.nodes[node].kind != FusionNode::Pointwise)
        return graph.ops[node]->getLoc();
    return graph.ops[group.nodes.back()]->getLoc();
  }

  Block &block;
  OpBuilder builder;
  SizeAnalysis sizes;
  FusionGraph graph;
  IRMapping results;
};

struct FormDispatches : takt::impl::FormDispatchesPassBase<FormDispatches> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    getOperation()->walk(
        [&](func::FuncOp function) { functions.push_back(function); });
    for (func::FuncOp function : functions)
      if (failed(DispatchBuilder(function).run()))
        return signalPassFailure();
  }
};
} // namespace
