/// The ranks of a bundle as threads of this process, fed with requests.
#ifndef TAKT_RUNTIME_CORE_ENGINE_H
#define TAKT_RUNTIME_CORE_ENGINE_H

#include "runtime/core/RankRunner.h"

#include <thread>

namespace takt::runtime {

struct EngineOptions {
  int threadsPerRank = 0;  // 0: cores / ranks, at least 1
  double deadline = 60;    // seconds without progress
  size_t queueLength = 64; // requests per replica under way at once
  bool quiet = false;      // no warnings
};

class Engine {
public:
  /// Starts the rank threads and waits until all have their weights.
  static Result<std::unique_ptr<Engine>> create(const Bundle &bundle,
                                                const EngineOptions &options);
  /// Stops the ranks; waits for what they are doing.
  ~Engine();
  Engine(const Engine &) = delete;
  Engine &operator=(const Engine &) = delete;

  /// Hands a prepared request to the next replica in turn; waits while its
  /// queue is full. The request and its inputs must live until `wait` returns,
  /// and after a failure until the engine is gone, since ranks that do not
  /// know of it yet still use them. One thread submits and waits.
  Status submit(Request &request);
  /// Waits until the request's outputs are there, or any rank fails.
  Status wait(Request &request);

  int getThreadsPerRank() const { return threadsPerRank; }
  /// Null for idle ranks.
  RankRunner *getRunner(int32_t rank) { return runners[rank].get(); }

private:
  Engine(const Bundle &bundle, const EngineOptions &options);
  void makeRanks();
  Status startThreads();
  void runRank(int32_t rank, std::vector<int> cores);
  Status serve(int32_t rank);

  /// Requests of one replica, in order; each of its ranks reads them all.
  struct Queue {
    std::vector<Request *> ring;
    std::atomic<uint64_t> published{0};
    std::atomic<uint64_t> completed{0};
    int32_t ranks = 0;
    WaitPoint point;
  };

  const Bundle &bundle;
  const Manifest &manifest;
  EngineOptions options;
  std::vector<int> cores;
  int threadsPerRank = 1;
  int workingRanks = 0;
  std::unique_ptr<Monitor> monitor;
  std::vector<std::unique_ptr<Queue>> queues; // by replica
  std::vector<std::unique_ptr<Channel>> channels;
  std::vector<std::unique_ptr<CollectiveGroup>> groups;
  std::vector<std::unique_ptr<RankRunner>> runners; // by rank
  std::vector<std::thread> threads;
  std::atomic<int> readyRanks{0};
  std::atomic<bool> stopping{false};
  WaitPoint mainPoint; // where the caller sleeps
  uint64_t submitted = 0;
};

} // namespace takt::runtime

#endif
