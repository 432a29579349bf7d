//===- ClusterReader.cpp - from the message to plain structs --------------===//
#include "ClusterKinds.h"

#include "takt/Analysis/ClusterCatalogue.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace takt;

/// As many as Takt's bundles may have ranks.
static constexpr int64_t deviceLimit = 65536;

namespace {
/// Makes the plain structs from the message, with errors that name fields.
class ClusterReader {
public:
  explicit ClusterReader(const proto::Cluster &file) : file(file) {}

  llvm::Expected<Cluster> read();

private:
  llvm::Error checkKinds();
  llvm::Error connectNode(const proto::Node &node, const std::string &path,
                          ClusterNode &result);
  llvm::Error readNode(const proto::Node &node, const std::string &path);
  llvm::Error readLevels();
  llvm::Error addDevices(const proto::NodeDevices &devices,
                         const std::string &path, ClusterNode &node);
  llvm::Error connect(const proto::Connection &connection,
                      const std::string &path, Link &link);
  llvm::Expected<Device> findDevice(llvm::StringRef name,
                                    const std::string &path);
  llvm::Expected<Link> findLink(llvm::StringRef name, const std::string &path);
  llvm::Expected<int> deviceKind(llvm::StringRef name, const std::string &path);

  const proto::Cluster &file;
  Cluster cluster;
  llvm::StringMap<int> kinds; // indices of cluster.devices
};
} // namespace

static std::string indexed(llvm::StringRef list, size_t index) {
  return (list + "[" + llvm::Twine(index) + "]").str();
}

static llvm::Error checkCount(const std::string &path, bool isSet,
                              int64_t count) {
  if (!isSet || (count >= 1 && count <= deviceLimit))
    return llvm::Error::success();
  return fieldError(path, "is " + llvm::Twine(count) + "; expected 1 to " +
                              llvm::Twine(deviceLimit));
}

/// Each kind has a name of its own.
template <class Kinds>
static llvm::Error checkNames(const Kinds &kinds, llvm::StringRef list) {
  llvm::StringMap<size_t> seen;
  for (auto [i, kind] : llvm::enumerate(kinds)) {
    if (kind.name().empty())
      return fieldError(indexed(list, i) + ".name",
                        "is missing; nodes refer to a kind by its name");
    auto [it, isNew] = seen.insert({kind.name(), i});
    if (!isNew)
      return fieldError(indexed(list, i) + ".name",
                        "is '" + kind.name() + "' like that of " +
                            indexed(list, it->second) + "; rename one");
  }
  return llvm::Error::success();
}

/// The figures of a kind, and where they stand: the file's own with gaps filled
/// by what it is like, or the catalogue's.
template <class Kind, class Kinds, class Find>
static llvm::Expected<std::pair<Kind, std::string>>
findKind(llvm::StringRef name, const std::string &path, const Kinds &own,
         llvm::StringRef list, Find find) {
  for (auto [i, entry] : llvm::enumerate(own)) {
    if (entry.name() != name)
      continue;
    Kind kind = entry;
    std::string place = indexed(list, i);
    const Kind *base = find(entry.like());
    if (base)
      fillGaps(kind, *base);
    else if (!entry.like().empty())
      return fieldError(place + ".like",
                        "is '" + entry.like() +
                            "', which the catalogue does not have; see takt "
                            "cluster --list");
    return std::make_pair(kind, place);
  }
  if (const Kind *kind = find(name))
    return std::make_pair(*kind, "catalogue entry '" + name.str() + "'");
  if (name.empty())
    return fieldError(path, "is missing; name a kind of " + list +
                                " or of the catalogue (takt cluster --list)");
  return fieldError(path, "is '" + name + "', which neither " + list +
                              " nor the catalogue has; see takt cluster "
                              "--list");
}

llvm::Expected<Device> ClusterReader::findDevice(llvm::StringRef name,
                                                 const std::string &path) {
  auto kind = findKind<proto::DeviceKind>(name, path, file.device_kinds(),
                                          "deviceKinds", findCatalogueDevice);
  if (!kind)
    return kind.takeError();
  return readDevice(kind->first, kind->second);
}

llvm::Expected<Link> ClusterReader::findLink(llvm::StringRef name,
                                             const std::string &path) {
  auto kind = findKind<proto::LinkKind>(name, path, file.link_kinds(),
                                        "linkKinds", findCatalogueLink);
  if (!kind)
    return kind.takeError();
  return readLink(kind->first, kind->second);
}

/// Those that no node uses too: whoever writes one means it.
llvm::Error ClusterReader::checkKinds() {
  if (llvm::Error error = checkNames(file.device_kinds(), "deviceKinds"))
    return error;
  for (const proto::DeviceKind &kind : file.device_kinds())
    if (auto device = findDevice(kind.name(), ""); !device)
      return device.takeError();
  if (llvm::Error error = checkNames(file.link_kinds(), "linkKinds"))
    return error;
  for (const proto::LinkKind &kind : file.link_kinds())
    if (auto link = findLink(kind.name(), ""); !link)
      return link.takeError();
  return llvm::Error::success();
}

llvm::Expected<int> ClusterReader::deviceKind(llvm::StringRef name,
                                              const std::string &path) {
  if (auto it = kinds.find(name); it != kinds.end())
    return it->second;
  llvm::Expected<Device> device = findDevice(name, path);
  if (!device)
    return device.takeError();
  cluster.devices.push_back(std::move(*device));
  int index = int(cluster.devices.size()) - 1;
  kinds[name] = index;
  return index;
}

llvm::Error ClusterReader::connect(const proto::Connection &connection,
                                   const std::string &path, Link &link) {
  llvm::Expected<Link> figures = findLink(connection.kind(), path + ".kind");
  if (!figures)
    return figures.takeError();
  if (llvm::Error error =
          checkCount(path + ".sharedLinks", connection.has_shared_links(),
                     connection.shared_links()))
    return error;
  link = *figures;
  link.sharedLinks = connection.shared_links();
  return llvm::Error::success();
}

llvm::Error ClusterReader::addDevices(const proto::NodeDevices &devices,
                                      const std::string &path,
                                      ClusterNode &node) {
  if (llvm::Error error =
          checkCount(path + ".count", devices.has_count(), devices.count()))
    return error;
  llvm::Expected<int> kind = deviceKind(devices.kind(), path + ".kind");
  if (!kind)
    return kind.takeError();
  node.devices.insert(node.devices.end(),
                      devices.has_count() ? devices.count() : 1, *kind);
  return llvm::Error::success();
}

llvm::Error ClusterReader::connectNode(const proto::Node &node,
                                       const std::string &path,
                                       ClusterNode &result) {
  // Ranks that share the only device of a node exchange through its memory.
  proto::Connection link = node.link();
  if (!node.has_link() && result.devices.size() == 1)
    link.set_kind("shared-memory");
  else if (!node.has_link())
    return fieldError(path + ".link", "is missing; the node's " +
                                          llvm::Twine(result.devices.size()) +
                                          " devices need one between them");
  if (llvm::Error error = connect(link, path + ".link", result.link))
    return error;
  if (node.has_uplink())
    return connect(node.uplink(), path + ".uplink", result.uplink);
  if (file.nodes_size() == 1 && node.count() <= 1)
    return llvm::Error::success();
  return fieldError(path + ".uplink",
                    "is missing; a cluster of several nodes needs one");
}

llvm::Error ClusterReader::readNode(const proto::Node &node,
                                    const std::string &path) {
  ClusterNode result;
  if (llvm::Error error =
          checkCount(path + ".count", node.has_count(), node.count()))
    return error;
  if (node.devices().empty())
    return fieldError(path + ".devices",
                      "is missing; a node has at least one device");
  for (auto [i, devices] : llvm::enumerate(node.devices()))
    if (llvm::Error error =
            addDevices(devices, indexed(path + ".devices", i), result))
      return error;
  if (llvm::Error error = connectNode(node, path, result))
    return error;
  int64_t count = node.has_count() ? node.count() : 1;
  int64_t total =
      cluster.deviceCount() + count * int64_t(result.devices.size());
  if (total > deviceLimit)
    return fieldError(path, "makes " + llvm::Twine(total) +
                                " devices; expected at most " +
                                llvm::Twine(deviceLimit));
  cluster.nodes.insert(cluster.nodes.end(), count, result);
  return llvm::Error::success();
}

llvm::Error ClusterReader::readLevels() {
  for (auto [i, level] : llvm::enumerate(file.levels())) {
    std::string path = indexed("levels", i);
    if (!level.has_count())
      return fieldError(path + ".count",
                        "is missing; it says how many units of the level below "
                        "are in one");
    if (llvm::Error error = checkCount(path + ".count", true, level.count()))
      return error;
    if (!level.has_uplink())
      return fieldError(path + ".uplink",
                        "is missing; it joins the units of this level");
    ClusterLevel result;
    result.name = level.name();
    result.count = level.count();
    if (llvm::Error error =
            connect(level.uplink(), path + ".uplink", result.uplink))
      return error;
    cluster.levels.push_back(std::move(result));
  }
  return llvm::Error::success();
}

llvm::Expected<Cluster> ClusterReader::read() {
  cluster.name = file.name();
  if (llvm::Error error = checkKinds())
    return std::move(error);
  if (file.nodes().empty())
    return fieldError("nodes", "is missing; a cluster has at least one node");
  for (auto [i, node] : llvm::enumerate(file.nodes()))
    if (llvm::Error error = readNode(node, indexed("nodes", i)))
      return std::move(error);
  if (llvm::Error error = readLevels())
    return std::move(error);
  return std::move(cluster);
}

llvm::Expected<Cluster> takt::readCluster(const proto::Cluster &file) {
  return ClusterReader(file).read();
}
