#include "runtime/calibrate/Measure.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace takt::runtime {
namespace {

using nlohmann::ordered_json;

/// Four significant digits: more would be noise.
double rounded(double value) {
  if (value <= 0)
    return value;
  double unit = std::pow(10, std::floor(std::log10(value)) - 3);
  // Division by a power of ten is exact where multiplication is not.
  return unit < 1 ? std::round(value / unit) / std::round(1 / unit)
                  : std::round(value / unit) * unit;
}

ordered_json describeCore(const Calibration &calibration,
                          const std::string &source) {
  double peak = 0;
  for (const ContractionPoint &point : calibration.contractions)
    peak = std::max(peak, point.flopsPerSecond);
  ordered_json core;
  core["name"] = "core";
  core["source"] = source;
  core["memoryBytes"] = rounded(calibration.memoryBytes);
  core["flopsPerSecond"] = {{"f32", rounded(peak)}};
  core["bytesPerSecond"] = rounded(calibration.bytesPerSecond);
  core["launchSeconds"] = rounded(calibration.launchSeconds);
  for (const ContractionPoint &point : calibration.contractions)
    core["contraction"].push_back(
        {{"dtype", "f32"},
         {"m", point.m},
         {"n", point.n},
         {"k", point.k},
         {"efficiency", rounded(point.flopsPerSecond / peak)}});
  for (const MemoryPoint &point : calibration.memory)
    core["memoryRates"].push_back(
        {{"footprintBytes", point.footprint},
         {"bytesPerSecond", rounded(point.bytesPerSecond)}});
  return core;
}

} // namespace

std::string clusterFileText(const Calibration &calibration) {
  std::string source = join("takt calibrate ", TAKT_VERSION, " on ",
                            calibration.processor, ", all cores at work");
  ordered_json node;
  node["devices"] =
      ordered_json::array({{{"kind", "core"}, {"count", calibration.cores}}});
  ordered_json cluster;
  cluster["name"] = calibration.processor;
  if (calibration.link.bytesPerSecond > 0)
    node["link"] = {{"kind", "memory"}};
  cluster["nodes"] = ordered_json::array({node});
  cluster["deviceKinds"] =
      ordered_json::array({describeCore(calibration, source)});
  if (calibration.link.bytesPerSecond > 0)
    cluster["linkKinds"] = ordered_json::array(
        {{{"name", "memory"},
          {"source", source},
          {"alphaSeconds", rounded(calibration.link.alphaSeconds)},
          {"bytesPerSecond", rounded(calibration.link.bytesPerSecond)}}});
  return cluster.dump(2, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}

} // namespace takt::runtime
