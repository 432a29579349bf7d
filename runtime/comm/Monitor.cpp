#include "runtime/comm/Monitor.h"

#include <algorithm>
#include <tuple>

namespace takt::runtime {

Monitor::Monitor(const Manifest &manifest, double deadline, int spins)
    : manifest(manifest), deadline(static_cast<int64_t>(deadline * 1e9)),
      spins(spins) {
  ranks.resize(manifest.ranks.size());
  stamps.resize(static_cast<size_t>(manifest.replicas));
  for (int32_t replica = 0; replica < manifest.replicas; ++replica)
    noteProgress(replica);
}

void Monitor::watch(WaitPoint &point) {
  std::lock_guard<std::mutex> lock(mutex);
  points.push_back(&point);
}

void Monitor::fail(Status status) {
  std::lock_guard<std::mutex> lock(mutex);
  if (failed.load())
    return;
  failure = std::move(status);
  failed.store(true);
  for (WaitPoint *point : points)
    point->notify();
}

Status Monitor::getFailure() const {
  std::lock_guard<std::mutex> lock(mutex);
  return failure;
}

/// The laggard is the rank that is furthest behind among those that do not
/// wait; if all wait, among all (they wait for each other).
Status Monitor::describeLaggard(int32_t replica) const {
  int32_t laggard = -1;
  auto key = [this](int32_t rank) {
    const RankProgress &progress = ranks[rank];
    return std::make_tuple(progress.waiting.load(), progress.microBatch.load(),
                           manifest.ranks[rank].stage);
  };
  for (const RankSpec &rank : manifest.ranks) {
    if (rank.stage < 0 || rank.replica != replica)
      continue;
    if (laggard < 0 || key(rank.id) < key(laggard))
      laggard = rank.id;
  }
  const RankProgress &progress = ranks[laggard];
  const RankSpec &rank = manifest.ranks[laggard];
  const StageSpec &stage = manifest.stages[rank.stage];
  size_t index = std::min<size_t>(progress.instruction.load(),
                                  rank.instructions.size() - 1);
  int32_t operation = progress.operation.load();
  std::string where = nameOf(rank.instructions[index].kind);
  if (operation >= 0)
    where += join(" in operation '", stage.operations[operation].name, "'");
  return rankError("rank ", laggard, " (stage ", rank.stage, " '", stage.name,
                   "', shard ", rank.shard, ") made no progress for ",
                   static_cast<double>(deadline) / 1e9, " s at instruction ",
                   index, " (", where, ") of micro-batch ",
                   progress.microBatch.load(),
                   progress.waiting.load() ? "; all ranks wait" : "",
                   "; --deadline sets the limit");
}

} // namespace takt::runtime
