/// Collectives among the ranks of one stage of one replica, by shared memory.
/// Every rank computes its own output from all inputs, in the order rank 0,
/// rank 1, …, so results are equal on all ranks, bit for bit.
#ifndef TAKT_RUNTIME_COMM_COLLECTIVE_H
#define TAKT_RUNTIME_COMM_COLLECTIVE_H

#include "runtime/comm/Monitor.h"

#include <memory>
#include <vector>

namespace takt::runtime {

/// The input's sizes, [outer, part, inner], in elements.
struct CollectiveSizes {
  int64_t outer = 0;
  int64_t part = 0;
  int64_t inner = 0;
};

/// Computes one rank's output from all ranks' inputs. Sums of integers wrap
/// around; a NaN in any input of max or min shows in the output.
void computeCollective(const CollectiveSpec &spec, const CollectiveSizes &sizes,
                       const std::vector<const void *> &inputs, int32_t shard,
                       void *output);

class CollectiveGroup {
public:
  /// `ranks`: ids of the stage's ranks, by shard.
  CollectiveGroup(const StageSpec &stage, std::vector<int32_t> ranks,
                  Monitor &monitor);

  /// Publishes a shard's input, which must stay unchanged until `wait`.
  Status start(int32_t operation, int32_t shard, const void *input,
               const CollectiveSizes &sizes);
  /// Waits for all inputs, computes the output, and returns when no rank reads
  /// this one's input any more. `waited` grows by the nanoseconds asleep.
  Status wait(int32_t operation, int32_t shard, void *output, int64_t &waited);

private:
  // Rounds count from 1; a shard in round r has started or finished r times.
  struct alignas(64) Member {
    std::atomic<uint64_t> started{0};
    std::atomic<uint64_t> finished{0};
    const void *input = nullptr;
    CollectiveSizes sizes;
    std::vector<const void *> inputs; // scratch of this shard
  };
  struct Exchange {
    std::vector<std::unique_ptr<Member>> members; // by shard
  };
  bool waitForAll(Exchange &exchange, int32_t shard,
                  std::atomic<uint64_t> Member::*counter, uint64_t round,
                  int64_t &waited);

  const StageSpec &stage;
  std::vector<int32_t> ranks;
  Monitor &monitor;
  std::vector<Exchange> exchanges; // by operation
  WaitPoint point;
};

} // namespace takt::runtime

#endif
