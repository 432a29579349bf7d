//===- BlockEvaluator.cpp - runs a block on all shards in lock-step -------===//
#include "takt/Interpreter/BlockEvaluator.h"
#include "CollectiveOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace takt;

/// Whether a size in the op's attributes may mention the rank's coordinate. The
/// text is enough: a false alarm costs time only.
static bool mentionsShard(Operation *op) {
  auto inAttributes = [](Operation *inner) {
    return inner->getAttrDictionary()
        .walk([](StringAttr text) {
          return text.getValue().contains(shardSymbol) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
        })
        .wasInterrupted();
  };
  return op
      ->walk([&](Operation *inner) {
        return inAttributes(inner) ? WalkResult::interrupt()
                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool isShared(const ShardedTensor &tensor) {
  return llvm::all_equal(tensor);
}

namespace {
/// The values of a block that are still needed.
class LiveValues {
public:
  void add(Value value, ShardedTensor tensor) {
    unsigned uses = std::distance(value.use_begin(), value.use_end());
    if (uses > 0)
      live.try_emplace(value, std::make_pair(uses, std::move(tensor)));
  }

  llvm::Expected<SmallVector<const ShardedTensor *>> operands(Operation *op) {
    SmallVector<const ShardedTensor *> tensors;
    for (Value operand : op->getOperands()) {
      auto found = live.find(operand);
      if (found == live.end())
        return evaluationFailure(describeOperation(op) +
                                 " uses a value from outside its block");
      tensors.push_back(&found->second.second);
    }
    return tensors;
  }

  void release(Operation *op) {
    for (Value operand : op->getOperands())
      if (--live.find(operand)->second.first == 0)
        live.erase(operand);
  }

private:
  DenseMap<Value, std::pair<unsigned, ShardedTensor>> live;
};
} // namespace

llvm::Expected<SmallVector<ShardedTensor>>
BlockEvaluator::run(Block &block, ArrayRef<ShardedTensor> arguments) {
  LiveValues live;
  for (auto [argument, tensor] :
       llvm::zip_equal(block.getArguments(), arguments))
    live.add(argument, tensor);
  for (Operation &op : block) {
    auto operands = live.operands(&op);
    if (!operands)
      return operands.takeError();
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      SmallVector<ShardedTensor> results;
      for (const ShardedTensor *operand : *operands)
        results.push_back(*operand);
      return results;
    }
    auto results = evaluate(&op, *operands);
    if (!results)
      return evaluationFailure(describeOperation(&op) + ": " +
                               llvm::toString(results.takeError()));
    live.release(&op);
    for (auto [value, tensor] : llvm::zip_equal(op.getResults(), *results)) {
      for (const TensorRef &shard : tensor)
        if (llvm::Error error = checkTensorType(*shard, value.getType()))
          return evaluationFailure(describeOperation(&op) + ": " +
                                   llvm::toString(std::move(error)));
      live.add(value, std::move(tensor));
    }
  }
  return evaluationFailure("a block without terminator");
}

llvm::Expected<SmallVector<ShardedTensor>>
BlockEvaluator::evaluate(Operation *op,
                         ArrayRef<const ShardedTensor *> operands) {
  auto shareByAll = [&](HostTensor tensor) {
    auto shared = std::make_shared<const HostTensor>(std::move(tensor));
    return SmallVector<ShardedTensor>{ShardedTensor(shards.size(), shared)};
  };
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    llvm::Expected<HostTensor> tensor = tensorOfAttribute(constant.getValue());
    if (!tensor)
      return tensor.takeError();
    return shareByAll(std::move(*tensor));
  }
  if (auto read = dyn_cast<WeightReadOp>(op)) {
    auto weight = SymbolTable::lookupNearestSymbolFrom<WeightOp>(
        op->getParentOfType<ModuleOp>(), read.getWeightAttr());
    if (!weight)
      return evaluationFailure("no weight '" + read.getWeight() + "'");
    llvm::Expected<ShardedTensor> tensor = weights(weight, shards);
    if (!tensor)
      return tensor.takeError();
    return SmallVector<ShardedTensor>{std::move(*tensor)};
  }
  if (auto dispatch = dyn_cast<DispatchOp>(op)) {
    SmallVector<ShardedTensor> arguments;
    for (const ShardedTensor *operand : operands)
      arguments.push_back(*operand);
    return run(dispatch.getBody().front(), arguments);
  }
  if (isCollective(op)) {
    auto result = evaluateCollective(op, *operands[0]);
    if (!result)
      return result.takeError();
    return SmallVector<ShardedTensor>{std::move(*result)};
  }
  return evaluatePerShard(op, operands);
}

llvm::Expected<SmallVector<ShardedTensor>>
BlockEvaluator::evaluatePerShard(Operation *op,
                                 ArrayRef<const ShardedTensor *> operands) {
  auto tensorOp = dyn_cast<TensorOpInterface>(op);
  if (!tensorOp)
    return evaluationFailure("the interpreter does not know this op");
  bool runsOnce = llvm::all_of(operands,
                               [](const ShardedTensor *operand) {
                                 return isShared(*operand);
                               }) &&
                  !mentionsShard(op);
  SmallVector<ShardedTensor> results(op->getNumResults());
  for (size_t shard = 0; shard < shards.size(); ++shard) {
    if (shard > 0 && runsOnce) {
      for (ShardedTensor &result : results)
        result.push_back(result.front());
      continue;
    }
    SmallVector<const HostTensor *> tensors;
    for (const ShardedTensor *operand : operands)
      tensors.push_back((*operand)[shard].get());
    auto lookup = [&](StringRef name) -> std::optional<int64_t> {
      auto found = shards[shard].find(name);
      return found == shards[shard].end() ? std::nullopt
                                          : std::optional(found->second);
    };
    EvaluationContext context{lookup};
    auto values = tensorOp.evaluate(tensors, context);
    if (!values)
      return values.takeError();
    for (auto [result, value] : llvm::zip_equal(results, *values))
      result.push_back(std::make_shared<const HostTensor>(std::move(value)));
  }
  return results;
}
