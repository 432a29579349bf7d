//===- ScheduleSimulator.h - runs instruction lists in simulated time -----===//
#ifndef TAKT_ANALYSIS_SCHEDULESIMULATOR_H
#define TAKT_ANALYSIS_SCHEDULESIMULATOR_H

#include "takt/Analysis/PipelineCosts.h"
#include "takt/Analysis/Schedule.h"

#include "llvm/Support/Error.h"

#include <string>

namespace takt {

/// When each instruction starts and ends, by rank and index. The end of a send
/// is that of its transfer, for which the rank does not wait (but at a
/// rendezvous).
struct Timeline {
  struct Step {
    Cost start = -1, end = -1;
  };
  std::vector<std::vector<Step>> ranks;
};

struct SimulationOptions {
  /// The link of each channel; messages on one link pass one after the other.
  /// Empty: each ordered pair of ranks has its own.
  std::vector<int> links;
};

/// Runs the lists with every instruction as early as possible. Receive and Free
/// take no time. Fails if ranks are stuck, naming where each waits, or if the
/// lists do not fit together: a message with another micro-batch than expected,
/// a channel used from the wrong side, members of a group that differ, messages
/// left over. Shares no code with the generators and with the prover, and so
/// judges both.
llvm::Expected<Timeline> simulate(const Schedule &schedule,
                                  const PipelineCosts &costs,
                                  const SimulationOptions &options = {});

/// What a timeline says about a schedule.
struct ScheduleReport {
  struct Rank {
    Cost firstStart = 0, lastEnd = 0, busy = 0; // of compute instructions
    /// Units held (see memoryOfForward) from each time on. Where a rank runs
    /// forwards only, each gives back its units at its end.
    std::vector<std::pair<Cost, int64_t>> memory;
    int64_t peakMemory = 0;
    int64_t peakMessages = 0; // sent to this rank and not yet freed

    Cost span() const { return lastEnd - firstStart; }
  };
  std::vector<Rank> ranks;
  Cost wall = 0; // the latest end
  Cost span = 0; // the longest time from a rank's first start to its last end
  /// Mean period at which the second half of the micro-batches is done.
  double takt = 0;
  Cost latency = 0; // the longest time from a micro-batch's start to its end

  /// Idle time over the whole run.
  Cost bubble(int rank) const { return wall - ranks[rank].busy; }
};

ScheduleReport analyzeTimeline(const Schedule &schedule,
                               const Timeline &timeline);

/// A picture with a line per rank and a column per \p unit of time: F, B (input
/// gradient or both), W with the micro-batch; chunks after the first in lower
/// case.
std::string drawTimeline(const Schedule &schedule, const Timeline &timeline,
                         Cost unit);

} // namespace takt

#endif // TAKT_ANALYSIS_SCHEDULESIMULATOR_H
