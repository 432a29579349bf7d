//===- FuserVerify.cpp - checks groups that anyone made -------------------===//
#include "takt/Analysis/Fuser.h"

#include "llvm/ADT/STLExtras.h"

using namespace takt;

static llvm::Error groupError(int group, const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "group " + llvm::Twine(group) + ": " + text);
}

/// Whether the kinds of its nodes may stand in the group.
static bool kindsFit(llvm::ArrayRef<FusionNode> nodes,
                     const FusionGroup &group) {
  auto count = [&](FusionNode::Kind kind) {
    return llvm::count_if(group.nodes,
                          [&](int node) { return nodes[node].kind == kind; });
  };
  size_t single = group.nodes.size();
  switch (group.kind) {
  case FusionGroup::Library:
    return count(FusionNode::Library) == 1 &&
           count(FusionNode::Pointwise) + 1 == int64_t(single);
  case FusionGroup::View:
    return single == 1 && count(FusionNode::View) == 1;
  case FusionGroup::Collective:
    return single == 1 && count(FusionNode::Collective) == 1;
  case FusionGroup::Kernel:
    return !count(FusionNode::Library) && !count(FusionNode::View) &&
           !count(FusionNode::Collective);
  }
  return false;
}

llvm::Error takt::verifyGroups(llvm::ArrayRef<FusionNode> nodes,
                               llvm::ArrayRef<FusionGroup> groups) {
  std::vector<int> owner(nodes.size(), -1);
  std::vector<bool> stored(nodes.size(), false);
  for (auto [i, group] : llvm::enumerate(groups)) {
    if (!kindsFit(nodes, group))
      return groupError(i, "holds nodes that do not fit its kind");
    for (int node : group.nodes) {
      if (!nodes[node].isCheap && owner[node] >= 0)
        return groupError(i, "repeats node " + llvm::Twine(node));
      owner[node] = i;
      for (int operand : nodes[node].operands)
        if (operand >= 0 && !stored[operand] &&
            !llvm::is_contained(group.nodes, operand))
          return groupError(i, "reads node " + llvm::Twine(operand) +
                                   " before any group has stored it");
    }
    for (int output : group.outputs) {
      if (!llvm::is_contained(group.nodes, output))
        return groupError(i, "stores node " + llvm::Twine(output) +
                                 ", which it does not hold");
      stored[output] = true;
    }
  }
  for (auto [i, node] : llvm::enumerate(nodes))
    if (node.isReturned && !stored[i])
      return groupError(-1, "no group stores returned node " + llvm::Twine(i));
  return llvm::Error::success();
}
