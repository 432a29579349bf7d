//===- Cluster.h - the hardware and what work costs on it -----------------===//
#ifndef TAKT_ANALYSIS_CLUSTER_H
#define TAKT_ANALYSIS_CLUSTER_H

#include "takt/Analysis/Cost.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include "takt.pb.h"

namespace takt {

/// One CPU core per device: 150 GFLOP/s, 12 GB/s and 8 GiB each, 1 us per
/// dispatch; links of 2 us and 8 GB/s.
proto::Cluster defaultCluster(int32_t deviceCount);

/// Reads JSON. Unknown or repeated fields, and numbers that are missing, not
/// finite or out of range are errors that name the field. A cluster of one
/// device may leave out `link`. \p what names the text in messages.
llvm::Expected<proto::Cluster> parseCluster(llvm::StringRef json,
                                            llvm::StringRef what);
llvm::Expected<proto::Cluster> loadCluster(llvm::StringRef path);
/// The range checks alone.
llvm::Error checkCluster(const proto::Cluster &cluster, llvm::StringRef what);

/// Times on a cluster, in picoseconds. Sizes are bytes; `ways` ranks take part.
/// With a = link alpha and b = link rate, ring algorithms.
class CostModel {
public:
  /// The cluster must pass checkCluster.
  explicit CostModel(const proto::Cluster &cluster) : cluster(cluster) {}

  /// launch + max(flops / peak, bytes / memory rate).
  Cost roofline(double flops, double bytes) const;
  /// bytes / memory rate.
  Cost memoryTime(double bytes) const;
  /// 2 (n-1) a + 2 (n-1)/n B/b.
  Cost allReduce(double bytes, int64_t ways) const;
  /// (n-1) a + (n-1)/n B/b, B the size of the gathered tensor.
  Cost allGather(double bytes, int64_t ways) const;
  /// As allGather, B the size of the tensor before it is scattered.
  Cost reduceScatter(double bytes, int64_t ways) const;
  /// a + B/b.
  Cost send(double bytes) const;

private:
  proto::Cluster cluster;
};

/// Rounded to picoseconds; infiniteCost beyond the range and for NaN.
Cost toPicoseconds(double seconds);

} // namespace takt

#endif // TAKT_ANALYSIS_CLUSTER_H
