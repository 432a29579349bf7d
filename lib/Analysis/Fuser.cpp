//===- Fuser.cpp - which ops form one dispatch ----------------------------===//
#include "takt/Analysis/Fuser.h"

#include "llvm/ADT/STLExtras.h"

using namespace takt;

namespace {

/// A group while it grows.
struct OpenGroup {
  FusionGroup::Kind kind;
  llvm::SmallVector<int> nodes;
  /// The rows of a kernel that holds a row reduction.
  std::optional<SymbolicShape> rows;
  /// The space of a kernel that holds pointwise nodes only.
  SymbolicShape space;
};

class Fuser {
public:
  Fuser(llvm::ArrayRef<FusionNode> nodes, EpilogueQuery canFuseEpilogue)
      : nodes(nodes), canFuseEpilogue(canFuseEpilogue), users(nodes.size()),
        groupOf(nodes.size(), -1) {
    for (auto [i, node] : llvm::enumerate(nodes))
      for (int operand : node.operands)
        if (operand >= 0)
          users[operand].push_back(i);
  }

  std::vector<FusionGroup> run() {
    for (size_t i = 0; i < nodes.size(); ++i)
      if (!nodes[i].isCheap && groupOf[i] < 0)
        place(i);
    for (size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].isCheap && mustBeStored(i))
        open(i, FusionGroup::Kernel);
    return close();
  }

private:
  void place(int node) {
    switch (nodes[node].kind) {
    case FusionNode::Library:
      return growEpilogues(open(node, FusionGroup::Library));
    case FusionNode::View:
      open(node, FusionGroup::View);
      return;
    case FusionNode::Collective:
      open(node, FusionGroup::Collective);
      return;
    case FusionNode::Standalone:
      open(node, FusionGroup::Kernel);
      return;
    case FusionNode::Pointwise:
    case FusionNode::RowReduction:
      placeInKernel(node);
    }
  }

  int open(int node, FusionGroup::Kind kind) {
    groups.push_back({kind, {node}, std::nullopt, nodes[node].space});
    groupOf[node] = groups.size() - 1;
    if (nodes[node].kind == FusionNode::RowReduction)
      groups.back().rows = rowsOf(node);
    return groups.size() - 1;
  }

  /// Whether the op reads its operands from memory, so that a cheap one cannot
  /// be copied into its group.
  bool readsMemory(int node) const {
    FusionNode::Kind kind = nodes[node].kind;
    return kind == FusionNode::Library || kind == FusionNode::View ||
           kind == FusionNode::Collective;
  }

  /// Whether a cheap node needs a dispatch that stores it.
  bool mustBeStored(int node) const {
    return nodes[node].isReturned || llvm::any_of(users[node], [&](int user) {
             return readsMemory(user);
           });
  }

  SymbolicShape rowsOf(int node) const {
    const FusionNode &n = nodes[node];
    return SymbolicShape(n.space.begin(), n.space.begin() + n.rows);
  }

  /// Follows the only user of the tail as long as the target takes it.
  void growEpilogues(int group) {
    int library = groups[group].nodes.front(), tail = library;
    while (!nodes[tail].isReturned && users[tail].size() == 1) {
      int consumer = users[tail].front();
      if (nodes[consumer].kind != FusionNode::Pointwise ||
          nodes[consumer].isCheap || groupOf[consumer] >= 0 ||
          !canFuseEpilogue(library, tail, consumer) ||
          !othersAreReady(consumer, tail, group))
        return;
      add(consumer, group);
      tail = consumer;
    }
  }

  void add(int node, int group) {
    groupOf[node] = group;
    groups[group].nodes.push_back(node);
  }

  /// Whether the operands of `node` other than `tail` are computed before and
  /// without `group`.
  bool othersAreReady(int node, int tail, int group) const {
    for (int operand : nodes[node].operands)
      if (operand >= 0 && operand != tail && !isAvailable(operand, group))
        return false;
    return true;
  }

  /// Whether a node, or what a cheap one needs, has a group already and does
  /// not depend on `group` through others.
  bool isAvailable(int node, int group) const {
    if (nodes[node].isCheap)
      return llvm::all_of(nodes[node].operands, [&](int operand) {
        return operand < 0 || isAvailable(operand, group);
      });
    return groupOf[node] >= 0 &&
           (groupOf[node] == group || !reaches(group, groupOf[node]));
  }

  /// Whether the value of group `from` is needed, through any number of groups,
  /// by group `to`.
  bool reaches(int from, int to) const {
    llvm::SmallVector<bool> seen(groups.size(), false);
    llvm::SmallVector<int> stack = {to};
    while (!stack.empty()) {
      int group = stack.pop_back_val();
      if (group == from)
        return true;
      if (seen[group])
        continue;
      seen[group] = true;
      for (int node : groups[group].nodes)
        pushOperandGroups(node, group, stack);
    }
    return false;
  }

  void pushOperandGroups(int node, int group,
                         llvm::SmallVector<int> &stack) const {
    for (int operand : nodes[node].operands) {
      if (operand < 0)
        continue;
      bool isStored = readsMemory(node) && groupOf[operand] >= 0;
      if (nodes[operand].isCheap && !isStored)
        pushOperandGroups(operand, group, stack);
      else if (groupOf[operand] >= 0 && groupOf[operand] != group)
        stack.push_back(groupOf[operand]);
    }
  }

  /// Joins the kernel of an operand, the latest that fits, or starts one.
  void placeInKernel(int node) {
    llvm::SmallVector<int> candidates;
    for (int operand : nodes[node].operands)
      if (operand >= 0 && !nodes[operand].isCheap)
        candidates.push_back(groupOf[operand]);
    llvm::sort(candidates, std::greater<int>());
    for (int group : candidates)
      if (groups[group].kind == FusionGroup::Kernel && fits(node, group) &&
          othersAreReady(node, -1, group)) {
        add(node, group);
        if (nodes[node].kind == FusionNode::RowReduction)
          groups[group].rows = rowsOf(node);
        return;
      }
    open(node, FusionGroup::Kernel);
  }

  bool fits(int node, int group) const {
    const FusionNode &n = nodes[node];
    const OpenGroup &g = groups[group];
    if (llvm::any_of(g.nodes, [&](int member) {
          return nodes[member].kind == FusionNode::Standalone;
        }))
      return false;
    if (n.kind == FusionNode::RowReduction)
      return g.rows ? *g.rows == rowsOf(node) && n.isRowwise
                    : g.space == n.space;
    if (!n.isRowwise)
      return false;
    if (!g.rows)
      return g.space == n.space;
    return n.space.size() >= g.rows->size() &&
           std::equal(g.rows->begin(), g.rows->end(), n.space.begin());
  }

  /// Whether another group reads the node, directly or through copies of cheap
  /// ones.
  bool isReadOutside(int node, int group) const {
    return llvm::any_of(users[node], [&](int user) {
      bool isCopied = nodes[user].isCheap && groupOf[user] < 0;
      return isCopied ? isReadOutside(user, group) : groupOf[user] != group;
    });
  }

  std::vector<FusionGroup> close();
  void collectCheap(int node, llvm::SmallVectorImpl<int> &members) const;
  void orderVisit(int group, llvm::SmallVector<bool> &done,
                  llvm::SmallVector<int> &order) const;

  llvm::ArrayRef<FusionNode> nodes;
  EpilogueQuery canFuseEpilogue;
  std::vector<llvm::SmallVector<int, 2>> users;
  std::vector<int> groupOf;
  std::vector<OpenGroup> groups;
};

/// Cheap operands of `node`, and theirs, that are copied.
void Fuser::collectCheap(int node, llvm::SmallVectorImpl<int> &members) const {
  if (readsMemory(node))
    return;
  for (int operand : nodes[node].operands)
    if (operand >= 0 && nodes[operand].isCheap &&
        !llvm::is_contained(members, operand)) {
      members.push_back(operand);
      collectCheap(operand, members);
    }
}

void Fuser::orderVisit(int group, llvm::SmallVector<bool> &done,
                       llvm::SmallVector<int> &order) const {
  if (done[group])
    return;
  done[group] = true;
  llvm::SmallVector<int> before;
  for (int node : groups[group].nodes)
    pushOperandGroups(node, group, before);
  llvm::sort(before);
  for (int other : before)
    orderVisit(other, done, order);
  order.push_back(group);
}

std::vector<FusionGroup> Fuser::close() {
  llvm::SmallVector<bool> done(groups.size(), false);
  llvm::SmallVector<int> order;
  for (size_t i = 0; i < groups.size(); ++i)
    orderVisit(i, done, order);
  std::vector<FusionGroup> result;
  for (int i : order) {
    FusionGroup group{groups[i].kind, groups[i].nodes, {}};
    for (int node : groups[i].nodes) {
      if (nodes[node].isReturned || isReadOutside(node, i))
        group.outputs.push_back(node);
      collectCheap(node, group.nodes);
    }
    llvm::sort(group.nodes);
    llvm::sort(group.outputs);
    // Nobody reads it: the program is not simplified, but still right.
    if (!group.outputs.empty())
      result.push_back(std::move(group));
  }
  return result;
}

} // namespace

std::vector<FusionGroup> takt::fuse(llvm::ArrayRef<FusionNode> nodes,
                                    EpilogueQuery canFuseEpilogue) {
  return Fuser(nodes, canFuseEpilogue).run();
}
