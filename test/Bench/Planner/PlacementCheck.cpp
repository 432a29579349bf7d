//===- PlacementCheck.cpp - a placement judged by its definition ----------===//
// On the file's nodes and edges, in floating point, without the planner's code.
#include "PlacementFile.h"

#include <algorithm>
#include <map>
#include <set>

using namespace takt;

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

using Graph = std::vector<std::set<int>>;

/// Forward edges between colours.
static Graph forwardGraph(const PlacementFile &file) {
  Graph graph(file.colors);
  for (const PlacementFile::Edge &edge : file.edges) {
    const auto &source = file.nodes[edge.source];
    const auto &target = file.nodes[edge.target];
    if (!source.isBackward && !target.isBackward &&
        source.color != target.color)
      graph[source.color].insert(target.color);
  }
  return graph;
}

/// What can be reached from the colours of \p device through others.
static std::set<int> reachedOutside(const Graph &graph,
                                    const std::vector<int> &deviceOf,
                                    int device) {
  std::set<int> reached;
  std::vector<int> pending;
  auto follow = [&](int color) {
    for (int next : graph[color])
      if (deviceOf[next] != device && reached.insert(next).second)
        pending.push_back(next);
  };
  for (size_t color = 0; color < graph.size(); ++color)
    if (deviceOf[color] == device)
      follow(int(color));
  while (!pending.empty()) {
    int color = pending.back();
    pending.pop_back();
    follow(color);
  }
  return reached;
}

/// No path leaves a device and comes back.
static bool isContiguous(const Graph &graph, const std::vector<int> &deviceOf,
                         int device) {
  for (int color : reachedOutside(graph, deviceOf, device))
    for (int next : graph[color])
      if (deviceOf[next] == device)
        return false;
  return true;
}

static double loadOf(const PlacementFile &file,
                     const std::vector<int> &deviceOf, int device) {
  double load = 0;
  for (const PlacementFile::Node &node : file.nodes)
    if (deviceOf[node.color] == device)
      load += device == Placement::Host ? node.hostTime : node.acceleratorTime;
  if (device == Placement::Host)
    return load;
  std::map<int, double> moved; // by source node
  for (const PlacementFile::Edge &edge : file.edges) {
    bool isFrom = deviceOf[file.nodes[edge.source].color] == device;
    bool isTo = deviceOf[file.nodes[edge.target].color] == device;
    if (isFrom != isTo)
      moved[edge.source] = edge.cost;
  }
  for (auto [source, cost] : moved)
    load += cost;
  return load;
}

llvm::Expected<double> takt::evaluatePlacement(const PlacementFile &file,
                                               const Placement &placement) {
  const std::vector<int> &deviceOf = placement.deviceOf;
  Graph graph = forwardGraph(file);
  double largest = 0;
  if (int(deviceOf.size()) != file.colors)
    return fail("not every colour is placed");
  for (int device : std::set<int>(deviceOf.begin(), deviceOf.end())) {
    bool isHost = device == Placement::Host;
    if (isHost ? file.hosts < 1 : device < 0 || device >= file.accelerators)
      return fail("device " + llvm::Twine(device) + " does not exist");
    double bytes = 0;
    for (const PlacementFile::Node &node : file.nodes)
      if (deviceOf[node.color] == device) {
        bytes += node.bytes;
        if (!isHost && !node.isSupported)
          return fail("an accelerator does not support one of its nodes");
      }
    if (!isHost && bytes > file.memoryLimit)
      return fail("device " + llvm::Twine(device) + " is out of memory");
    if (!isContiguous(graph, deviceOf, device))
      return fail("device " + llvm::Twine(device) + " is not contiguous");
    largest = std::max(largest, loadOf(file, deviceOf, device));
  }
  return largest;
}
