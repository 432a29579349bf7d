/// Times of short pieces of work, and what a calibration collects.
#ifndef TAKT_RUNTIME_CALIBRATE_MEASURE_H
#define TAKT_RUNTIME_CALIBRATE_MEASURE_H

#include "runtime/core/Status.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace takt::runtime {

/// The middle one; the mean of the middle two of an even number.
double median(std::vector<double> values);

/// Median seconds of `work`, after a warm-up run, over as many runs as fit
/// `budget` seconds, 5 at least and 1000 at most.
double measure(double budget, const std::function<void()> &work);

/// Work on one core, made on the core's own thread so that its memory is near.
using Preparation = std::function<Result<std::function<void()>>()>;

/// Runs the same work on all `cores` at once, one pinned thread each, and gives
/// the median of their medians: what a rank gets while the others work too.
Result<double> measureOnAllCores(const std::vector<int> &cores, double budget,
                                 const Preparation &prepare);

struct ContractionPoint {
  int64_t m = 0, n = 0, k = 0;
  double flopsPerSecond = 0;
};

struct MemoryPoint {
  int64_t footprint = 0; // bytes
  double bytesPerSecond = 0;
};

struct LinkFigures {
  double alphaSeconds = 0;
  double bytesPerSecond = 0;
};

/// One core's share of the machine.
struct Calibration {
  std::string processor;
  int cores = 0;
  double memoryBytes = 0;
  double launchSeconds = 0;
  double bytesPerSecond = 0; // main memory
  std::vector<ContractionPoint> contractions;
  std::vector<MemoryPoint> memory; // by growing footprint
  /// Between two cores; bytesPerSecond is 0 where there is only one.
  LinkFigures link;
};

struct CalibrationOptions {
  double seconds = 30; // for all of it
  /// Called as each of `total` measurements begins.
  std::function<void(const char *what, int done, int total)> progress;
};

/// Measures this machine.
Result<Calibration> calibrate(const CalibrationOptions &options);

/// One contraction [m, k] x [k, n], as stages call it, with one of `weights`
/// weights in turn: many do not stay in a cache.
Preparation contractionWork(int64_t m, int64_t n, int64_t k, int64_t weights);
/// `copies` copies within `footprint` bytes, each of which reads half of them
/// and writes half.
Preparation copyWork(int64_t footprint, int64_t copies);
/// One message of `bytes` from the first core to the second, half of a round
/// trip.
Result<double> measureMessage(const std::vector<int> &cores, double budget,
                              int64_t bytes);

/// JSON of takt.proto.Cluster (proto/takt.proto).
std::string clusterFileText(const Calibration &calibration);

} // namespace takt::runtime

#endif
