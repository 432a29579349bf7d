//===- CostModel.cpp - what work and messages cost on a cluster -----------===//
#include "takt/Analysis/CostModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace takt;

Cost takt::toPicoseconds(double seconds) {
  double picoseconds = seconds * 1e12;
  // 2^63 is exact in a double; NaN compares false.
  if (!(picoseconds < 9223372036854775808.0))
    return infiniteCost;
  return std::llround(picoseconds);
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

double CostModel::memoryBytes() const {
  double least = std::numeric_limits<double>::infinity();
  for (const Device &device : cluster.devices)
    least = std::min(least, device.memoryBytes);
  return least;
}

Cost CostModel::roofline(double flops, double bytes,
                         Precision precision) const {
  double seconds = 0;
  for (const Device &device : cluster.devices)
    seconds = std::max(seconds, device.launchSeconds +
                                    std::max(flops / device.rate(precision),
                                             bytes / device.bytesPerSecond));
  return toPicoseconds(seconds);
}

Cost CostModel::contraction(const ContractionShape &shape, double bytes,
                            Precision precision) const {
  double flops = 2 * shape.batch * shape.m * shape.n * shape.k;
  double seconds = 0;
  for (const Device &device : cluster.devices) {
    double rate = device.rate(precision) *
                  device.efficiency(precision, shape.m, shape.n, shape.k);
    seconds = std::max(
        seconds, device.launchSeconds +
                     std::max(flops / rate, bytes / device.bytesPerSecond));
  }
  return toPicoseconds(seconds);
}

Cost CostModel::memoryTime(double bytes) const {
  double seconds = 0;
  for (const Device &device : cluster.devices)
    seconds = std::max(seconds, bytes / device.bytesPerSecond);
  return toPicoseconds(seconds);
}

Cost CostModel::memoryTime(double bytes, double footprint) const {
  double seconds = 0;
  for (const Device &device : cluster.devices)
    seconds = std::max(seconds, bytes / device.memoryRate(footprint));
  return toPicoseconds(seconds);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// The link that takes a message of some size longest, by its rate; of equal
/// rates, the one of larger alpha.
static const Link &slower(const Link &a, const Link &b) {
  if (a.bytesPerSecond != b.bytesPerSecond)
    return a.bytesPerSecond < b.bytesPerSecond ? a : b;
  return a.alphaSeconds > b.alphaSeconds ? a : b;
}

RankGroup CostModel::groupOf(int64_t ways) const {
  const ClusterNode &first = cluster.nodes.front();
  int64_t devices = first.devices.size();
  Link link = first.link, uplink = first.uplink;
  for (const ClusterNode &node : cluster.nodes) {
    devices = std::min<int64_t>(devices, node.devices.size());
    link = slower(link, node.link);
    uplink = slower(uplink, node.uplink);
  }
  // Where there are more ranks than devices, they share them.
  int64_t room = devices * llvm::divideCeil(ways, cluster.deviceCount());
  int64_t rest = llvm::divideCeil(ways, room);
  int64_t inner = llvm::divideCeil(ways, rest);
  RankGroup group;
  int64_t groups = std::max<int64_t>(room / inner, 1);
  group.levels.push_back({inner, link, groups});
  for (auto [i, level] : llvm::enumerate(cluster.levels)) {
    int64_t units = llvm::divideCeil(rest, level.count);
    int64_t extent = llvm::divideCeil(rest, units);
    group.levels.push_back({extent, uplink, groups});
    groups *= std::max<int64_t>(level.count / extent, 1);
    uplink = level.uplink;
    rest = units;
  }
  group.levels.push_back({rest, uplink, groups});
  return group;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

Cost CostModel::allReduce(double bytes, const RankGroup &group) const {
  return toPicoseconds(allReduceSeconds(group, bytes));
}

Cost CostModel::allGather(double bytes, const RankGroup &group) const {
  return toPicoseconds(allGatherSeconds(group, bytes));
}

Cost CostModel::reduceScatter(double bytes, const RankGroup &group) const {
  return allGather(bytes, group);
}

Cost CostModel::allToAll(double bytes, const RankGroup &group) const {
  return toPicoseconds(allToAllSeconds(group, bytes));
}

Cost CostModel::allReduce(double bytes, int64_t ways) const {
  return allReduce(bytes, groupOf(ways));
}

Cost CostModel::allGather(double bytes, int64_t ways) const {
  return allGather(bytes, groupOf(ways));
}

Cost CostModel::reduceScatter(double bytes, int64_t ways) const {
  return reduceScatter(bytes, groupOf(ways));
}

Cost CostModel::allToAll(double bytes, int64_t ways) const {
  return allToAll(bytes, groupOf(ways));
}

size_t CostModel::levelBetween(int64_t sourceNode, int64_t targetNode) const {
  if (sourceNode == targetNode)
    return 0;
  size_t level = 1;
  for (const ClusterLevel &units : cluster.levels) {
    sourceNode /= units.count;
    targetNode /= units.count;
    if (sourceNode == targetNode)
      break;
    ++level;
  }
  return level;
}

Cost CostModel::send(double bytes, int64_t source, int64_t target,
                     int64_t flows) const {
  if (source == target)
    return 0;
  int64_t nodes[] = {cluster.nodeOf(source), cluster.nodeOf(target)};
  size_t level = levelBetween(nodes[0], nodes[1]);
  double alpha = 0, rate = std::numeric_limits<double>::infinity();
  for (int64_t node : nodes)
    for (size_t i = std::min<size_t>(level, 1); i <= level; ++i) {
      const Link &link = i == 0   ? cluster.nodes[node].link
                         : i == 1 ? cluster.nodes[node].uplink
                                  : cluster.levels[i - 2].uplink;
      rate = std::min(rate, link.share(flows));
      if (i == level)
        alpha = std::max(alpha, link.alphaSeconds);
    }
  return toPicoseconds(alpha + bytes / rate);
}

Cost CostModel::send(double bytes) const {
  int64_t last = cluster.deviceCount() - 1;
  if (last > 0)
    return send(bytes, 0, last);
  // Several ranks on the only device.
  const Link &link = cluster.nodes.front().link;
  return toPicoseconds(link.alphaSeconds + bytes / link.bytesPerSecond);
}
