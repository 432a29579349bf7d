//===- CostNetwork.h - choices with pairwise costs ------------------------===//
#ifndef TAKT_ANALYSIS_COSTNETWORK_H
#define TAKT_ANALYSIS_COSTNETWORK_H

#include "takt/Analysis/Cost.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace takt {

/// Nodes with one choice each to be made, a cost for each choice, and costs for
/// pairs of choices of two nodes. Costs are >= 0; infiniteCost forbids.
struct CostNetwork {
  struct Edge {
    int from, to;
    /// Row-major: costs[choice of from][choice of to].
    std::vector<Cost> costs;
  };
  std::vector<std::vector<Cost>> nodes;
  std::vector<Edge> edges;

  int addNode(std::vector<Cost> costs);
  void addEdge(int from, int to, std::vector<Cost> costs);
  /// Ids, table sizes and signs.
  llvm::Error check() const;
};

struct CostNetworkOptions {
  /// Largest table, in entries, before the solver branches instead.
  int64_t tableLimit = int64_t(1) << 20;
  /// Branches after which the best answer so far is returned, not proven.
  int64_t branchLimit = 20000;
};

struct CostNetworkSolution {
  Cost cost = infiniteCost;
  /// Per node; empty if no allowed combination was found.
  std::vector<int> choices;
  /// The cost is the least; without choices: there is no allowed combination.
  bool proven = true;
};

/// The least sum of costs, exact, by bucket elimination in min-weight order
/// (which is PBQP's R0, R1 and R2 for nodes of degree 0, 1, 2), with
/// branch-and-bound where a table would be larger than the limit. Of equal
/// choices a node takes the lowest. The network must pass check().
CostNetworkSolution solve(const CostNetwork &network,
                          const CostNetworkOptions &options = {});

/// The cost of given choices, straight from the definition.
Cost evaluate(const CostNetwork &network, llvm::ArrayRef<int> choices);

} // namespace takt

#endif // TAKT_ANALYSIS_COSTNETWORK_H
