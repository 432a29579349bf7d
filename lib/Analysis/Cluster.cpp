//===- Cluster.cpp - what a device and a link give ------------------------===//
#include "takt/Analysis/Cluster.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace takt;

static constexpr llvm::StringLiteral precisionNames[precisionCount] = {
    "f32", "tf32", "f16", "bf16", "int8"};

llvm::StringRef takt::precisionName(Precision precision) {
  return precisionNames[size_t(precision)];
}

std::optional<Precision> takt::parsePrecision(llvm::StringRef name) {
  for (auto [i, candidate] : llvm::enumerate(precisionNames))
    if (candidate == name)
      return Precision(i);
  return std::nullopt;
}

/// The logarithm of the efficiency among the points of one m.
static double logEfficiency(llvm::ArrayRef<EfficiencyPoint> points,
                            Precision precision, double m, double n, double k) {
  double weights = 0, sum = 0;
  for (const EfficiencyPoint &point : points) {
    if (point.precision != precision || point.m != m)
      continue;
    double dn = std::log2(n / point.n), dk = std::log2(k / point.k);
    double distance = dn * dn + dk * dk;
    if (distance == 0)
      return std::log(point.efficiency);
    weights += 1 / distance;
    sum += std::log(point.efficiency) / distance;
  }
  return sum / weights;
}

double Device::efficiency(Precision precision, double m, double n,
                          double k) const {
  double below = 0, above = std::numeric_limits<double>::infinity();
  for (const EfficiencyPoint &point : contraction) {
    if (point.precision != precision)
      continue;
    if (point.m <= m)
      below = std::max(below, point.m);
    if (point.m >= m)
      above = std::min(above, point.m);
  }
  bool hasBelow = below > 0, hasAbove = std::isfinite(above);
  if (!hasBelow && !hasAbove)
    return 1;
  double low = hasBelow ? below : above, high = hasAbove ? above : below;
  double first = logEfficiency(contraction, precision, low, n, k);
  if (low == high)
    return std::exp(first);
  double second = logEfficiency(contraction, precision, high, n, k);
  return std::exp(first +
                  std::log(m / low) / std::log(high / low) * (second - first));
}

double Device::memoryRate(double footprint) const {
  if (memory.empty())
    return bytesPerSecond;
  const MemoryPoint *below = nullptr, *above = nullptr;
  for (const MemoryPoint &point : memory) {
    if (point.footprint <= footprint &&
        (!below || point.footprint > below->footprint))
      below = &point;
    if (point.footprint >= footprint &&
        (!above || point.footprint < above->footprint))
      above = &point;
  }
  if (!below || !above || below->footprint == above->footprint)
    return (below ? below : above)->bytesPerSecond;
  double part = std::log(footprint / below->footprint) /
                std::log(above->footprint / below->footprint);
  return below->bytesPerSecond +
         part * (above->bytesPerSecond - below->bytesPerSecond);
}

double Link::share(int64_t flows) const {
  if (sharedLinks == 0 || flows <= sharedLinks)
    return bytesPerSecond;
  return bytesPerSecond * double(sharedLinks) / double(flows);
}

int64_t Cluster::deviceCount() const {
  int64_t count = 0;
  for (const ClusterNode &node : nodes)
    count += node.devices.size();
  return count;
}

int64_t Cluster::nodeOf(int64_t device) const {
  int64_t index = 0;
  while (device >= int64_t(nodes[index].devices.size()))
    device -= nodes[index++].devices.size();
  return index;
}
