//===- ClusterCatalogue.cpp - known devices and links ---------------------===//
#include "takt/Analysis/ClusterCatalogue.h"

#include "CatalogueText.h"
#include "ClusterKinds.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

#include <google/protobuf/util/json_util.h>

using namespace takt;

static proto::Cluster readCatalogue() {
  proto::Cluster catalogue;
  auto status =
      google::protobuf::util::JsonStringToMessage(catalogueText, &catalogue);
  if (!status.ok())
    llvm::report_fatal_error(llvm::Twine("Catalogue.json: ") +
                             status.message().as_string());
  // An entry may be like one above it.
  for (int i = 0; i < catalogue.device_kinds_size(); ++i)
    for (int j = 0; j < i; ++j)
      if (catalogue.device_kinds(j).name() == catalogue.device_kinds(i).like())
        fillGaps(*catalogue.mutable_device_kinds(i), catalogue.device_kinds(j));
  return catalogue;
}

const proto::Cluster &takt::clusterCatalogue() {
  static const proto::Cluster catalogue = readCatalogue();
  return catalogue;
}

const proto::DeviceKind *takt::findCatalogueDevice(llvm::StringRef name) {
  for (const proto::DeviceKind &kind : clusterCatalogue().device_kinds())
    if (kind.name() == name)
      return &kind;
  return nullptr;
}

const proto::LinkKind *takt::findCatalogueLink(llvm::StringRef name) {
  for (const proto::LinkKind &kind : clusterCatalogue().link_kinds())
    if (kind.name() == name)
      return &kind;
  return nullptr;
}
