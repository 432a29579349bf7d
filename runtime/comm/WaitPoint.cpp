#include "runtime/comm/WaitPoint.h"

#include <algorithm>
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace takt::runtime {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t),
              "the kernel compares the word itself");

int64_t monotonicNow() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

void WaitPoint::pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void WaitPoint::notify() {
  epoch.fetch_add(1);
  if (sleepers.load() > 0)
    syscall(SYS_futex, &epoch, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr,
            0);
}

void WaitPoint::sleepFor(uint32_t seen, int64_t nanoseconds) {
  // At most an hour, so that the kernel's arithmetic cannot overflow.
  nanoseconds = std::min<int64_t>(nanoseconds, 3600LL * 1000000000);
  timespec timeout;
  timeout.tv_sec = nanoseconds / 1000000000;
  timeout.tv_nsec = nanoseconds % 1000000000;
  sleepers.fetch_add(1);
  syscall(SYS_futex, &epoch, FUTEX_WAIT_PRIVATE, seen, &timeout, nullptr, 0);
  sleepers.fetch_sub(1);
}

} // namespace takt::runtime
