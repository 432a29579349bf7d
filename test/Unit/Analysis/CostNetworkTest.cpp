#include "takt/Analysis/CostNetwork.h"

#include "gtest/gtest.h"

#include <random>

using namespace takt;

namespace {

Cost bruteForce(const CostNetwork &network) {
  std::vector<int> choices(network.nodes.size(), 0);
  Cost best = infiniteCost;
  while (true) {
    best = std::min(best, evaluate(network, choices));
    size_t i = 0;
    while (i < choices.size() && ++choices[i] == int(network.nodes[i].size()))
      choices[i++] = 0;
    if (i == choices.size())
      return best;
  }
}

CostNetwork randomNetwork(std::mt19937 &random, int nodes, int density) {
  CostNetwork network;
  auto cost = [&]() -> Cost {
    return random() % 12 == 0 ? infiniteCost : Cost(random() % 20);
  };
  for (int i = 0; i < nodes; ++i) {
    std::vector<Cost> costs(1 + random() % 3);
    for (Cost &entry : costs)
      entry = cost();
    network.addNode(costs);
  }
  for (int a = 0; a < nodes; ++a)
    for (int b = 0; b < nodes; ++b) {
      if (a == b || int(random() % 100) >= density)
        continue;
      std::vector<Cost> costs(network.nodes[a].size() *
                              network.nodes[b].size());
      for (Cost &entry : costs)
        entry = cost();
      network.addEdge(a, b, costs);
    }
  return network;
}

void expectOptimal(const CostNetwork &network,
                   const CostNetworkOptions &options) {
  ASSERT_FALSE(bool(network.check()));
  CostNetworkSolution solution = solve(network, options);
  ASSERT_TRUE(solution.proven);
  ASSERT_EQ(solution.cost, bruteForce(network));
  if (solution.cost == infiniteCost)
    ASSERT_TRUE(solution.choices.empty());
  else
    ASSERT_EQ(evaluate(network, solution.choices), solution.cost);
}

TEST(CostNetwork, MatchesBruteForce) {
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round)
    expectOptimal(randomNetwork(random, 1 + random() % 8, 10 + random() % 50),
                  {});
}

/// With a small table limit the solver must branch, with the same answers.
TEST(CostNetwork, BranchingMatchesBruteForce) {
  std::mt19937 random(12);
  CostNetworkOptions options;
  for (int round = 0; round < 300; ++round) {
    options.tableLimit = 1 + random() % 9;
    expectOptimal(randomNetwork(random, 2 + random() % 7, 20 + random() % 60),
                  options);
  }
}

TEST(CostNetwork, BranchLimitIsReported) {
  std::mt19937 random(5);
  CostNetwork network;
  for (int i = 0; i < 12; ++i)
    network.addNode({0, 0, 0});
  for (int a = 0; a < 12; ++a)
    for (int b = a + 1; b < 12; ++b) {
      std::vector<Cost> costs(9);
      for (Cost &entry : costs)
        entry = random() % 100;
      network.addEdge(a, b, costs);
    }
  CostNetworkSolution solution = solve(network, {9, 5});
  EXPECT_FALSE(solution.proven);
  ASSERT_EQ(solution.choices.size(), 12u);
  EXPECT_EQ(evaluate(network, solution.choices), solution.cost);
  CostNetworkSolution exact = solve(network);
  EXPECT_TRUE(exact.proven);
  EXPECT_LE(exact.cost, solution.cost);
}

TEST(CostNetwork, TiesTakeTheLowestChoice) {
  CostNetwork network;
  for (int i = 0; i < 5; ++i)
    network.addNode({3, 1, 1});
  for (int i = 0; i < 4; ++i)
    network.addEdge(i, i + 1, {0, 0, 0, 0, 2, 2, 0, 2, 2});
  EXPECT_EQ(solve(network).choices, solve(network).choices);
  CostNetwork lone;
  lone.addNode({3, 1, 1});
  EXPECT_EQ(solve(lone).choices, std::vector<int>{1});
}

TEST(CostNetwork, LongChainIsFast) {
  CostNetwork network;
  for (int i = 0; i < 3000; ++i) {
    network.addNode({i % 2 ? 5 : 0, i % 2 ? 0 : 5});
    if (i > 0)
      network.addEdge(i - 1, i, {0, 2, 2, 0});
  }
  // One choice for all costs 1500 * 5, changing at each edge 2999 * 2.
  CostNetworkSolution solution = solve(network);
  EXPECT_EQ(solution.cost, 2999 * 2);
  EXPECT_TRUE(solution.proven);
}

TEST(CostNetwork, CheckFindsFaults) {
  auto message = [](const CostNetwork &network) {
    return llvm::toString(network.check());
  };
  CostNetwork network;
  network.addNode({1});
  network.addNode({});
  EXPECT_EQ(message(network), "cost network: node 1 has no choice");
  network.nodes[1] = {-1};
  EXPECT_EQ(message(network), "cost network: node 1 has a negative cost");
  network.nodes[1] = {1, 2};
  network.addEdge(0, 1, {0});
  EXPECT_EQ(message(network), "cost network: edge 0 has 1 costs; expected 2");
  network.edges[0] = {0, 0, {0}};
  EXPECT_EQ(message(network), "cost network: edge 0 joins nodes 0 and 0 of 2");
}

} // namespace
