//===- PipelineCosts.h - stages of a pipeline on ranks, and their times ---===//
#ifndef TAKT_ANALYSIS_PIPELINECOSTS_H
#define TAKT_ANALYSIS_PIPELINECOSTS_H

#include "takt/Analysis/Cost.h"

#include <vector>

namespace takt {

/// Which stages of a pipeline a rank owns. Each rank has the same number of
/// chunks, one stage each. Loop: stages go round the ranks, 0, 1, ..., p - 1,
/// 0, 1, ...; Vee: there and back, 0, ..., p - 1, p - 1, ..., 0, ....
struct Placement {
  enum Shape { Loop, Vee };
  int ranks = 1, chunks = 1;
  Shape shape = Loop;

  int stages() const { return ranks * chunks; }
  int stageOf(int rank, int chunk) const {
    return chunk * ranks + (turns(chunk) ? ranks - 1 - rank : rank);
  }
  int chunkOf(int stage) const { return stage / ranks; }
  int rankOf(int stage) const {
    int place = stage % ranks;
    return turns(chunkOf(stage)) ? ranks - 1 - place : place;
  }

private:
  bool turns(int chunk) const { return shape == Vee && chunk % 2 == 1; }
};

/// Times of one chunk on one micro-batch. Backward takes the sum of the last
/// two.
struct ChunkCost {
  Cost forward = 1, backwardInput = 1, backwardWeight = 1;

  Cost sum() const { return forward + backwardInput + backwardWeight; }
};

/// What a schedule of a pipeline costs.
struct PipelineCosts {
  std::vector<std::vector<ChunkCost>> chunks; // by rank and chunk
  Cost transfer = 0;                          // of one message between ranks
  Cost collective = 0;                        // of one Collective

  static PipelineCosts uniform(const Placement &placement, ChunkCost chunk,
                               Cost transfer = 0) {
    return {std::vector(placement.ranks, std::vector(placement.chunks, chunk)),
            transfer, 0};
  }
};

/// Memory in units of half a micro-batch's activations of one chunk: a forward
/// takes two, the gradients of input and weight give one back each.
constexpr int64_t memoryOfForward = 2, memoryOfBackwardInput = -1,
                  memoryOfBackwardWeight = -1;

} // namespace takt

#endif // TAKT_ANALYSIS_PIPELINECOSTS_H
