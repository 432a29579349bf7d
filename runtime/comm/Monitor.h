/// Watches the ranks of one process: the first failure stops all, and a wait
/// without progress names the rank that holds the others up.
#ifndef TAKT_RUNTIME_COMM_MONITOR_H
#define TAKT_RUNTIME_COMM_MONITOR_H

#include "runtime/comm/WaitPoint.h"
#include "runtime/core/Manifest.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace takt::runtime {

/// What a rank is doing, written by it and read by the others.
struct RankProgress {
  std::atomic<int64_t> microBatch{-1}; // -1: none yet
  std::atomic<int32_t> instruction{0};
  std::atomic<int32_t> operation{-1}; // within FORWARD
  std::atomic<bool> waiting{true};
};

/// How often a rank with a core of its own looks before it sleeps.
constexpr int spinsBeforeSleep = 2000;

class Monitor {
public:
  /// `deadline` is in seconds since a replica's last progress.
  Monitor(const Manifest &manifest, double deadline, int spins);

  /// Registers a place that a failure has to wake.
  void watch(WaitPoint &point);

  /// Records the first failure and wakes everybody.
  void fail(Status status);
  bool hasFailed() const { return failed.load(); }
  /// The first failure; ok if there is none.
  Status getFailure() const;

  RankProgress &progressOf(int32_t rank) { return ranks[rank]; }
  /// Restarts the deadline of a replica.
  void noteProgress(int32_t replica) {
    stamps[replica].value.store(monotonicNow(), std::memory_order_relaxed);
  }

  /// Waits for `ready` on behalf of `rank`. On expiry fails with the laggard's
  /// name and returns false; returns false too when anything else failed.
  template <class Ready>
  bool wait(WaitPoint &point, int32_t rank, Ready ready) {
    if (ready())
      return true;
    RankProgress &progress = ranks[rank];
    progress.waiting.store(true);
    int32_t replica = manifest.ranks[rank].replica;
    Wake wake = waitForReplica(point, replica, ready, 0);
    if (wake == Wake::Expired)
      fail(describeLaggard(replica));
    progress.waiting.store(false);
    return wake == Wake::Ready;
  }

  /// Waits on behalf of the caller of the engine, who gives the ranks a little
  /// longer than they give each other.
  template <class Ready>
  bool waitForResult(WaitPoint &point, int32_t replica, Ready ready) {
    Wake wake = waitForReplica(point, replica, ready, 200000000);
    if (wake == Wake::Expired)
      fail(describeLaggard(replica));
    return wake == Wake::Ready;
  }

  /// Waits without a deadline (for the next request).
  template <class Ready> bool waitIdle(WaitPoint &point, Ready ready) {
    auto stopped = [this] { return hasFailed(); };
    auto forever = [] { return INT64_MAX; };
    return point.wait(ready, stopped, forever, spins) == Wake::Ready;
  }

private:
  /// Looks up from time to time: a nap that lasted far too long means that the
  /// whole process was stopped (SIGSTOP, a debugger), which is no rank's fault.
  /// Nobody fails before he has slept a moment, in which another finds that
  /// out.
  template <class Ready>
  Wake waitForReplica(WaitPoint &point, int32_t replica, Ready ready,
                      int64_t grace) {
    constexpr int64_t nap = 500000000, moment = 20000000;
    auto stopped = [this] { return hasFailed(); };
    while (true) {
      int64_t begin = monotonicNow();
      int64_t left =
          std::max(leftOf(replica, begin) + grace, std::min(moment, deadline));
      auto leftOfNap = [&] {
        return std::min(begin + nap, begin + left) - monotonicNow();
      };
      Wake wake = point.wait(ready, stopped, leftOfNap, spins);
      if (wake != Wake::Expired)
        return wake;
      int64_t now = monotonicNow();
      if (now - begin > std::min(left, nap) + nap)
        noteProgress(replica);
      else if (leftOf(replica, now) + grace <= 0)
        return Wake::Expired;
    }
  }
  /// Nanoseconds of a replica's deadline at time `now`.
  int64_t leftOf(int32_t replica, int64_t now) const {
    return stamps[replica].value.load(std::memory_order_relaxed) + deadline -
           now;
  }
  Status describeLaggard(int32_t replica) const;

  // Ranks write these often: one cache line each.
  struct alignas(64) Stamp {
    std::atomic<int64_t> value{0};
  };

  const Manifest &manifest;
  int64_t deadline; // nanoseconds
  int spins;
  std::deque<RankProgress> ranks;
  std::deque<Stamp> stamps; // one per replica
  std::vector<WaitPoint *> points;
  std::atomic<bool> failed{false};
  mutable std::mutex mutex; // guards failure and points
  Status failure;
};

} // namespace takt::runtime

#endif
