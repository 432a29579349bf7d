#include "takt/Analysis/Fuser.h"

#include "gtest/gtest.h"

#include <random>

using namespace takt;

namespace {

/// Builds graphs node by node over a tensor [rows, columns].
struct Graph {
  std::vector<FusionNode> nodes;
  SymbolicShape full = {SizeExpr::symbol("rows"), 8};

  int add(FusionNode::Kind kind, llvm::ArrayRef<int> operands) {
    FusionNode node;
    node.kind = kind;
    node.operands.assign(operands.begin(), operands.end());
    node.space = full;
    node.isRowwise =
        kind == FusionNode::Pointwise || kind == FusionNode::RowReduction;
    node.rows = kind == FusionNode::RowReduction ? 1 : 0;
    nodes.push_back(node);
    return int(nodes.size()) - 1;
  }
  int pointwise(llvm::ArrayRef<int> operands) {
    return add(FusionNode::Pointwise, operands);
  }
  int reduction(int operand) {
    return add(FusionNode::RowReduction, {operand});
  }
  int library(llvm::ArrayRef<int> operands) {
    return add(FusionNode::Library, operands);
  }

  /// The groups' nodes, after a check by verifyGroups.
  std::vector<std::vector<int>> fuse(bool epilogues = false) {
    std::vector<FusionGroup> groups =
        takt::fuse(nodes, [&](int, int, int) { return epilogues; });
    EXPECT_EQ(llvm::toString(verifyGroups(nodes, groups)), "");
    std::vector<std::vector<int>> result;
    for (const FusionGroup &group : groups)
      result.emplace_back(group.nodes.begin(), group.nodes.end());
    return result;
  }
};

using Groups = std::vector<std::vector<int>>;

TEST(Fuser, ChainIsOneKernel) {
  Graph g;
  int a = g.pointwise({-1}), b = g.pointwise({a, -1}), c = g.pointwise({b});
  g.nodes[c].isReturned = true;
  EXPECT_EQ(g.fuse(), (Groups{{0, 1, 2}}));
}

/// max, subtract and exp, sum, divide.
TEST(Fuser, SoftmaxIsOneKernel) {
  Graph g;
  int maximum = g.reduction(-1);
  int shifted = g.pointwise({-1, maximum});
  int sum = g.reduction(shifted);
  int result = g.pointwise({shifted, sum});
  g.nodes[result].isReturned = true;
  EXPECT_EQ(g.fuse(), (Groups{{0, 1, 2, 3}}));
}

TEST(Fuser, OtherSpacesStayApart) {
  Graph g;
  int a = g.pointwise({-1});
  int b = g.pointwise({a});
  g.nodes[b].space = {SizeExpr::symbol("other"), 8};
  g.nodes[b].isReturned = true;
  EXPECT_EQ(g.fuse(), (Groups{{0}, {1}}));
}

TEST(Fuser, NoGroupWaitsForItself) {
  Graph g; // a -> library -> c and a -> c
  int a = g.pointwise({-1});
  int l = g.library({a});
  int c = g.pointwise({a, l});
  g.nodes[c].isReturned = true;
  EXPECT_EQ(g.fuse(), (Groups{{0}, {1}, {2}}));
}

TEST(Fuser, EpiloguesFollowTheOnlyUser) {
  Graph g;
  int l = g.library({-1});
  int bias = g.pointwise({l, -1});
  int relu = g.pointwise({bias});
  int left = g.pointwise({relu});
  int right = g.library({relu});
  g.nodes[left].isReturned = g.nodes[right].isReturned = true;
  EXPECT_EQ(g.fuse(/*epilogues=*/true), (Groups{{0, 1, 2}, {3}, {4}}));
  EXPECT_EQ(g.fuse(/*epilogues=*/false), (Groups{{0}, {1, 2, 3}, {4}}));
}

TEST(Fuser, EpilogueOfTwoLibrariesGoesToTheLater) {
  Graph g; // the sum of a library call and of one that depends on it
  int first = g.library({-1});
  int second = g.library({first});
  int sum = g.pointwise({first, second});
  g.nodes[sum].isReturned = true;
  EXPECT_EQ(g.fuse(/*epilogues=*/true), (Groups{{0}, {1, 2}}));
}

TEST(Fuser, CheapNodesAreCopied) {
  Graph g;
  int iota = g.pointwise({});
  g.nodes[iota].isCheap = true;
  int a = g.pointwise({-1, iota});
  int l = g.library({a});
  int b = g.pointwise({l, iota});
  g.nodes[b].isReturned = true;
  EXPECT_EQ(g.fuse(), (Groups{{0, 1}, {2}, {0, 3}}));
}

/// A mask is stored as it is, and repeated by each kernel that reads it.
TEST(Fuser, RepetitionIsCopiedToItsReaders) {
  Graph g;
  int mask = g.pointwise({-1}), repeated = g.pointwise({mask});
  g.nodes[repeated].isCheap = true;
  g.nodes[repeated].isRowwise = false;
  int call = g.library({-1}), other = g.library({-1});
  int first = g.pointwise({call, repeated}),
      second = g.pointwise({other, repeated});
  g.nodes[first].isReturned = g.nodes[second].isReturned = true;
  EXPECT_EQ(
      g.fuse(),
      (Groups{{mask}, {call}, {other}, {repeated, first}, {repeated, second}}));
}

TEST(Fuser, CheapOperandsOfLibraryCallsAreStored) {
  Graph g;
  int constant = g.pointwise({});
  g.nodes[constant].isCheap = true;
  int l = g.library({constant});
  int b = g.pointwise({l, constant});
  g.nodes[b].isReturned = true;
  EXPECT_EQ(g.fuse(), (Groups{{0}, {1}, {0, 2}}));
}

TEST(Fuser, VerifierFindsFaults) {
  Graph g;
  int a = g.pointwise({-1});
  int l = g.library({a});
  g.nodes[l].isReturned = true;
  FusionGroup kernel{FusionGroup::Kernel, {a}, {a}};
  FusionGroup call{FusionGroup::Library, {l}, {l}};
  auto message = [&](std::vector<FusionGroup> groups) {
    return llvm::toString(verifyGroups(g.nodes, groups));
  };
  EXPECT_EQ(message({kernel, call}), "");
  EXPECT_NE(message({call, kernel}), "");
  EXPECT_NE(message({kernel, kernel, call}), "");
  EXPECT_NE(message({kernel}), "");
  FusionGroup silent = kernel;
  silent.outputs.clear();
  EXPECT_NE(message({silent, call}), "");
  FusionGroup mixed{FusionGroup::Kernel, {a, l}, {l}};
  EXPECT_NE(message({mixed}), "");
}

/// Any graph gives groups that the verifier accepts, the same each time.
TEST(Fuser, RandomGraphsVerify) {
  std::mt19937 random(51);
  int fused = 0;
  for (int round = 0; round < 1000; ++round) {
    Graph g;
    for (int i = 0, count = 2 + random() % 14; i < count; ++i) {
      llvm::SmallVector<int> operands;
      for (int k = 0, end = 1 + random() % 2; k < end; ++k)
        operands.push_back(int(random() % (i + 1)) - 1);
      FusionNode::Kind kinds[] = {
          FusionNode::Pointwise,    FusionNode::Pointwise,
          FusionNode::Pointwise,    FusionNode::Library,
          FusionNode::RowReduction, FusionNode::View,
          FusionNode::Collective,   FusionNode::Standalone};
      FusionNode::Kind kind = kinds[random() % 8];
      int node = g.add(kind, operands);
      if (kind == FusionNode::Pointwise) {
        g.nodes[node].isCheap = random() % 6 == 0;
        g.nodes[node].isRowwise = random() % 4 != 0;
        if (random() % 4 == 0)
          g.nodes[node].space = {SizeExpr::symbol("rows"), 4};
      }
    }
    std::vector<bool> isUsed(g.nodes.size(), false);
    for (const FusionNode &node : g.nodes)
      for (int operand : node.operands)
        if (operand >= 0)
          isUsed[operand] = true;
    for (size_t i = 0; i < g.nodes.size(); ++i)
      g.nodes[i].isReturned = !isUsed[i] || random() % 8 == 0;
    bool epilogues = random() % 2;
    Groups groups = g.fuse(epilogues);
    ASSERT_FALSE(HasFailure()) << round;
    ASSERT_EQ(groups, g.fuse(epilogues));
    for (const std::vector<int> &group : groups)
      fused += group.size() > 1;
  }
  EXPECT_GT(fused, 300);
}

} // namespace
