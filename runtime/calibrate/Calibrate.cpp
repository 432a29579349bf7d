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

class Calibrator {
public:
  explicit Calibrator(const CalibrationOptions &options)
      : options(options), cores(getUsableCores()),
        budget(options.seconds / measurementCount) {}

  Result<Calibration> run() {
    result.processor = readProcessor();
    result.cores = int(cores.size());
    result.memoryBytes = readMemoryBytes() / double(cores.size());
    if (!canStartThreads(cores.size()))
      return environmentError("cannot start a thread for each of ",
                              cores.size(), " cores");
    TAKT_RETURN_IF_ERROR(measureLaunch());
    TAKT_RETURN_IF_ERROR(measureContractions());
    TAKT_RETURN_IF_ERROR(measureMemory());
    if (cores.size() > 1)
      TAKT_RETURN_IF_ERROR(measureLink());
    return std::move(result);
  }

private:
  void begin(const char *what) {
    if (options.progress)
      options.progress(what, done, measurementCount);
    ++done;
  }

  /// A call with next to nothing to compute.
  Status measureLaunch() {
    begin("library call");
    Result<double> seconds =
        measureOnAllCores(cores, budget, contractionWork(4, 16, 16, 1));
    if (!seconds.ok())
      return seconds.status();
    result.launchSeconds = *seconds;
    return Status();
  }

  Status measureContractions() {
    for (int64_t m : rowCounts)
      for (const auto &[n, k] : weightSizes) {
        begin("contractions");
        int64_t weights = std::max<int64_t>(
            1, weightBytes / (n * k * int64_t(sizeof(float))));
        Result<double> seconds =
            measureOnAllCores(cores, budget, contractionWork(m, n, k, weights));
        if (!seconds.ok())
          return seconds.status();
        // The cost model adds the launch to each dispatch.
        double net = std::max(*seconds - result.launchSeconds, *seconds * 0.1);
        result.contractions.push_back(
            {m, n, k, 2 * double(m) * double(n) * double(k) / net});
      }
    return Status();
  }

  Status measureMemory() {
    for (int64_t footprint : footprints) {
      begin("memory");
      // The largest leaves most of the memory free.
      if (double(footprint) > result.memoryBytes / 4)
        break;
      // Short copies repeat, so that reading the clock does not count.
      int64_t copies = std::max<int64_t>(1, (1 << 20) / footprint);
      Result<double> seconds =
          measureOnAllCores(cores, budget, copyWork(footprint, copies));
      if (!seconds.ok())
        return seconds.status();
      result.memory.push_back(
          {footprint, double(copies * footprint) / *seconds});
    }
    result.bytesPerSecond = result.memory.back().bytesPerSecond;
    // Weights are only read, which is faster than a copy. A one-row product
    // does two flops for each of a weight's floats.
    for (const ContractionPoint &point : result.contractions)
      if (point.m == 1)
        result.bytesPerSecond =
            std::max(result.bytesPerSecond,
                     point.flopsPerSecond / 2 * double(sizeof(float)));
    return Status();
  }

  Status measureLink() {
    double times[3];
    for (int i = 0; i < 3; ++i) {
      begin("messages");
      Result<double> seconds = measureMessage(cores, budget, messageSizes[i]);
      if (!seconds.ok())
        return seconds.status();
      times[i] = *seconds;
    }
    // The small message is all alpha; the rate is the slope of the large ones.
    result.link.alphaSeconds = times[0];
    double slope =
        (times[2] - times[1]) / double(messageSizes[2] - messageSizes[1]);
    result.link.bytesPerSecond =
        slope > 0 ? 1 / slope : double(messageSizes[2]) / times[2];
    return Status();
  }

  const CalibrationOptions &options;
  std::vector<int> cores;
  double budget; // seconds per measurement
  int done = 0;
  Calibration result;
};

} // namespace

Result<Calibration> calibrate(const CalibrationOptions &options) {
  return Calibrator(options).run();
}

} // namespace takt::runtime
