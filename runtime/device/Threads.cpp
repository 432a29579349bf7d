#include "runtime/device/Threads.h"

#include <exception>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <thread>

// The part of GCC's OpenMP runtime that is used; its header and -fopenmp would
// bring in the compiler's own runtime instead.
extern "C" {
void omp_set_num_threads(int threads);
int omp_get_max_threads(void);
int omp_get_num_threads(void);
int omp_get_thread_num(void);
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads,
                   unsigned flags);
}

namespace takt::runtime {
namespace {

void pinTeamMember(void *data) {
  const auto &cores = *static_cast<const std::vector<int> *>(data);
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cores[static_cast<size_t>(omp_get_thread_num()) % cores.size()],
          &set);
  // Pinning is for speed only, so a refusal does no harm.
  pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

struct SharedRange {
  int64_t count;
  void (*body)(void *data, int64_t first, int64_t last);
  void *data;
};

void runPart(void *data) {
  const auto &range = *static_cast<const SharedRange *>(data);
  int64_t parts = omp_get_num_threads(), part = omp_get_thread_num();
  range.body(range.data, range.count * part / parts,
             range.count * (part + 1) / parts);
}

} // namespace

std::vector<int> getUsableCores() {
  std::vector<int> cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set))
        cores.push_back(core);
  if (cores.empty())
    cores.push_back(0);
  return cores;
}

bool canStartThreads(size_t count) {
  std::mutex hold;
  std::vector<std::thread> threads;
  std::unique_lock<std::mutex> lock(hold);
  bool fine = true;
  try {
    while (threads.size() < count)
      threads.emplace_back([&hold] { std::lock_guard<std::mutex> wait(hold); });
  } catch (const std::exception &) {
    fine = false;
  }
  lock.unlock();
  for (std::thread &thread : threads)
    thread.join();
  return fine;
}

void setUpRankThread(int threads, const std::vector<int> &cores) {
  omp_set_num_threads(threads);
  if (!cores.empty())
    GOMP_parallel(pinTeamMember, const_cast<std::vector<int> *>(&cores),
                  static_cast<unsigned>(threads), 0);
}

void runOnRankThreads(int64_t count,
                      void (*body)(void *data, int64_t first, int64_t last),
                      void *data) {
  SharedRange range = {count, body, data};
  if (omp_get_max_threads() == 1)
    body(data, 0, count);
  else
    GOMP_parallel(runPart, &range, 0, 0); // 0: as many as the rank has
}

} // namespace takt::runtime
