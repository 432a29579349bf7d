//===- Cluster.h - the hardware that a plan is made for -------------------===//
#ifndef TAKT_ANALYSIS_CLUSTER_H
#define TAKT_ANALYSIS_CLUSTER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace takt {

/// How a device computes a contraction.
enum class Precision { F32, TF32, F16, BF16, Int8 };
constexpr int precisionCount = 5;
/// `f32`, `tf32`, `f16`, `bf16`, `int8`.
llvm::StringRef precisionName(Precision precision);
std::optional<Precision> parsePrecision(llvm::StringRef name);

/// The part of the rate that a product [m, k] x [k, n] reaches.
struct EfficiencyPoint {
  Precision precision;
  double m, n, k;
  double efficiency;
};

/// Bytes per second of memory at a footprint in bytes.
struct MemoryPoint {
  double footprint;
  double bytesPerSecond;
};

struct Device {
  std::string kind;
  double memoryBytes = 0;
  std::array<double, precisionCount> flopsPerSecond = {};
  double bytesPerSecond = 0; // main memory
  double launchSeconds = 0;  // one dispatch
  std::vector<EfficiencyPoint> contraction;
  std::vector<MemoryPoint> memory;

  double rate(Precision precision) const {
    return flopsPerSecond[size_t(precision)];
  }
  /// From the measured points of the precision; 1 where there is none. Between
  /// two values of m, log efficiency is linear in log m, beyond them constant;
  /// at one, it is the mean of its points, weighted by the inverse square of
  /// their distance in log n, log k.
  double efficiency(Precision precision, double m, double n, double k) const;
  /// Between measured footprints linear in their logarithm, beyond them the
  /// nearest; bytesPerSecond where nothing was measured.
  double memoryRate(double footprint) const;
};

/// Links of one level between the devices below it.
struct Link {
  double alphaSeconds = 0; // one message, end to end
  double bytesPerSecond = 0;
  /// That many links carry all messages of the unit; 0: one per device.
  int64_t sharedLinks = 0;

  /// What one of \p flows messages of the unit gets.
  double share(int64_t flows) const;
};

struct ClusterNode {
  std::vector<int> devices; // indices of Cluster::devices
  Link link;                // between them
  Link uplink;              // to other nodes
};

/// Units of `count` units of the level below.
struct ClusterLevel {
  std::string name;
  int64_t count = 1;
  Link uplink;
};

struct Cluster {
  std::string name;
  std::vector<Device> devices; // kinds
  std::vector<ClusterNode> nodes;
  std::vector<ClusterLevel> levels;

  int64_t deviceCount() const;
  /// The node of a device, by its number in the cluster.
  int64_t nodeOf(int64_t device) const;
};

/// One node of CPU cores, each with the catalogue's `cpu-core` figures, and its
/// `shared-memory` links.
Cluster defaultCluster(int64_t deviceCount);

/// Reads a cluster file's JSON (message takt.proto.Cluster). Unknown or
/// repeated fields, kinds that neither the file nor the catalogue has, missing
/// links and numbers that are missing, not finite or out of range are errors
/// of one line that names the field's path. \p what names the text.
llvm::Expected<Cluster> parseCluster(llvm::StringRef json,
                                     llvm::StringRef what);
llvm::Expected<Cluster> loadCluster(llvm::StringRef path);

} // namespace takt

#endif // TAKT_ANALYSIS_CLUSTER_H
