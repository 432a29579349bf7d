#include "runtime/calibrate/Measure.h"
#include "runtime/comm/WaitPoint.h"
#include "runtime/device/Threads.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

namespace takt::runtime {

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  size_t half = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 ? values[half]
                           : (values[half - 1] + values[half]) / 2;
}

double measure(double budget, const std::function<void()> &work) {
  constexpr size_t least = 5, most = 1000;
  work();
  std::vector<double> seconds;
  int64_t begin = monotonicNow(), last = begin;
  while (seconds.size() < least ||
         (seconds.size() < most && double(last - begin) * 1e-9 < budget)) {
    work();
    int64_t now = monotonicNow();
    seconds.push_back(double(now - last) * 1e-9);
    last = now;
  }
  return median(std::move(seconds));
}

namespace {

/// What the threads of one measurement share.
struct Crew {
  std::atomic<size_t> ready{0};
  std::atomic<size_t> done{0};
  std::vector<double> seconds;
  std::vector<Status> statuses;
};

void work(Crew &crew, size_t index, int core, double budget,
          const Preparation &prepare) {
  setUpRankThread(1, {core});
  Result<std::function<void()>> made = prepare();
  crew.statuses[index] = made.status();
  ++crew.ready;
  while (crew.ready < crew.statuses.size())
    std::this_thread::yield();
  if (made.ok())
    crew.seconds[index] = measure(budget, *made);
  ++crew.done;
  // Keeps the machine busy until the last one is done.
  while (made.ok() && crew.done < crew.statuses.size())
    (*made)();
}

} // namespace

Result<double> measureOnAllCores(const std::vector<int> &cores, double budget,
                                 const Preparation &prepare) {
  Crew crew;
  crew.seconds.resize(cores.size());
  crew.statuses.resize(cores.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < cores.size(); ++i)
    threads.emplace_back([&, i] { work(crew, i, cores[i], budget, prepare); });
  for (std::thread &thread : threads)
    thread.join();
  for (const Status &status : crew.statuses)
    if (!status.ok())
      return status;
  return median(crew.seconds);
}

} // namespace takt::runtime
