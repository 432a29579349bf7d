//===- ClusterReport.cpp - the catalogue and cluster files, in words ------===//
#include "takt/Pipeline/ClusterReport.h"

#include "TextOutput.h"

#include "takt/Analysis/Cluster.h"
#include "takt/Analysis/ClusterCatalogue.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <google/protobuf/util/json_util.h>

using namespace takt;

using llvm::raw_ostream;

static void printRow(raw_ostream &os, const proto::DeviceKind &kind) {
  const proto::Rates &rates = kind.flops_per_second();
  os << llvm::format("%-15s %7.1f GB %7.0f GB/s ", kind.name().c_str(),
                     kind.memory_bytes() * 1e-9,
                     kind.bytes_per_second() * 1e-9);
  for (auto [isSet, rate] : {std::pair(rates.has_f32(), rates.f32()),
                             std::pair(rates.has_tf32(), rates.tf32()),
                             std::pair(rates.has_f16(), rates.f16()),
                             std::pair(rates.has_bf16(), rates.bf16()),
                             std::pair(rates.has_int8(), rates.int8())})
    if (isSet)
      os << llvm::format(" %7.2f", rate * 1e-12);
    else
      os << "       -";
  os << "\n";
}

static void printRow(raw_ostream &os, const proto::LinkKind &kind) {
  double efficiency = kind.has_efficiency() ? kind.efficiency() : 1;
  os << llvm::format("%-15s %7.1f us %7.1f GB/s   %3.0f %%\n",
                     kind.name().c_str(), kind.alpha_seconds() * 1e6,
                     kind.bytes_per_second() * 1e-9, efficiency * 100);
}

static constexpr llvm::StringLiteral deviceHead =
    "device           memory     its rate      f32    tf32     f16    bf16  "
    "  int8 TFLOP/s\n";
static constexpr llvm::StringLiteral linkHead =
    "link             message         rate  reached\n";

static CompileStatus printMessage(const google::protobuf::Message &message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  std::string text;
  auto status =
      google::protobuf::util::MessageToJsonString(message, &text, options);
  if (!status.ok())
    return CompileStatus::Internal;
  return writeText("-", [&](raw_ostream &os) { os << text; });
}

static CompileStatus reportCatalogue() {
  return writeText("-", [](raw_ostream &os) {
    os << deviceHead;
    for (const proto::DeviceKind &kind : clusterCatalogue().device_kinds())
      printRow(os, kind);
    os << "\n" << linkHead;
    for (const proto::LinkKind &kind : clusterCatalogue().link_kinds())
      printRow(os, kind);
  });
}

template <class Kind>
static CompileStatus reportKind(const Kind &kind, llvm::StringRef head,
                                bool json) {
  if (json)
    return printMessage(kind);
  return writeText("-", [&](raw_ostream &os) {
    os << head;
    printRow(os, kind);
    os << "source          " << kind.source() << "\n";
  });
}

static void printLink(raw_ostream &os, llvm::StringRef name, const Link &link) {
  if (link.bytesPerSecond == 0)
    return;
  os << llvm::format("%-15s %7.1f us %7.1f GB/s   ", name.str().c_str(),
                     link.alphaSeconds * 1e6, link.bytesPerSecond * 1e-9);
  if (link.sharedLinks == 0)
    os << "one per device\n";
  else
    os << link.sharedLinks << " shared\n";
}

static std::string counted(int64_t count, llvm::StringRef thing) {
  return (llvm::Twine(count) + " " + thing + (count == 1 ? "" : "s")).str();
}

/// `8 x h100-sxm`, and more kinds after commas.
static std::string devicesText(const Cluster &cluster,
                               llvm::ArrayRef<int> devices) {
  std::string text;
  while (!devices.empty()) {
    int kind = devices.front();
    size_t count = 0;
    while (count < devices.size() && devices[count] == kind)
      ++count;
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " x " +
            cluster.devices[kind].kind;
    devices = devices.drop_front(count);
  }
  return text;
}

/// Nodes in a row that have the same devices are described by the first.
static void printNodes(raw_ostream &os, const Cluster &cluster) {
  llvm::ArrayRef<ClusterNode> nodes = cluster.nodes;
  while (!nodes.empty()) {
    const ClusterNode &node = nodes.front();
    size_t count = 0;
    while (count < nodes.size() && nodes[count].devices == node.devices)
      ++count;
    os << llvm::format("%-15s ", count > 1 ? "nodes" : "node") << count
       << " of " << devicesText(cluster, node.devices) << "\n";
    printLink(os, "  link", node.link);
    printLink(os, "  uplink", node.uplink);
    nodes = nodes.drop_front(count);
  }
}

static CompileStatus reportFile(const std::string &path, bool json) {
  llvm::Expected<Cluster> cluster = loadCluster(path);
  if (!cluster) {
    llvm::errs() << "error: " << llvm::toString(cluster.takeError()) << "\n";
    return CompileStatus::BadInput;
  }
  return writeText("-", [&](raw_ostream &os) {
    if (json) {
      os << llvm::formatv("{0:2}\n",
                          llvm::json::Value(llvm::json::Object{
                              {"name", cluster->name},
                              {"nodes", int64_t(cluster->nodes.size())},
                              {"devices", cluster->deviceCount()}}));
      return;
    }
    os << llvm::format("%-15s ", cluster->name.c_str())
       << counted(cluster->deviceCount(), "device") << " in "
       << counted(int64_t(cluster->nodes.size()), "node") << "\n";
    printNodes(os, *cluster);
    for (const ClusterLevel &level : cluster->levels) {
      os << llvm::format("%-15s ", level.name.c_str()) << "of " << level.count
         << " units\n";
      printLink(os, "  uplink", level.uplink);
    }
  });
}

CompileStatus takt::reportCluster(const ClusterOptions &options) {
  if (options.subject.empty())
    return options.json ? printMessage(clusterCatalogue()) : reportCatalogue();
  if (const proto::DeviceKind *kind = findCatalogueDevice(options.subject))
    return reportKind(*kind, deviceHead, options.json);
  if (const proto::LinkKind *kind = findCatalogueLink(options.subject))
    return reportKind(*kind, linkHead, options.json);
  if (!llvm::sys::fs::exists(options.subject)) {
    llvm::errs()
        << "error: '" << options.subject
        << "' is neither in the catalogue nor a file; see takt cluster "
           "--list\n";
    return CompileStatus::BadInput;
  }
  return reportFile(options.subject, options.json);
}
