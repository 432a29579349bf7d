//===- ComputeOrder.h - generators of pipeline schedules ------------------===//
#ifndef TAKT_ANALYSIS_COMPUTEORDER_H
#define TAKT_ANALYSIS_COMPUTEORDER_H

#include "takt/Analysis/PipelineCosts.h"
#include "takt/Analysis/Schedule.h"

#include "llvm/Support/Error.h"

namespace takt {

/// The compute instructions of each rank, in order: all that distinguishes one
/// pipeline schedule from another.
struct ComputeOrder {
  Placement placement;
  std::vector<std::vector<Instruction>> ranks;
};

/// Forwards only, micro-batch after micro-batch. With one micro-batch it is the
/// naive schedule: one rank works at a time.
ComputeOrder streamOrder(int ranks, int64_t microBatches);

/// All forwards, then all backwards.
ComputeOrder gpipeOrder(int ranks, int64_t microBatches);

/// One forward, one backward in turn, after as many forwards as there are
/// stages behind: rank r holds at most ranks - r micro-batches.
ComputeOrder oneFOneBOrder(int ranks, int64_t microBatches);

/// 1F1B on stages that go round the ranks `chunks` times; micro-batches go in
/// groups of `ranks` through a chunk before the next chunk. Fails unless ranks
/// divides microBatches.
llvm::Expected<ComputeOrder> interleavedOrder(int ranks, int chunks,
                                              int64_t microBatches);

/// A zero-bubble schedule to be found: the backward is cut into its two
/// gradients, and that of the weights fills the gaps.
struct ZeroBubbleProblem {
  Placement placement; // Loop with one chunk, or Vee with two
  int64_t microBatches = 1;
  PipelineCosts costs;
  /// Most that a rank may hold, in the units of memoryOfForward.
  int64_t memoryLimit = 0;

  /// Sizes, signs, and room for one micro-batch.
  llvm::Error check() const;
};

struct ZeroBubbleOptions {
  /// Bound of the search: instructions placed in all schedules that are tried
  /// (each takes well below a microsecond); 0 gives the greedy list schedule.
  int64_t placements = 6000000;
  unsigned seed = 1;
};

/// The schedule of least span (the longest time from a rank's first to its last
/// instruction) that was found: a greedy list schedule, then hill climbing over
/// its parameters. The same input gives the same answer on every machine.
llvm::Expected<ComputeOrder> zeroBubbleOrder(const ZeroBubbleProblem &problem,
                                             const ZeroBubbleOptions &options);

/// ZB-H1: as much memory as 1F1B. \p cost is of one stage.
ZeroBubbleProblem zeroBubbleH1(int ranks, int64_t microBatches, ChunkCost cost,
                               Cost transfer);
/// ZB-H2: twice as much; no bubble if the costs are equal and there are at
/// least 2 * ranks - 1 micro-batches.
ZeroBubbleProblem zeroBubbleH2(int ranks, int64_t microBatches, ChunkCost cost,
                               Cost transfer);
/// ZB-V: two chunks per rank, there and back; no bubble in the memory of 1F1B
/// if the costs are equal. \p cost is of one chunk.
ZeroBubbleProblem zeroBubbleV(int ranks, int64_t microBatches, ChunkCost cost,
                              Cost transfer);

/// The full lists of an order: a receive just before its consumer, a send right
/// after its producer, a free right after that; one channel per stage boundary
/// between two ranks and direction. The channels are as deep as the order needs
/// to run without waiting for slots at the given costs, so the lists end under
/// every timing. Fails if the order waits for itself.
llvm::Expected<Schedule> makeSchedule(const ComputeOrder &order,
                                      const PipelineCosts &costs);

} // namespace takt

#endif // TAKT_ANALYSIS_COMPUTEORDER_H
