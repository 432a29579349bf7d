//===- WeightEvaluator.h - values of weights ------------------------------===//
#ifndef TAKT_INTERPRETER_WEIGHTEVALUATOR_H
#define TAKT_INTERPRETER_WEIGHTEVALUATOR_H

#include "takt/Interpreter/BlockEvaluator.h"

namespace takt {

/// The bytes of a weight that has a `source`, as a tensor of its type.
using SourceReader = std::function<llvm::Expected<HostTensor>(WeightOp)>;

/// The value of `weight` on each shard: its source, or its initializer region
/// evaluated with what it reads. Shards share what does not depend on them. At
/// any time the memory holds the operands and results of one op.
llvm::Expected<ShardedTensor>
evaluateWeight(WeightOp weight, llvm::ArrayRef<SymbolValues> shards,
               const SourceReader &readSource);

/// One symbol table per shard of a stage, with the symbol `shard` beside
/// `dims`.
llvm::SmallVector<SymbolValues> shardSymbols(const SymbolValues &dims,
                                             int64_t shards);

/// A SourceReader for programs without sources.
llvm::Expected<HostTensor> noSources(WeightOp weight);

} // namespace takt

#endif
