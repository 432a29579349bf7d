//===- ZeroBubbleList.h - a greedy list scheduler -------------------------===//
#ifndef TAKT_LIB_ANALYSIS_ZEROBUBBLELIST_H
#define TAKT_LIB_ANALYSIS_ZEROBUBBLELIST_H

#include "takt/Analysis/ComputeOrder.h"

#include <optional>

namespace takt {

/// What the hill climbing varies, by rank.
struct ListParameters {
  /// How long a weight gradient may delay the next forward or backward.
  std::vector<Cost> tolerance;
  /// Most forwards whose backward has not run, chunks counted apart.
  std::vector<int64_t> inFlight;
};

/// Places one instruction after the other, always the one that can start first.
/// At equal starts a rank prefers backwards to forwards (with two chunks the
/// other way round, later chunks first), and takes a weight gradient where it
/// fits before the known start of the next other one, or if none is known.
class ListScheduler {
public:
  ListScheduler(const ZeroBubbleProblem &problem,
                const ListParameters &parameters);

  /// Places everything. Always ends if the limits leave room for one
  /// micro-batch.
  void run();

  /// The longest time from a rank's first start to its last end.
  Cost span() const;
  Cost sumOfSpans() const;
  ComputeOrder takeOrder() { return {problem.placement, std::move(order)}; }

private:
  struct Option {
    Cost start;
    Instruction::Kind kind;
    int chunk;
  };
  struct Rank {
    Cost free = 0, firstStart = 0;
    int64_t memory = 0, inFlight = 0;
    std::optional<Option> next; // valid unless isStale
    bool isStale = true;
  };

  void refresh(int rank);
  void offer(std::optional<Option> &best, Cost start, Instruction::Kind kind,
             int chunk) const;
  void offerForward(std::optional<Option> &best, int rank, int chunk) const;
  void offerBackward(std::optional<Option> &best, int rank, int chunk) const;
  void commit(int rank);
  Cost arrival(int from, int to, Cost end) const;

  const ZeroBubbleProblem &problem;
  const ListParameters &parameters;
  const Placement &placement;
  std::vector<Rank> ranks;
  /// Ends by stage and micro-batch; their lengths are the counts placed.
  std::vector<std::vector<Cost>> forwardEnds, backwardEnds;
  std::vector<int64_t> weightsPlaced; // by stage
  std::vector<std::vector<Instruction>> order;
};

} // namespace takt

#endif // TAKT_LIB_ANALYSIS_ZEROBUBBLELIST_H
