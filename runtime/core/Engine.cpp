#include "runtime/core/Engine.h"
#include "runtime/device/Threads.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <new>
#include <system_error>

namespace takt::runtime {

Engine::Engine(const Bundle &bundle, const EngineOptions &options)
    : bundle(bundle), manifest(bundle.getManifest()), options(options),
      cores(getUsableCores()) {
  for (const RankSpec &rank : manifest.ranks)
    workingRanks += rank.stage >= 0;
  int coreCount = static_cast<int>(cores.size());
  threadsPerRank = options.threadsPerRank > 0
                       ? options.threadsPerRank
                       : std::max(1, coreCount / workingRanks);
}

Result<std::unique_ptr<Engine>> Engine::create(const Bundle &bundle,
                                               const EngineOptions &options) {
  try {
    std::unique_ptr<Engine> engine(new Engine(bundle, options));
    engine->makeRanks();
    // libgomp ends the process where it gets no thread.
    int64_t count = int64_t(engine->workingRanks) * engine->threadsPerRank;
    if (engine->threadsPerRank > 1 && !canStartThreads(size_t(count)))
      return environmentError("the system refuses ", count, " threads (",
                              engine->workingRanks, " ranks x ",
                              engine->threadsPerRank,
                              "); set fewer with --threads-per-rank");
    if (Status status = engine->startThreads(); !status.ok())
      return status;
    return engine;
  } catch (const std::exception &exception) {
    return environmentError("cannot start the ranks: ", exception.what());
  }
}

void Engine::makeRanks() {
  int64_t coreCount = static_cast<int64_t>(cores.size());
  bool fits = int64_t(workingRanks) * threadsPerRank <= coreCount;
  if (!fits && !options.quiet)
    std::fprintf(stderr,
                 "warning: %d ranks x %d threads on %d cores: they take turns, "
                 "so expect no speed-up from more ranks\n",
                 workingRanks, threadsPerRank, static_cast<int>(coreCount));
  // Looking again and again pays only while nobody else needs the core.
  monitor = std::make_unique<Monitor>(manifest, options.deadline,
                                      fits ? spinsBeforeSleep : 0);
  monitor->watch(mainPoint);
  for (int32_t i = 0; i < manifest.replicas; ++i) {
    queues.push_back(std::make_unique<Queue>());
    queues.back()->ring.resize(std::max<size_t>(options.queueLength, 1));
    monitor->watch(queues.back()->point);
  }
  for (const ChannelSpec &channel : manifest.channels)
    channels.push_back(std::make_unique<Channel>(channel, *monitor));

  std::map<std::pair<int32_t, int32_t>, std::vector<int32_t>> members;
  for (const RankSpec &rank : manifest.ranks)
    if (rank.stage >= 0) {
      std::vector<int32_t> &shards = members[{rank.replica, rank.stage}];
      shards.resize(manifest.stages[rank.stage].tensorParallel);
      shards[rank.shard] = rank.id;
      ++queues[rank.replica]->ranks;
    }
  runners.resize(manifest.ranks.size());
  for (const auto &[place, shards] : members) {
    groups.push_back(std::make_unique<CollectiveGroup>(
        manifest.stages[place.second], shards, *monitor));
    for (int32_t rank : shards)
      runners[rank] = std::make_unique<RankRunner>(
          bundle, rank, *monitor, channels, *groups.back(), options.quiet);
  }
}

Status Engine::startThreads() {
  size_t next = 0;
  bool pin = size_t(workingRanks) * size_t(threadsPerRank) <= cores.size();
  for (const RankSpec &rank : manifest.ranks) {
    if (rank.stage < 0)
      continue;
    std::vector<int> own;
    for (int i = 0; pin && i < threadsPerRank; ++i)
      own.push_back(cores[next++]);
    threads.emplace_back(&Engine::runRank, this, rank.id, std::move(own));
  }
  auto ready = [this] { return readyRanks.load() == workingRanks; };
  return monitor->waitIdle(mainPoint, ready) ? Status() : monitor->getFailure();
}

/// Body of a rank's thread. A failure ends all ranks.
void Engine::runRank(int32_t rank, std::vector<int> own) {
  Status status;
  try {
    setUpRankThread(threadsPerRank, own);
    status = runners[rank]->load();
    if (status.ok()) {
      readyRanks.fetch_add(1);
      mainPoint.notify();
      status = serve(rank);
    }
  } catch (const std::bad_alloc &) {
    status = environmentError("out of memory");
  } catch (const std::exception &exception) {
    status = rankError(exception.what());
  }
  // A rank that was stopped by another's failure has nothing to add.
  if (status.ok() || monitor->hasFailed())
    return;
  const RankSpec &spec = manifest.ranks[rank];
  monitor->fail(
      Status(status.getCode(),
             join("rank ", rank, " (stage ", spec.stage, ", shard ", spec.shard,
                  ", micro-batch ", monitor->progressOf(rank).microBatch.load(),
                  "): ", status.getText())));
}

Status Engine::serve(int32_t rank) {
  Queue &queue = *queues[manifest.ranks[rank].replica];
  RankProgress &progress = monitor->progressOf(rank);
  for (uint64_t number = 0;; ++number) {
    progress.waiting.store(true);
    auto ready = [&] {
      return queue.published.load() > number || stopping.load();
    };
    if (!monitor->waitIdle(queue.point, ready))
      return monitor->getFailure();
    if (queue.published.load() <= number)
      return Status();
    progress.waiting.store(false);
    Request &request = *queue.ring[number % queue.ring.size()];
    TAKT_RETURN_IF_ERROR(
        runners[rank]->run(request, static_cast<int64_t>(number)));
    if (request.ranksLeft.fetch_sub(1) == 1) {
      request.doneAt = monotonicNow();
      queue.completed.fetch_add(1);
      request.done.store(true); // its owner may destroy it from here on
      mainPoint.notify();
    }
  }
}

Status Engine::submit(Request &request) {
  request.replica = static_cast<int32_t>(submitted % queues.size());
  Queue &queue = *queues[request.replica];
  uint64_t number = queue.published.load();
  auto hasRoom = [&] {
    return number - queue.completed.load() < queue.ring.size();
  };
  if (!monitor->waitForResult(mainPoint, request.replica, hasRoom))
    return monitor->getFailure();
  ++submitted;
  request.ranksLeft.store(queue.ranks);
  request.done.store(false);
  request.submittedAt = monotonicNow();
  queue.ring[number % queue.ring.size()] = &request;
  // An idle replica's last progress may be long ago.
  if (queue.completed.load() == number)
    monitor->noteProgress(request.replica);
  queue.published.store(number + 1);
  queue.point.notify();
  return Status();
}

Status Engine::wait(Request &request) {
  auto isDone = [&] { return request.done.load(); };
  if (!monitor->waitForResult(mainPoint, request.replica, isDone))
    return monitor->getFailure();
  return Status();
}

Engine::~Engine() {
  stopping.store(true);
  for (auto &queue : queues)
    queue->point.notify();
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace takt::runtime
