/// Cores of the machine and how ranks share them.
#ifndef TAKT_RUNTIME_DEVICE_THREADS_H
#define TAKT_RUNTIME_DEVICE_THREADS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace takt::runtime {

/// Cores that this process may use (its affinity mask), in ascending order.
std::vector<int> getUsableCores();

/// Tries whether the system gives `count` more threads at once.
bool canStartThreads(size_t count);

/// Prepares the calling thread for a rank's work: oneDNN's OpenMP team gets
/// `threads` threads, and thread i of it stays on `cores[i]`. No pinning if
/// `cores` is empty.
void setUpRankThread(int threads, const std::vector<int> &cores);

/// Calls `body(data, first, last)` on the threads of the calling rank, each
/// with an equal part of the range [0, count).
void runOnRankThreads(int64_t count,
                      void (*body)(void *data, int64_t first, int64_t last),
                      void *data);

template <class Body> void runOnRankThreads(int64_t count, Body body) {
  runOnRankThreads(
      count,
      [](void *data, int64_t first, int64_t last) {
        (*static_cast<Body *>(data))(first, last);
      },
      &body);
}

} // namespace takt::runtime

#endif
