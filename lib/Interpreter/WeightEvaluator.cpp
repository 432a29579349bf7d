//===- WeightEvaluator.cpp - values of weights ----------------------------===//
#include "takt/Interpreter/WeightEvaluator.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace takt;

namespace {
class Evaluator {
public:
  explicit Evaluator(const SourceReader &readSource) : readSource(readSource) {}

  llvm::Expected<ShardedTensor> evaluate(WeightOp weight,
                                         ArrayRef<SymbolValues> shards) {
    if (llvm::is_contained(active, weight))
      return evaluationFailure("weight '" + weight.getSymName() +
                               "' needs its own value");
    active.push_back(weight);
    llvm::Expected<ShardedTensor> value = weight.getSource()
                                              ? readAll(weight, shards.size())
                                              : initialize(weight, shards);
    active.pop_back();
    return value;
  }

private:
  llvm::Expected<ShardedTensor> readAll(WeightOp weight, size_t shards) {
    llvm::Expected<HostTensor> tensor = readSource(weight);
    if (!tensor)
      return tensor.takeError();
    return ShardedTensor(
        shards, std::make_shared<const HostTensor>(std::move(*tensor)));
  }

  llvm::Expected<ShardedTensor> initialize(WeightOp weight,
                                           ArrayRef<SymbolValues> shards) {
    BlockEvaluator block(shards, [&](WeightOp other, ArrayRef<SymbolValues>) {
      return evaluate(other, shards);
    });
    auto results = block.run(weight.getInitializer().front(), {});
    // An error keeps its type: those of sources carry an exit code.
    if (!results)
      return results.takeError();
    return std::move(results->front());
  }

  const SourceReader &readSource;
  SmallVector<WeightOp> active;
};
} // namespace

llvm::Expected<ShardedTensor>
takt::evaluateWeight(WeightOp weight, ArrayRef<SymbolValues> shards,
                     const SourceReader &readSource) {
  return Evaluator(readSource).evaluate(weight, shards);
}

SmallVector<SymbolValues> takt::shardSymbols(const SymbolValues &dims,
                                             int64_t shards) {
  SmallVector<SymbolValues> symbols(shards, dims);
  for (auto [i, table] : llvm::enumerate(symbols))
    table[shardSymbol] = i;
  return symbols;
}

llvm::Expected<HostTensor> takt::noSources(WeightOp weight) {
  return evaluationFailure("weight '" + weight.getSymName() +
                           "' lies in a file, and none can be read here");
}
