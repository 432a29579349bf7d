//===- VerifyPartition.cpp - what holds after the partition phase ---------===//
#include "VerifyRanks.h"

#include "takt/Dialect/Takt/SizeAnalysis.h"
#include "takt/Transforms/Passes.h"

namespace takt {
#define GEN_PASS_DEF_VERIFYPARTITIONPASS
#include "takt/Transforms/Passes.h.inc"
} // namespace takt

using namespace mlir;
using namespace takt;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static LogicalResult verifySymbols(ModuleOp module, Operation *root) {
  WalkResult result = root->walk([&](Operation *op) {
    SmallVector<std::string> names;
    forEachSize(op, [&](const SizeExpr &size) { size.collectSymbols(names); });
    for (StringRef name : names)
      if (name != shardSymbol &&
          !isa_and_nonnull<DimOp>(module.lookupSymbol(name))) {
        op->emitOpError("has a size over '")
            << name << "', expected a takt.dim or '" << shardSymbol << "'";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// The types agree with what the op's shape function says of local operands.
static LogicalResult verifyShapes(TensorOpInterface op, SizeAnalysis &sizes) {
  for (Value operand : op->getOperands())
    if (!sizes.isKnown(operand))
      return op->emitOpError("has an operand whose sizes follow from nothing");
  auto shapes = op.inferShapes(sizes.operandShapes(op));
  for (auto [result, shape] : llvm::zip_equal(op->getResults(), shapes)) {
    auto type = cast<RankedTensorType>(result.getType());
    bool agrees = type.getRank() == int64_t(shape.size());
    for (int64_t i = 0; agrees && i < type.getRank(); ++i)
      agrees = type.isDynamicDim(i) || !shape[i].constant() ||
               shape[i].isConstant(type.getDimSize(i));
    if (!agrees)
      return op->emitOpError("has type ")
             << type << ", but its operands give " << shapeText(shape);
    sizes.set(result, shape);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// Values that are equal on all ranks of the stage.
class UniformValues {
public:
  bool contains(Value value) {
    auto [it, isNew] = known.try_emplace(value, false);
    if (!isNew)
      return it->second;
    bool uniform = compute(value);
    return known[value] = uniform;
  }

private:
  bool compute(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto forward = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
      auto sharding = forward ? forward.getArgAttrOfType<ShardingAttr>(
                                    argument.getArgNumber(), attr::sharding)
                              : ShardingAttr();
      return sharding && sharding.getState() == State::replicated();
    }
    Operation *op = value.getDefiningOp();
    if (isa<AllReduceOp, AllGatherOp>(op))
      return true;
    return !dependsOnShard(op) && llvm::all_of(usedValues(op), [&](Value used) {
      return contains(used);
    });
  }

  static bool namesShard(Operation *op) {
    bool found = false;
    op->walk([&](Operation *nested) {
      forEachSize(nested, [&](const SizeExpr &size) {
        SmallVector<std::string> names;
        size.collectSymbols(names);
        found |= llvm::is_contained(names, shardSymbol);
      });
    });
    return found;
  }

  static bool dependsOnShard(Operation *op) {
    auto read = dyn_cast<WeightReadOp>(op);
    if (!read)
      return isa<ReduceScatterOp>(op) || namesShard(op);
    auto module = op->getParentOfType<ModuleOp>();
    return namesShard(module.lookupSymbol(read.getWeight()));
  }

  DenseMap<Value, bool> known;
};

/// Ranks that skip a collective leave the others waiting.
static LogicalResult verifyCollective(Operation *op, int64_t ways,
                                      UniformValues &uniform) {
  auto count = op->getAttrOfType<IntegerAttr>("ways").getInt();
  if (count != ways || ways == 1)
    return op->emitOpError("joins ")
           << count << " ranks in a stage of " << ways
           << (ways == 1 ? ", where none is needed" : ", expected all of them");
  for (Operation *parent = op->getParentOp(); !isa<func::FuncOp>(parent);
       parent = parent->getParentOp())
    for (Value value : parent->getOperands())
      if (!uniform.contains(value))
        return op->emitOpError("stands in a region of '")
               << parent->getName()
               << "' whose operand may differ between the stage's ranks, so "
                  "that not all of them would join";
  return success();
}

static LogicalResult verifyStage(const StagePorts::Stage &stage) {
  SizeAnalysis sizes;
  UniformValues uniform;
  auto forward = stage.forward;
  WalkResult result = forward.walk([&](Operation *op) {
    for (StringRef name : {attr::operandStates, attr::resultStates})
      if (op->hasAttr(name)) {
        op->emitOpError("still has '") << name << "'";
        return WalkResult::interrupt();
      }
    bool isTop = op->getParentOp() == forward;
    if (auto tensorOp = dyn_cast<TensorOpInterface>(op);
        tensorOp && isTop && failed(verifyShapes(tensorOp, sizes)))
      return WalkResult::interrupt();
    if (isCollective(op) &&
        failed(verifyCollective(op, stage.tensorParallel, uniform)))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct VerifyPartitionPass
    : takt::impl::VerifyPartitionPassBase<VerifyPartitionPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<StagePorts> ports = StagePorts::read(module);
    if (failed(ports) || failed(verifyRanks(module, *ports)))
      return signalPassFailure();
    for (const StagePorts::Stage &stage : ports->stages)
      if (failed(verifySymbols(module, stage.module)) ||
          failed(verifyStage(stage)))
        return signalPassFailure();
  }
};
} // namespace
