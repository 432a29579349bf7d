//===- FusionGraph.cpp - what the fuser sees of a block -------------------===//
#include "takt/Transforms/FusionGraph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace takt;

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

/// A vector repeated along the last dimension.
static bool isRowVector(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast || broadcast.getDims().size() != 1)
    return false;
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  return broadcast.getDims()[0] == rank - 1 &&
         broadcast.getInput().getDefiningOp<WeightReadOp>();
}

static bool isZero(Value value) {
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getInput();
  return matchPattern(value, m_AnyZeroFloat());
}

bool takt::isLibraryEpilogue(Operation *library, Value tail,
                             Operation *consumer) {
  if (!isa<MatmulOp>(library))
    return false;
  if (isa<GeluOp>(consumer))
    return true;
  auto other = [&]() {
    return consumer->getOperand(consumer->getOperand(0) == tail ? 1 : 0);
  };
  if (isa<arith::MaximumFOp>(consumer))
    return isZero(other());
  if (!isa<arith::AddFOp>(consumer))
    return false;
  // A constant or a repeated tensor that is no row vector would have to be
  // stored first; it is cheaper in a generated kernel.
  Value addend = other();
  return isRowVector(addend) ||
         !isa_and_nonnull<BroadcastOp, arith::ConstantOp>(
             addend.getDefiningOp());
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

  /// Constants, ramps, and repeated small vectors: nothing to store.
  bool isCheap(Operation *op, const FusionNode &node) const {
    if (op->getNumOperands() == 0)
      return true;
    if (!isa<BroadcastOp>(op))
      return false;
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

std::vector<FusionGroup> FusionGraph::fuse() const {
  auto query = [&](int library, int tail, int consumer) {
    return isLibraryEpilogue(ops[library], ops[tail]->getResult(0),
                             ops[consumer]);
  };
  return takt::fuse(nodes, query);
}
