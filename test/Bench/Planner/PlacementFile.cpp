//===- PlacementFile.cpp - device-placement inputs ------------------------===//
#include "PlacementFile.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <map>

using namespace takt;

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

namespace {
class Reader {
public:
  explicit Reader(PlacementFile &file) : file(file) {}

  llvm::Error read(const llvm::json::Object &root);

private:
  llvm::Error readNode(const llvm::json::Object &node);
  llvm::Error readEdge(const llvm::json::Object &edge);

  PlacementFile &file;
  std::map<int64_t, int> nodeOf, colorOf;
};
} // namespace

static bool flag(const llvm::json::Object &object, llvm::StringRef key) {
  if (auto value = object.getBoolean(key))
    return *value;
  return object.getInteger(key).value_or(0) != 0;
}

llvm::Error Reader::readNode(const llvm::json::Object &node) {
  auto id = node.getInteger("id");
  auto host = node.getNumber("cpuLatency"),
       accelerator = node.getNumber("fpgaLatency"),
       bytes = node.getNumber("size");
  if (!id || !host || !accelerator || !bytes)
    return fail("a node lacks id, cpuLatency, fpgaLatency or size");
  // A node without a colour has one of its own.
  int64_t color = node.getInteger("colorClass").value_or(-1 - *id);
  int index = colorOf.try_emplace(color, int(colorOf.size())).first->second;
  if (!nodeOf.try_emplace(*id, int(file.nodes.size())).second)
    return fail("node " + llvm::Twine(*id) + " stands twice");
  file.nodes.push_back({flag(node, "supportedOnFpga"),
                        flag(node, "isBackwardNode"), *host, *accelerator,
                        *bytes, index});
  return llvm::Error::success();
}

llvm::Error Reader::readEdge(const llvm::json::Object &edge) {
  auto source = edge.getInteger("sourceId"), target = edge.getInteger("destId");
  auto cost = edge.getNumber("cost");
  if (!source || !target || !cost || !nodeOf.count(*source) ||
      !nodeOf.count(*target))
    return fail("an edge lacks a node or its cost");
  file.edges.push_back({nodeOf[*source], nodeOf[*target], *cost});
  return llvm::Error::success();
}

llvm::Error Reader::read(const llvm::json::Object &root) {
  auto limit = root.getNumber("maxSizePerFPGA");
  auto accelerators = root.getInteger("maxFPGAs"),
       hosts = root.getInteger("maxCPUs");
  const llvm::json::Array *nodes = root.getArray("nodes"),
                          *edges = root.getArray("edges");
  if (!limit || !accelerators || !hosts || !nodes || !edges)
    return fail("maxSizePerFPGA, maxFPGAs, maxCPUs, nodes or edges is missing");
  file.memoryLimit = *limit;
  file.accelerators = *accelerators;
  file.hosts = *hosts;
  for (const llvm::json::Value &node : *nodes)
    if (llvm::Error error = node.getAsObject() ? readNode(*node.getAsObject())
                                               : fail("a node is no object"))
      return error;
  for (const llvm::json::Value &edge : *edges)
    if (llvm::Error error = edge.getAsObject() ? readEdge(*edge.getAsObject())
                                               : fail("an edge is no object"))
      return error;
  file.colors = colorOf.size();
  return llvm::Error::success();
}

llvm::Expected<PlacementFile> PlacementFile::read(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return fail("cannot read '" + path + "': " + buffer.getError().message());
  llvm::Expected<llvm::json::Value> json =
      llvm::json::parse((*buffer)->getBuffer());
  if (!json)
    return json.takeError();
  PlacementFile file;
  if (!json->getAsObject())
    return fail("'" + path + "' is no object");
  if (llvm::Error error = Reader(file).read(*json->getAsObject()))
    return fail("'" + path + "': " + llvm::toString(std::move(error)));
  return file;
}

static Cost toCost(double time) { return std::llround(time * costsPerUnit); }

StageCutProblem PlacementFile::makeProblem() const {
  StageCutProblem problem;
  problem.units.assign(colors, {{0, 0}, {0, 0}});
  std::vector<bool> isBackward(colors, true);
  for (const Node &node : nodes) {
    StageCutProblem::Unit &unit = problem.units[node.color];
    Cost time = node.isSupported ? toCost(node.acceleratorTime) : infiniteCost;
    unit.times[0] = addCosts(unit.times[0], time);
    unit.times[1] = addCosts(unit.times[1], toCost(node.hostTime));
    unit.memory[0] += int64_t(std::ceil(node.bytes));
    isBackward[node.color] = isBackward[node.color] && node.isBackward;
  }
  std::map<int, StageCutProblem::Tensor> tensors;
  for (const Edge &edge : edges) {
    int source = nodes[edge.source].color, target = nodes[edge.target].color;
    auto &tensor = tensors[edge.source];
    tensor.source = source;
    tensor.transfer = toCost(edge.cost);
    tensor.isOrdered = false;
    tensor.consumers.push_back(target);
    bool isForward =
        !nodes[edge.source].isBackward && !nodes[edge.target].isBackward;
    bool isReturn = nodes[edge.source].isBackward &&
                    nodes[edge.target].isBackward &&
                    (isBackward[source] || isBackward[target]);
    if (isForward)
      problem.precedes.push_back({source, target});
    else if (isReturn)
      problem.precedes.push_back({target, source});
  }
  for (auto &[source, tensor] : tensors)
    problem.tensors.push_back(std::move(tensor));
  problem.stageOptions.assign(accelerators, 0);
  problem.stageOptions.insert(problem.stageOptions.end(), hosts, 1);
  problem.hostOptions = {1};
  problem.isAnyOrder = true;
  problem.memoryLimit = int64_t(memoryLimit);
  return problem;
}
