/// What a rank knows about one set of dimensions: sizes, arena, library calls.
#ifndef TAKT_RUNTIME_CORE_SHAPEPLAN_H
#define TAKT_RUNTIME_CORE_SHAPEPLAN_H

#include "runtime/comm/Collective.h"
#include "runtime/core/Manifest.h"
#include "runtime/device/Primitive.h"

#include <list>
#include <memory>

namespace takt::runtime {

struct ShapePlan {
  std::vector<int64_t> dims;
  std::vector<int64_t> values;
  std::vector<int64_t> bufferBytes;  // by buffer of the stage
  std::vector<int64_t> arenaOffsets; // by buffer; -1: not in the arena
  std::vector<int32_t> outputs;      // by buffer: the output of the request in
                                     // whose memory it lies; -1: in none
  std::vector<bool> addsInPlace;     // by operation; see placeBuffers
  int64_t arenaBytes = 0;
  int64_t arenaLowerBound = 0;
  std::vector<CollectiveSizes> collectives;         // by operation
  std::vector<std::unique_ptr<PreparedCall>> calls; // by operation
};

/// Evaluates sizes and places buffers for a rank of stage `stage`. Buffers that
/// are sent or are outputs live to the end. Fails where sizes that must agree
/// (buffer and port, channel, operation) do not. `calls` stays empty.
Result<ShapePlan> makeShapePlan(const Manifest &manifest, const RankSpec &rank,
                                const std::vector<int64_t> &dims,
                                const std::vector<int64_t> &values);

/// The most recently used plans, by dimensions.
class ShapePlanCache {
public:
  explicit ShapePlanCache(size_t capacity) : capacity(capacity) {}

  /// Null if unknown. Allocates nothing.
  ShapePlan *find(const std::vector<int64_t> &dims);
  /// Drops the least recently used plan if there is no room.
  ShapePlan &insert(ShapePlan plan);
  size_t size() const { return plans.size(); }

private:
  size_t capacity;
  std::list<ShapePlan> plans; // most recently used first
};

} // namespace takt::runtime

#endif
