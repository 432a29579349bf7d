//===- ClusterKinds.h - device and link kinds of a cluster file -----------===//
#ifndef TAKT_LIB_ANALYSIS_CLUSTERKINDS_H
#define TAKT_LIB_ANALYSIS_CLUSTERKINDS_H

#include "takt/Analysis/Cluster.h"

#include "takt.pb.h"

namespace takt {

/// Takes from \p base what \p kind leaves open; a list counts as one figure.
void fillGaps(proto::DeviceKind &kind, const proto::DeviceKind &base);
void fillGaps(proto::LinkKind &kind, const proto::LinkKind &base);

/// Checked numbers of a kind; errors name its field under \p path.
llvm::Expected<Device> readDevice(const proto::DeviceKind &kind,
                                  llvm::StringRef path);
/// `sharedLinks` is left at 0: it belongs to the place, not to the kind.
llvm::Expected<Link> readLink(const proto::LinkKind &kind,
                              llvm::StringRef path);

/// The plain structs; errors name the field's path.
llvm::Expected<Cluster> readCluster(const proto::Cluster &file);

/// An error that says what is wrong with the field at \p path.
llvm::Error fieldError(const llvm::Twine &path, const llvm::Twine &problem);

} // namespace takt

#endif
