#include "runtime/calibrate/Measure.h"
#include "runtime/device/Threads.h"

#include <algorithm>
#include <fstream>
#include <unistd.h>

namespace takt::runtime {
namespace {

constexpr int64_t rowCounts[] = {1, 8, 32, 128, 512};
/// n and k.
constexpr int64_t weightSizes[][2] = {
    {256, 256}, {768, 768}, {768, 3072}, {2048, 2048}};
/// A stage goes through all of its weights before it comes back to one, so
/// they are not in a cache.
constexpr int64_t weightBytes = 64 << 20;
constexpr int64_t footprints[] = {32 << 10, 256 << 10, 2 << 20, 16 << 20,
                                  128 << 20};
constexpr int64_t messageSizes[] = {64, 1 << 20, 16 << 20};
constexpr int measurementCount = 20 + 1 + 5 + 3;

std::string readProcessor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0)
      return line.substr(std::min(line.find(": ") + 2, line.size()));
  return "unknown processor";
}

/// Of the machine, or of the container that this process is in.
double readMemoryBytes() {
  double bytes =
      double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  std::ifstream file("/sys/fs/cgroup/memory.max");
  double limit = 0;
  if (file >> limit) // "max" is no number
    bytes = std::min(bytes, limit);
  return bytes;
}

/// Measures everything twice, some time apart, and keeps the shorter median:
/// whoever else uses the machine for a moment spoils one of them only.
class Calibrator {
public:
  explicit Calibrator(const CalibrationOptions &options)
      : options(options), cores(getUsableCores()),
        budget(options.seconds / (passes * measurementCount)) {}

  Result<Calibration> run() {
    result.processor = readProcessor();
    result.cores = int(cores.size());
    result.memoryBytes = readMemoryBytes() / double(cores.size());
    if (!canStartThreads(cores.size()))
      return environmentError("cannot start a thread for each of ",
                              cores.size(), " cores");
    for (int pass = 0; pass < passes; ++pass) {
      slot = 0;
      TAKT_RETURN_IF_ERROR(measureContractions());
      TAKT_RETURN_IF_ERROR(measureMemory());
      if (cores.size() > 1)
        TAKT_RETURN_IF_ERROR(measureMessages());
    }
    slot = 0;
    readContractions();
    readMemory();
    if (cores.size() > 1)
      readLink();
    return std::move(result);
  }

private:
  static constexpr int passes = 2;

  /// Keeps what `measured` gives in the next slot.
  template <class Measured> Status take(const char *what, Measured measured) {
    if (options.progress)
      options.progress(what, done, passes * measurementCount);
    ++done;
    Result<double> seconds = measured();
    if (!seconds.ok())
      return seconds.status();
    if (slot == int(best.size()))
      best.push_back(*seconds);
    best[slot] = std::min(best[slot], *seconds);
    ++slot;
    return Status();
  }
  Status takeOnAllCores(const char *what, const Preparation &prepare) {
    return take(what,
                [&] { return measureOnAllCores(cores, budget, prepare); });
  }

  /// First a call with next to nothing to compute.
  Status measureContractions() {
    TAKT_RETURN_IF_ERROR(
        takeOnAllCores("library call", contractionWork(4, 16, 16, 1)));
    for (int64_t m : rowCounts)
      for (const auto &[n, k] : weightSizes) {
        int64_t weights = std::max<int64_t>(
            1, weightBytes / (n * k * int64_t(sizeof(float))));
        TAKT_RETURN_IF_ERROR(
            takeOnAllCores("contractions", contractionWork(m, n, k, weights)));
      }
    return Status();
  }

  void readContractions() {
    result.launchSeconds = best[slot++];
    for (int64_t m : rowCounts)
      for (const auto &[n, k] : weightSizes) {
        // The cost model adds the launch to each dispatch.
        double seconds = best[slot++];
        double net = std::max(seconds - result.launchSeconds, seconds * 0.1);
        result.contractions.push_back(
            {m, n, k, 2 * double(m) * double(n) * double(k) / net});
      }
  }

  /// Short copies repeat, so that reading the clock does not count.
  static int64_t copiesOf(int64_t footprint) {
    return std::max<int64_t>(1, (1 << 20) / footprint);
  }
  /// Leaves most of the memory free.
  bool fits(int64_t footprint) const {
    return double(footprint) < result.memoryBytes / 4;
  }

  Status measureMemory() {
    for (int64_t footprint : footprints)
      if (fits(footprint))
        TAKT_RETURN_IF_ERROR(
            takeOnAllCores("memory", copyWork(footprint, copiesOf(footprint))));
    return Status();
  }

  void readMemory() {
    for (int64_t footprint : footprints)
      if (fits(footprint))
        result.memory.push_back(
            {footprint,
             double(copiesOf(footprint) * footprint) / best[slot++]});
    result.bytesPerSecond = result.memory.back().bytesPerSecond;
    // Weights are only read, which is faster than a copy. A one-row product
    // does two flops for each of a weight's floats.
    for (const ContractionPoint &point : result.contractions)
      if (point.m == 1)
        result.bytesPerSecond =
            std::max(result.bytesPerSecond,
                     point.flopsPerSecond / 2 * double(sizeof(float)));
  }

  Status measureMessages() {
    for (int64_t bytes : messageSizes)
      TAKT_RETURN_IF_ERROR(take(
          "messages", [&] { return measureMessage(cores, budget, bytes); }));
    return Status();
  }

  /// The small message is all alpha; the rate is the slope of the large ones.
  void readLink() {
    const double *times = &best[slot];
    result.link.alphaSeconds = times[0];
    double slope =
        (times[2] - times[1]) / double(messageSizes[2] - messageSizes[1]);
    result.link.bytesPerSecond =
        slope > 0 ? 1 / slope : double(messageSizes[2]) / times[2];
  }

  const CalibrationOptions &options;
  std::vector<int> cores;
  double budget; // seconds per measurement
  int done = 0, slot = 0;
  std::vector<double> best; // seconds, by slot: the order of a pass
  Calibration result;
};

} // namespace

Result<Calibration> calibrate(const CalibrationOptions &options) {
  return Calibrator(options).run();
}

} // namespace takt::runtime
