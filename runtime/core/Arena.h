/// Offsets of buffers in one block of memory, from their lifetimes: a problem,
/// a solver, and a verifier that shares no code with it.
#ifndef TAKT_RUNTIME_CORE_ARENA_H
#define TAKT_RUNTIME_CORE_ARENA_H

#include "runtime/core/Status.h"

#include <cstdint>
#include <vector>

namespace takt::runtime {

/// A buffer of `bytes` (a multiple of the alignment) that is alive from step
/// `first` to step `last`, both inclusive.
struct ArenaItem {
  int64_t bytes = 0;
  int32_t first = 0;
  int32_t last = 0;
};

struct ArenaPlan {
  std::vector<int64_t> offsets; // one per item, bytes
  int64_t bytes = 0;
  int64_t lowerBound = 0; // most bytes alive at one step
};

/// Greedy placement (Pisarchyk and Lee 2020, arXiv 2001.03288) in three orders
/// (size, size x lifetime, first use); the smallest arena wins.
Result<ArenaPlan> planArena(const std::vector<ArenaItem> &items);

/// Fails unless items that are alive together lie apart, aligned, inside of
/// `plan.bytes`. Sweeps over the steps with the set of live ranges.
Status verifyArena(const std::vector<ArenaItem> &items, const ArenaPlan &plan);

} // namespace takt::runtime

#endif
