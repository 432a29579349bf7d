//===- FusionGraph.cpp - what the fuser sees of a block -------------------===//
#include "takt/Transforms/FusionGraph.h"
#include "takt/Dialect/Takt/Epilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace takt;

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

/// Whether `relu` is applied to the library's result, or to that and a bias: a
/// call takes one ceiling, since oneDNN mixes up the limits of two.
static bool isFirstRelu(Operation *library, Operation *relu) {
  auto isResult = [library](Value value) {
    return value.getDefiningOp() == library;
  };
  return relu && llvm::any_of(relu->getOperands(), [&](Value operand) {
           Operation *before = operand.getDefiningOp();
           return isResult(operand) ||
                  (isa_and_nonnull<arith::AddFOp>(before) &&
                   llvm::any_of(before->getOperands(), isResult));
         });
}

/// Whether `consumer` joins the call of `library`, whose value so far is
/// `tail`: an epilogue whose operand need not be computed and stored for its
/// sake, which a generated kernel spares.
static bool isWorthJoining(Operation *library, Value tail, Operation *consumer,
                           SizeAnalysis &sizes) {
  if (!isa<MatmulOp, ConvOp>(library))
    return false;
  std::optional<Epilogue> epilogue = epilogueOf(consumer, tail, sizes);
  if (!epilogue)
    return false;
  Operation *source =
      epilogue->operand ? epilogue->operand.getDefiningOp() : nullptr;
  switch (epilogue->kind) {
  case EpilogueKind::Bias:
    return isa_and_nonnull<WeightReadOp>(source);
  case EpilogueKind::Add:
    return !isa_and_nonnull<BroadcastOp, arith::ConstantOp>(source);
  case EpilogueKind::Relu:
    return true;
  case EpilogueKind::ReluCeiling:
    return isFirstRelu(library, tail.getDefiningOp());
  // oneDNN's takes 106 us more on 128x1536 where a generated kernel takes 62.
  case EpilogueKind::GeluErf:
  case EpilogueKind::GeluTanh:
    return false;
  }
  llvm_unreachable("all kinds are covered");
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Leading dimensions of operand 0 that a reduction keeps; none if it does not
/// reduce the trailing dimensions.
static std::optional<int64_t> keptRows(const ShardingRule &rule) {
  int64_t rows = 0;
  bool isTrailing = false;
  for (const DimFactors &dim : rule.operands[0]) {
    bool isKept = llvm::all_of(dim, [&](int factor) {
      return rule.factors[factor].kind == FactorKind::Parallel;
    });
    if (isKept && isTrailing && !dim.empty())
      return std::nullopt;
    isTrailing |= !isKept;
    if (!isTrailing)
      ++rows;
  }
  return rows;
}

/// Rows of the result need only the same rows of the operands.
static bool readsOwnRows(Operation *op, SizeAnalysis &sizes) {
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    for (auto [i, dim] : llvm::enumerate(broadcast.getDims()))
      if (int64_t(i) != dim || sizes.shape(op->getOperand(0))[i] !=
                                   sizes.shape(op->getResult(0))[dim])
        return false;
    return true;
  }
  return op->hasTrait<OpTrait::Elementwise>();
}

namespace {
/// Fills in one node.
class NodeBuilder {
public:
  NodeBuilder(FusionGraph &graph, SizeAnalysis &sizes)
      : graph(graph), sizes(sizes) {}

  void add(Operation *op) {
    FusionNode node;
    for (Value operand : op->getOperands()) {
      auto it = ids.find(operand.getDefiningOp());
      node.operands.push_back(it == ids.end() ? -1 : it->second);
    }
    node.space = sizes.shape(op->getResult(0));
    node.isReturned = llvm::any_of(op->getUsers(), [](Operation *user) {
      return user->hasTrait<OpTrait::IsTerminator>();
    });
    node.isRowwise = readsOwnRows(op, sizes);
    node.isCheap = isCheap(op, node);
    if (auto tensorOp = dyn_cast<TensorOpInterface>(op))
      classify(tensorOp, node);
    ids[op] = graph.ops.size();
    graph.ops.push_back(op);
    graph.nodes.push_back(std::move(node));
  }

private:
  void classify(TensorOpInterface op, FusionNode &node) {
    switch (op.getFusionKind()) {
    case FusionKind::Pointwise:
      return;
    case FusionKind::View:
      node.kind = FusionNode::View;
      return;
    case FusionKind::Library:
      node.kind = FusionNode::Library;
      return;
    case FusionKind::Collective:
      node.kind = FusionNode::Collective;
      return;
    case FusionKind::RowReduction:
      break;
    }
    auto rows = keptRows(
        op.getShardingRule(sizes.operandShapes(op), sizes.resultShapes(op)));
    node.kind = rows ? FusionNode::RowReduction : FusionNode::Standalone;
    node.rows = rows.value_or(0);
    node.space = sizes.shape(op->getOperand(0));
    node.isRowwise = rows.has_value();
  }

  /// Constants, ramps, repeated small vectors: nothing to store. What is
  /// repeated along leading dimensions is stored once, not as often as it is
  /// repeated.
  bool isCheap(Operation *op, const FusionNode &node) const {
    if (op->getNumOperands() == 0)
      return true;
    if (!isa<BroadcastOp>(op))
      return false;
    if (!node.isRowwise)
      return true;
    int source = node.operands[0];
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    return source >= 0 ? graph.nodes[source].isCheap
                       : type.getRank() <= 1 &&
                             op->getOperand(0).getDefiningOp<WeightReadOp>();
  }

  FusionGraph &graph;
  SizeAnalysis &sizes;
  llvm::DenseMap<Operation *, int> ids;
};
} // namespace

FusionGraph FusionGraph::build(Block &block, SizeAnalysis &sizes) {
  FusionGraph graph;
  NodeBuilder builder(graph, sizes);
  for (Operation &op : block)
    if (isa<TensorOpInterface, arith::ConstantOp>(op))
      builder.add(&op);
  return graph;
}

std::vector<FusionGroup> FusionGraph::fuse(SizeAnalysis &sizes) const {
  auto query = [&](int library, int tail, int consumer) {
    return isWorthJoining(ops[library], ops[tail]->getResult(0), ops[consumer],
                          sizes);
  };
  return takt::fuse(nodes, query);
}
