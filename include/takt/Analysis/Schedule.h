//===- Schedule.h - instruction lists of ranks ----------------------------===//
#ifndef TAKT_ANALYSIS_SCHEDULE_H
#define TAKT_ANALYSIS_SCHEDULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace takt {

/// One step of a rank. Forward runs the rank's stage, with its collectives, and
/// has no channel (-1). Receive waits for the micro-batch's message, Send waits
/// for a free slot in the receiver, Free gives the slot back.
struct Instruction {
  enum Kind { Receive, Forward, Free, Send };
  Kind kind = Forward;
  int channel = -1;
  int64_t microBatch = 0;

  bool operator==(const Instruction &rhs) const {
    return kind == rhs.kind && channel == rhs.channel &&
           microBatch == rhs.microBatch;
  }
  /// `send channel 2 micro-batch 0`.
  std::string str() const;
};

/// A FIFO with `depth` slots in the target. Channels share no slots.
struct ScheduleChannel {
  int source = 0, target = 0; // ranks
  int depth = 1;
};

struct Schedule {
  std::vector<ScheduleChannel> channels;
  /// Ranks that run a stage together: their Forwards meet in collectives. A
  /// rank is in at most one.
  std::vector<llvm::SmallVector<int>> groups;
  /// By rank, in the order of execution.
  std::vector<std::vector<Instruction>> ranks;
};

/// The list of a rank for one micro-batch of an inference stream: receives in
/// the order of channels, forward, sends, frees. The slots are freed last,
/// since what is sent may be a view of what was received. A rank without a
/// stage (\p isIdle) gets an empty list.
std::vector<Instruction> inferenceStep(llvm::ArrayRef<ScheduleChannel> channels,
                                       int rank, bool isIdle = false);

/// Repeats the lists of one step for micro-batches 0, 1, ..., count - 1.
Schedule repeatSteps(const Schedule &step, int64_t count);

} // namespace takt

#endif // TAKT_ANALYSIS_SCHEDULE_H
