//===- Schedule.h - instruction lists of ranks ----------------------------===//
#ifndef TAKT_ANALYSIS_SCHEDULE_H
#define TAKT_ANALYSIS_SCHEDULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace takt {

/// One step of a rank. The compute kinds run one chunk of the rank's stages,
/// with its collectives, on one micro-batch: Forward; BackwardInput, the
/// gradient of the chunk's input; BackwardWeight, that of its weights;
/// Backward, both at once. Receive waits for the micro-batch's message, Send
/// waits for a free slot in the receiver, Free gives the slot back. Collective
/// meets the other ranks of a set.
struct Instruction {
  enum Kind {
    Receive,
    Forward,
    Free,
    Send,
    Backward,
    BackwardInput,
    BackwardWeight,
    Collective
  };
  Kind kind = Forward;
  /// Of Receive, Free and Send; for Collective an index into
  /// Schedule::collectives; -1 for the compute kinds.
  int channel = -1;
  int64_t microBatch = 0;
  int chunk = 0;
  /// Starts together with the instruction before it, as in a grouped call; the
  /// next one that does not waits for all of them. Only between Receives and
  /// Sends.
  bool joinsPrevious = false;

  bool isCompute() const;
  /// Receive, Free or Send.
  bool usesChannel() const;
  bool operator==(const Instruction &rhs) const;
  /// `send channel 2 micro-batch 0`, `forward chunk 1 micro-batch 3`.
  std::string str() const;
};

/// A FIFO with `depth` slots in the target. Channels share no slots. With depth
/// 0 it is a rendezvous: a message passes while both ranks wait, into memory
/// of the receiver's own, so there is nothing to free.
struct ScheduleChannel {
  int source = 0, target = 0; // ranks
  int depth = 1;
  /// What it carries in a training schedule: the activation or the input's
  /// gradient that this stage of the pipeline (see Placement) computes.
  int stage = -1;
  bool carriesGradient = false;
};

struct Schedule {
  std::vector<ScheduleChannel> channels;
  /// Ranks that run a stage together: their compute instructions meet in
  /// collectives. A rank is in at most one.
  std::vector<llvm::SmallVector<int>> groups;
  /// By rank, in the order of execution.
  std::vector<std::vector<Instruction>> ranks;
  /// Ranks that meet in Collective instructions; a rank may be in several.
  std::vector<llvm::SmallVector<int>> collectives = {};
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
