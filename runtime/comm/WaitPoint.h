/// Where threads sleep until a condition on atomics holds. Based on a futex:
/// no allocation, no lock, and no system call when nobody sleeps.
#ifndef TAKT_RUNTIME_COMM_WAITPOINT_H
#define TAKT_RUNTIME_COMM_WAITPOINT_H

#include <atomic>
#include <cstdint>

namespace takt::runtime {

/// Nanoseconds of a clock that never steps back.
int64_t monotonicNow();

enum class Wake { Ready, Stopped, Expired };

class WaitPoint {
public:
  WaitPoint() = default;
  WaitPoint(const WaitPoint &) = delete;
  WaitPoint &operator=(const WaitPoint &) = delete;

  /// Wakes all sleepers. Call after the change that they wait for.
  void notify();

  /// Sleeps until `ready()`, until `stopped()`, or until `nanosecondsLeft()`
  /// is no longer positive. `spins` bounds how often it looks before it sleeps.
  template <class Ready, class Stopped, class Left>
  Wake wait(Ready ready, Stopped stopped, Left nanosecondsLeft, int spins) {
    for (int i = 0; i < spins; ++i) {
      if (ready())
        return Wake::Ready;
      pause();
    }
    while (true) {
      // Read before the conditions: a change after it makes the sleep fail.
      uint32_t seen = epoch.load();
      if (ready())
        return Wake::Ready;
      if (stopped())
        return Wake::Stopped;
      int64_t left = nanosecondsLeft();
      if (left <= 0)
        return Wake::Expired;
      sleepFor(seen, left);
    }
  }

private:
  static void pause();
  void sleepFor(uint32_t seen, int64_t nanoseconds);

  std::atomic<uint32_t> epoch{0};
  std::atomic<uint32_t> sleepers{0};
};

} // namespace takt::runtime

#endif
