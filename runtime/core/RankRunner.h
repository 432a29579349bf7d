/// Runs one rank's instructions for one micro-batch after the other.
#ifndef TAKT_RUNTIME_CORE_RANKRUNNER_H
#define TAKT_RUNTIME_CORE_RANKRUNNER_H

#include "runtime/comm/Channel.h"
#include "runtime/comm/Collective.h"
#include "runtime/core/Bundle.h"
#include "runtime/core/RankWeights.h"
#include "runtime/core/Request.h"
#include "runtime/core/ShapePlan.h"

namespace takt::runtime {
class RankRunner;
}

/// What a stage library gets to see of its rank: nothing.
struct TaktRank {
  takt::runtime::RankRunner *runner;
};

namespace takt::runtime {

/// Memory that a rank holds, bytes.
struct RankMemory {
  int64_t weights = 0;
  int64_t packedWeights = 0; // copies in oneDNN's layout
  int64_t arena = 0;
  int64_t arenaLowerBound = 0; // of the largest plan
  int64_t scratchpad = 0;
};

class RankRunner {
public:
  /// `channels` is indexed like the manifest's; `group` is the rank's stage's.
  RankRunner(const Bundle &bundle, int32_t rank, Monitor &monitor,
             std::vector<std::unique_ptr<Channel>> &channels,
             CollectiveGroup &group, bool quiet);

  /// Loads the weights. Call on the rank's thread, as `run`.
  Status load();
  /// Runs micro-batch `number` (counted per replica). Memory and primitives
  /// are made when a shape is new, else nothing is allocated.
  Status run(Request &request, int64_t number);

  // The stage ABI (RankApi.cpp).
  Status runLibraryCall(int32_t operation, void *const *frameBuffers);
  Status startCollective(int32_t operation, void *const *frameBuffers);
  Status waitCollective(int32_t operation, void *const *frameBuffers);
  void recordError(Status status);

  RankMemory getMemory() const;
  /// Seconds of FORWARD without waits, of the latest micro-batches. Read only
  /// while no request is under way.
  std::vector<float> getBusySeconds() const;
  void clearBusySeconds() { busyCount = 0; }

private:
  Result<ShapePlan *> findPlan(const Request &request);
  Status prepareCalls(ShapePlan &plan);
  Status resolveBuffers(const Request &request);
  Status execute(const InstructionSpec &instruction, Request &request);
  Status forward(Request &request);
  void copyOutputs(Request &request) const;
  /// Index checked, and of a kind that the call is for.
  Status checkOperation(int32_t operation, bool isCollective) const;

  const Bundle &bundle;
  const Manifest &manifest;
  const RankSpec &rank;
  const StageSpec &stage;
  Monitor &monitor;
  RankProgress &progress;
  std::vector<std::unique_ptr<Channel>> &channels;
  CollectiveGroup &group;

  TaktRank handle;
  RankWeights weights;
  DeviceContext device;
  ShapePlanCache plans;
  ShapePlan *plan = nullptr; // of the micro-batch that runs
  MemoryBlock arena;
  int64_t arenaLowerBound = 0;
  std::vector<void *> buffers;
  Status error;       // the first of the running forward
  int64_t waited = 0; // nanoseconds asleep within the running forward
  std::vector<float> busySeconds; // ring
  uint64_t busyCount = 0;
};

/// The functions that stage libraries call.
const TaktApi &getStageApi();

} // namespace takt::runtime

#endif
