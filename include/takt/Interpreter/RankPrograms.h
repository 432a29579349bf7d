//===- RankPrograms.h - the schedule as the IR states it ------------------===//
#ifndef TAKT_INTERPRETER_RANKPROGRAMS_H
#define TAKT_INTERPRETER_RANKPROGRAMS_H

#include "takt/Dialect/Takt/Takt.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace takt {

/// One entry of `takt.rank`'s list. `channel` is -1 for Forward.
struct RankInstruction {
  enum Kind { Receive, Forward, Free, Send };
  Kind kind;
  int64_t channel = -1;

  /// `receive 3`, `forward`, …; fails with the text found.
  static llvm::Expected<RankInstruction> parse(llvm::StringRef text);
  std::string str() const;
};

/// The ranks, channels and stages of a partitioned module, in the order of
/// their ids.
struct RankPrograms {
  struct Rank {
    int64_t id, replica, stage, shard;
    llvm::SmallVector<RankInstruction> instructions;
  };
  struct Channel {
    int64_t id, value, sourceRank, targetRank, depth;
  };
  llvm::SmallVector<Rank> ranks;
  llvm::SmallVector<Channel> channels;
  /// Stage i is the nested module with `takt.stage = i`.
  llvm::SmallVector<mlir::ModuleOp> stages;

  /// Fails if ids are not 0, 1, 2, …, if an instruction names a channel that
  /// is not the rank's to use so, or if a stage or rank does not exist.
  static llvm::Expected<RankPrograms> read(mlir::ModuleOp module);
};

} // namespace takt

#endif
