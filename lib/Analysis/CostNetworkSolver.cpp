//===- CostNetworkSolver.cpp - bucket elimination -------------------------===//
#include "takt/Analysis/CostNetwork.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

using namespace takt;

namespace {

using Scope = llvm::SmallVector<int, 4>; // node ids, ascending

/// A cost for each combination of choices of the nodes in scope, row-major.
struct Table {
  Scope scope;
  std::vector<Cost> costs;
};

/// An eliminated node: its best choice for each combination of the scope.
struct Bucket {
  int node;
  Scope scope;
  std::vector<int> best;
};

/// Nodes that are still open, the tables over them, and for each node its
/// tables and the open nodes that share one with it.
struct Residual {
  std::vector<Table> tables; // used up ones are empty
  std::set<int> open;
  std::vector<std::vector<int>> tablesOf;
  std::vector<std::set<int>> adjacent;

  void add(Table table) {
    for (int node : table.scope) {
      tablesOf[node].push_back(tables.size());
      adjacent[node].insert(table.scope.begin(), table.scope.end());
      adjacent[node].erase(node);
    }
    tables.push_back(std::move(table));
  }

  void close(int node) {
    for (int other : adjacent[node])
      adjacent[other].erase(node);
    adjacent[node].clear();
    open.erase(node);
  }
};

class Solver {
public:
  Solver(const CostNetwork &network, const CostNetworkOptions &options)
      : network(network), options(options), current(network.nodes.size(), 0) {}

  CostNetworkSolution run() {
    Residual residual;
    residual.tablesOf.resize(network.nodes.size());
    residual.adjacent.resize(network.nodes.size());
    for (auto [id, costs] : llvm::enumerate(network.nodes)) {
      residual.open.insert(id);
      residual.add({{int(id)}, costs});
    }
    for (const CostNetwork::Edge &edge : network.edges)
      residual.add(toTable(edge));
    solveResidual(std::move(residual));
    return std::move(best);
  }

private:
  int64_t choices(int node) const { return network.nodes[node].size(); }

  Table toTable(const CostNetwork::Edge &edge) const {
    if (edge.from < edge.to)
      return {{edge.from, edge.to}, edge.costs};
    Table table{{edge.to, edge.from}, std::vector<Cost>(edge.costs.size())};
    int64_t rows = choices(edge.to), columns = choices(edge.from);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        table.costs[row * columns + column] = edge.costs[column * rows + row];
    return table;
  }

  /// The entry of \p table for the choices in `current`.
  Cost lookup(const Table &table) const {
    return table.costs[offset(table.scope)];
  }
  int64_t offset(const Scope &scope) const {
    int64_t result = 0;
    for (int node : scope)
      result = result * choices(node) + current[node];
    return result;
  }

  /// Steps `current` over \p scope like a counter; false after the last.
  bool next(const Scope &scope) {
    for (int node : llvm::reverse(scope)) {
      if (++current[node] < choices(node))
        return true;
      current[node] = 0;
    }
    return false;
  }

  int64_t tableSize(const Residual &residual, int node) const;
  int busiestNode(const Residual &residual) const;
  Bucket eliminate(Residual &residual, int node);
  void condition(Residual &residual, int node, int choice) const;
  Cost lowerBound(const Residual &residual) const;
  void branch(const Residual &residual);
  void solveResidual(Residual residual);
  void finish(Cost cost);

  const CostNetwork &network;
  const CostNetworkOptions &options;
  std::vector<int> current;    // choices; those of closed nodes are fixed
  std::vector<Bucket> buckets; // of the current branch
  std::vector<std::pair<int, int>> fixed; // by branching, with choice
  int64_t branches = 0;
  CostNetworkSolution best;
};
} // namespace

/// Entries of the table that the elimination of an open node needs; some number
/// above the limit where it is too large.
int64_t Solver::tableSize(const Residual &residual, int node) const {
  int64_t size = choices(node);
  for (int other : residual.adjacent[node])
    if (size <= options.tableLimit)
      size *= choices(other);
  return size;
}

int Solver::busiestNode(const Residual &residual) const {
  return *std::max_element(
      residual.open.begin(), residual.open.end(), [&](int a, int b) {
        return residual.adjacent[a].size() < residual.adjacent[b].size();
      });
}

/// Replaces the tables that mention \p node by their minimum over its choices.
Bucket Solver::eliminate(Residual &residual, int node) {
  const std::set<int> &around = residual.adjacent[node];
  Bucket bucket{node, Scope(around.begin(), around.end()), {}};
  std::vector<Table> mine;
  for (int id : residual.tablesOf[node])
    if (!residual.tables[id].costs.empty())
      mine.push_back(std::exchange(residual.tables[id], {}));
  Table result{bucket.scope, {}};
  for (int other : bucket.scope)
    current[other] = 0;
  do {
    Cost least = infiniteCost;
    int argument = 0;
    for (current[node] = 0; current[node] < choices(node); ++current[node]) {
      Cost cost = 0;
      for (const Table &table : mine)
        cost = addCosts(cost, lookup(table));
      if (cost < least) {
        least = cost;
        argument = current[node];
      }
    }
    result.costs.push_back(least);
    bucket.best.push_back(argument);
  } while (next(bucket.scope));
  residual.close(node);
  residual.add(std::move(result));
  return bucket;
}

/// Keeps only the entries in which \p node takes \p choice.
void Solver::condition(Residual &residual, int node, int choice) const {
  for (int id : residual.tablesOf[node]) {
    Table &table = residual.tables[id];
    if (table.costs.empty())
      continue;
    auto it = llvm::find(table.scope, node);
    int64_t inner = 1;
    for (auto after = it + 1; after != table.scope.end(); ++after)
      inner *= choices(*after);
    std::vector<Cost> kept;
    int64_t stride = inner * choices(node);
    for (size_t begin = 0; begin < table.costs.size(); begin += stride) {
      auto row = table.costs.begin() + begin + inner * choice;
      kept.insert(kept.end(), row, row + inner);
    }
    table.costs = std::move(kept);
    table.scope.erase(it);
  }
  residual.close(node);
}

/// Each table at its least entry, regardless of the others.
Cost Solver::lowerBound(const Residual &residual) const {
  Cost bound = 0;
  for (const Table &table : residual.tables)
    if (!table.costs.empty())
      bound = addCosts(
          bound, *std::min_element(table.costs.begin(), table.costs.end()));
  return bound;
}

void Solver::branch(const Residual &residual) {
  int node = busiestNode(residual);
  std::vector<std::tuple<Cost, int, Residual>> parts;
  for (int choice = 0; choice < choices(node); ++choice) {
    Residual part = residual;
    condition(part, node, choice);
    Cost bound = lowerBound(part);
    parts.emplace_back(bound, choice, std::move(part));
  }
  llvm::sort(parts, [](const auto &a, const auto &b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) <
           std::tie(std::get<0>(b), std::get<1>(b));
  });
  for (auto &[bound, choice, part] : parts) {
    if (bound >= best.cost)
      break;
    // A first answer is worth many more branches than a better one.
    int64_t limit = options.branchLimit;
    if (branches >= (best.choices.empty() ? 50 * limit : limit)) {
      best.proven = false;
      break;
    }
    ++branches;
    fixed.push_back({node, choice});
    solveResidual(std::move(part));
    fixed.pop_back();
  }
}

void Solver::solveResidual(Residual residual) {
  size_t depth = buckets.size();
  // Open nodes by the size of their table, which only an elimination next to
  // them changes.
  std::set<std::pair<int64_t, int>> queue;
  std::map<int, int64_t> sizes;
  auto place = [&](int node) {
    int64_t size = tableSize(residual, node);
    sizes[node] = size;
    queue.insert({size, node});
  };
  for (int node : residual.open)
    place(node);
  while (!residual.open.empty()) {
    auto [size, node] = *queue.begin();
    if (size > options.tableLimit) {
      branch(residual);
      buckets.resize(depth);
      return;
    }
    queue.erase(queue.begin());
    buckets.push_back(eliminate(residual, node));
    for (int other : buckets.back().scope) {
      queue.erase({sizes[other], other});
      place(other);
    }
  }
  finish(lowerBound(residual));
  buckets.resize(depth);
}

/// All nodes are closed: reads the choices back, last eliminated first.
void Solver::finish(Cost cost) {
  if (cost >= best.cost)
    return;
  for (auto [node, choice] : fixed)
    current[node] = choice;
  for (const Bucket &bucket : llvm::reverse(buckets))
    current[bucket.node] = bucket.best[offset(bucket.scope)];
  best.cost = cost;
  best.choices = current;
}

CostNetworkSolution takt::solve(const CostNetwork &network,
                                const CostNetworkOptions &options) {
  return Solver(network, options).run();
}
