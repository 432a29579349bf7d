//===- Simulation.h - the ranks of one replica, stepped -------------------===//
#ifndef TAKT_LIB_INTERPRETER_SIMULATION_H
#define TAKT_LIB_INTERPRETER_SIMULATION_H

#include "takt/Interpreter/Program.h"
#include "takt/Interpreter/RankPrograms.h"

#include <deque>

namespace takt {

/// Where a rank stands, and what it holds.
struct RankState {
  size_t microBatch = 0;
  size_t next = 0; // instruction
  /// Received and not yet freed, by channel.
  llvm::DenseMap<int64_t, TensorRef> received;
  /// Made by forward, by the number of the value.
  llvm::DenseMap<int64_t, TensorRef> made;
};

struct ChannelState {
  std::deque<TensorRef> queue;
  /// Queued values and received ones that are not freed: at most the depth.
  int64_t occupied = 0;
};

/// The ranks of one replica, stepped until all are done or none can move.
class Simulation {
public:
  Simulation(const RankPrograms &programs,
             llvm::ArrayRef<MicroBatch> microBatches,
             const SourceReader &readSource, int64_t replica);

  llvm::Expected<llvm::SmallVector<NamedTensors>> run();

private:
  bool isDone(const RankPrograms::Rank &rank) const {
    return rank.instructions.empty() ||
           states[rank.id].microBatch == microBatches.size();
  }

  const RankInstruction &current(const RankPrograms::Rank &rank) const {
    return rank.instructions[states[rank.id].next];
  }

  void advance(const RankPrograms::Rank &rank);

  /// Executes the rank's next instruction; false if it must wait.
  llvm::Expected<bool> step(const RankPrograms::Rank &rank);

  llvm::Error fail(const RankPrograms::Rank &rank,
                   const llvm::Twine &text) const;

  /// The ranks of a stage by shard, if all of them have come to the same
  /// forward; empty if one must be waited for.
  llvm::SmallVector<const RankPrograms::Rank *>
  gather(const RankPrograms::Rank &rank) const;

  llvm::Expected<bool> forward(const RankPrograms::Rank &rank);
  llvm::Expected<llvm::SmallVector<ShardedTensor>>
  bindArguments(mlir::func::FuncOp function,
                llvm::ArrayRef<const RankPrograms::Rank *> shards);
  llvm::Error storeResults(mlir::func::FuncOp function,
                           llvm::ArrayRef<const RankPrograms::Rank *> shards,
                           llvm::ArrayRef<ShardedTensor> results);
  llvm::Expected<TensorRef> argument(mlir::func::FuncOp function,
                                     unsigned index,
                                     const RankPrograms::Rank &rank);
  llvm::Error checkFinished() const;

  const RankPrograms &programs;
  llvm::ArrayRef<MicroBatch> microBatches;
  const SourceReader &readSource;
  llvm::SmallVector<const RankPrograms::Rank *> ranks;
  std::vector<RankState> states;
  std::vector<ChannelState> channels;
  llvm::SmallVector<NamedTensors> outputs;
};

} // namespace takt

#endif
