//===- CostModel.h - what work and messages cost on a cluster -------------===//
#ifndef TAKT_ANALYSIS_COSTMODEL_H
#define TAKT_ANALYSIS_COSTMODEL_H

#include "takt/Analysis/Cluster.h"
#include "takt/Analysis/CollectiveCost.h"
#include "takt/Analysis/Cost.h"

namespace takt {

/// `batch` products [m, k] x [k, n].
struct ContractionShape {
  double batch = 1;
  double m = 1, n = 1, k = 1;
};

/// Times on a cluster, in picoseconds; sizes are bytes. Where a rank may be on
/// any device, the slowest kind counts.
class CostModel {
public:
  explicit CostModel(Cluster cluster) : cluster(std::move(cluster)) {}

  const Cluster &getCluster() const { return cluster; }
  /// Of the device that has least.
  double memoryBytes() const;

  /// launch + max(flops / rate, bytes / memory rate).
  Cost roofline(double flops, double bytes,
                Precision precision = Precision::F32) const;
  /// As roofline, at the part of the rate that the shape reaches.
  Cost contraction(const ContractionShape &shape, double bytes,
                   Precision precision = Precision::F32) const;
  /// bytes / memory rate: main memory's, or that of a footprint.
  Cost memoryTime(double bytes) const;
  Cost memoryTime(double bytes, double footprint) const;

  /// Where consecutive ranks put a group: as few nodes as hold it, in equal
  /// parts, as few racks; the rest of each node is full of groups alike. Of
  /// nodes that differ, the one with least devices and slowest links counts.
  RankGroup groupOf(int64_t ways) const;

  /// The least over the algorithms in CollectiveCost.h. All-gather: bytes of
  /// the gathered tensor; reduce-scatter: before it is scattered; all-to-all:
  /// what one rank holds.
  Cost allReduce(double bytes, const RankGroup &group) const;
  Cost allGather(double bytes, const RankGroup &group) const;
  Cost reduceScatter(double bytes, const RankGroup &group) const;
  Cost allToAll(double bytes, const RankGroup &group) const;
  /// Over groupOf(ways).
  Cost allReduce(double bytes, int64_t ways) const;
  Cost allGather(double bytes, int64_t ways) const;
  Cost reduceScatter(double bytes, int64_t ways) const;
  Cost allToAll(double bytes, int64_t ways) const;

  /// A message between two devices while \p flows like it leave the same units:
  /// the alpha of the outermost level it crosses + B/b of the narrowest link.
  /// 0 on one device.
  Cost send(double bytes, int64_t source, int64_t target,
            int64_t flows = 1) const;
  /// Between any two devices: the farthest apart.
  Cost send(double bytes) const;

private:
  /// The outermost level that a message crosses: 0 in a node, 1 between nodes.
  size_t levelBetween(int64_t sourceNode, int64_t targetNode) const;

  Cluster cluster;
};

/// Rounded to picoseconds; infiniteCost beyond the range and for NaN.
Cost toPicoseconds(double seconds);

} // namespace takt

#endif // TAKT_ANALYSIS_COSTMODEL_H
