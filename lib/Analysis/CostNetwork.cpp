//===- CostNetwork.cpp - problem, check, evaluation -----------------------===//
#include "takt/Analysis/CostNetwork.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace takt;

int CostNetwork::addNode(std::vector<Cost> costs) {
  nodes.push_back(std::move(costs));
  return int(nodes.size()) - 1;
}

void CostNetwork::addEdge(int from, int to, std::vector<Cost> costs) {
  edges.push_back({from, to, std::move(costs)});
}

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "cost network: " + message);
}

llvm::Error CostNetwork::check() const {
  auto negative = [](Cost cost) { return cost < 0; };
  for (auto [id, costs] : llvm::enumerate(nodes)) {
    if (costs.empty())
      return fail("node " + llvm::Twine(id) + " has no choice");
    if (llvm::any_of(costs, negative))
      return fail("node " + llvm::Twine(id) + " has a negative cost");
  }
  for (auto [id, edge] : llvm::enumerate(edges)) {
    int count = nodes.size();
    if (edge.from < 0 || edge.from >= count || edge.to < 0 ||
        edge.to >= count || edge.from == edge.to)
      return fail("edge " + llvm::Twine(id) + " joins nodes " +
                  llvm::Twine(edge.from) + " and " + llvm::Twine(edge.to) +
                  " of " + llvm::Twine(count));
    size_t expected = nodes[edge.from].size() * nodes[edge.to].size();
    if (edge.costs.size() != expected)
      return fail("edge " + llvm::Twine(id) + " has " +
                  llvm::Twine(edge.costs.size()) + " costs; expected " +
                  llvm::Twine(expected));
    if (llvm::any_of(edge.costs, negative))
      return fail("edge " + llvm::Twine(id) + " has a negative cost");
  }
  return llvm::Error::success();
}

Cost takt::evaluate(const CostNetwork &network, llvm::ArrayRef<int> choices) {
  Cost cost = 0;
  for (auto [id, costs] : llvm::enumerate(network.nodes))
    cost = addCosts(cost, costs[choices[id]]);
  for (const CostNetwork::Edge &edge : network.edges)
    cost = addCosts(
        cost, edge.costs[choices[edge.from] * network.nodes[edge.to].size() +
                         choices[edge.to]]);
  return cost;
}
