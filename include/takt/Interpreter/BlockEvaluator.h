//===- BlockEvaluator.h - runs a block on all shards in lock-step ---------===//
#ifndef TAKT_INTERPRETER_BLOCKEVALUATOR_H
#define TAKT_INTERPRETER_BLOCKEVALUATOR_H

#include "takt/Dialect/Takt/Takt.h"

#include "llvm/ADT/StringMap.h"

#include <functional>
#include <memory>

namespace takt {

/// A tensor that nobody changes any more; shards that agree share one.
using TensorRef = std::shared_ptr<const HostTensor>;
/// One tensor per shard. Never empty.
using ShardedTensor = llvm::SmallVector<TensorRef>;
/// Values of size symbols by name.
using SymbolValues = llvm::StringMap<int64_t>;
/// The value of a weight on each shard; `shards[i]` is its symbol table.
using WeightReader = std::function<llvm::Expected<ShardedTensor>(
    WeightOp weight, llvm::ArrayRef<SymbolValues> shards)>;

/// Runs the ops of a block one after the other, each on all shards of a stage
/// before the next (SPMD: the shards run the same program). A program that is
/// not sharded has one shard. Collectives combine across the shards.
///
/// An op whose operands are shared by all shards and that does not mention the
/// symbol `shard` runs once. Results are checked against their types. A value
/// is released after its last use.
class BlockEvaluator {
public:
  /// One symbol table per shard, each with the symbol `shard` where the program
  /// mentions it.
  BlockEvaluator(llvm::ArrayRef<SymbolValues> shards, WeightReader weights)
      : shards(shards), weights(std::move(weights)) {}

  /// The operands of the block's terminator. Fails with a text that names the
  /// op where no value follows from the operands.
  llvm::Expected<llvm::SmallVector<ShardedTensor>>
  run(mlir::Block &block, llvm::ArrayRef<ShardedTensor> arguments);

private:
  llvm::Expected<llvm::SmallVector<ShardedTensor>>
  evaluate(mlir::Operation *op, llvm::ArrayRef<const ShardedTensor *> operands);
  llvm::Expected<llvm::SmallVector<ShardedTensor>>
  evaluatePerShard(mlir::Operation *op,
                   llvm::ArrayRef<const ShardedTensor *> operands);

  llvm::ArrayRef<SymbolValues> shards;
  WeightReader weights;
};

/// `op 'takt.matmul' ("/layer/MatMul")`, for messages.
std::string describeOperation(mlir::Operation *op);

/// The elements of a constant. Fails for element types that DType lacks and for
/// attributes other than dense elements.
llvm::Expected<HostTensor> tensorOfAttribute(mlir::Attribute value);

/// Fails unless the tensor has the type's element type and static sizes.
llvm::Error checkTensorType(const HostTensor &tensor, mlir::Type type);

/// `[2, 3]xf32`.
std::string tensorText(const HostTensor &tensor);

} // namespace takt

#endif
