//===- ClusterReport.h - the catalogue and cluster files, in words --------===//
#ifndef TAKT_PIPELINE_CLUSTERREPORT_H
#define TAKT_PIPELINE_CLUSTERREPORT_H

#include "takt/Pipeline/Compile.h"

namespace takt {

struct ClusterOptions {
  /// An entry of the catalogue, or a cluster file; empty for the whole
  /// catalogue.
  std::string subject;
  bool json = false;
};

/// Prints the catalogue, one of its entries, or what a cluster file describes.
CompileStatus reportCluster(const ClusterOptions &options);

} // namespace takt

#endif
