//===- ClusterCatalogue.h - known devices and links -----------------------===//
#ifndef TAKT_ANALYSIS_CLUSTERCATALOGUE_H
#define TAKT_ANALYSIS_CLUSTERCATALOGUE_H

#include "llvm/ADT/StringRef.h"

#include "takt.pb.h"

namespace takt {

/// Devices and links by name, each with the source of its figures: the
/// `device_kinds` and `link_kinds` of lib/Analysis/Catalogue.json.
const proto::Cluster &clusterCatalogue();

/// Null where the catalogue has no such entry.
const proto::DeviceKind *findCatalogueDevice(llvm::StringRef name);
const proto::LinkKind *findCatalogueLink(llvm::StringRef name);

} // namespace takt

#endif // TAKT_ANALYSIS_CLUSTERCATALOGUE_H
