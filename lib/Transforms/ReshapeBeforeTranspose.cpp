//===- ReshapeBeforeTranspose.cpp - which reshapes a transpose passes -----===//
#include "SinkTranspose.h"

using namespace mlir;
using namespace takt;

namespace {
/// Dimensions [fromBegin, fromEnd) have the product of [toBegin, toEnd).
struct Group {
  size_t fromBegin, fromEnd, toBegin, toEnd;
};
} // namespace

/// The smallest group that begins at these dimensions.
static std::optional<Group> groupAt(ArrayRef<SizeExpr> from, size_t i,
                                    ArrayRef<SizeExpr> to, size_t j) {
  size_t left = from.size() - i, right = to.size() - j;
  for (size_t total = 1; total <= left + right; ++total)
    for (size_t count = std::min(total, left) + 1; count-- > 0;) {
      size_t other = total - count;
      // One dimension of either side pairs up before a 1 stands alone.
      if (other > right || (total == 1 && left && right && from[i] == to[j]))
        continue;
      if (product(from.slice(i, count)) == product(to.slice(j, other)))
        return Group{i, i + count, j, j + other};
    }
  return std::nullopt;
}

static std::optional<SmallVector<Group>> pairUp(ArrayRef<SizeExpr> from,
                                                ArrayRef<SizeExpr> to) {
  SmallVector<Group> groups;
  for (size_t i = 0, j = 0; i < from.size() || j < to.size();) {
    std::optional<Group> group = groupAt(from, i, to, j);
    if (!group)
      return std::nullopt;
    groups.push_back(*group);
    i = group->fromEnd;
    j = group->toEnd;
  }
  return groups;
}

/// Whether the group's dimensions lie side by side in the operand.
static bool isContiguous(const Group &group, ArrayRef<int64_t> permutation) {
  for (size_t i = group.fromBegin + 1; i < group.fromEnd; ++i)
    if (permutation[i] != permutation[i - 1] + 1)
      return false;
  return true;
}

std::optional<ReshapeBefore>
takt::reshapeBeforeTranspose(ArrayRef<SizeExpr> from,
                             ArrayRef<int64_t> permutation,
                             ArrayRef<SizeExpr> to) {
  auto groups = pairUp(from, to);
  if (!groups || !llvm::all_of(*groups, [&](const Group &group) {
        return isContiguous(group, permutation);
      }))
    return std::nullopt;
  // In the operand's order; dimensions of `to` that stand for none keep to the
  // group before them.
  SmallVector<std::pair<int64_t, size_t>> order;
  for (auto [number, group] : llvm::enumerate(*groups)) {
    int64_t place = group.fromBegin < group.fromEnd
                        ? permutation[group.fromBegin]
                    : order.empty() ? -1
                                    : order.back().first;
    order.push_back({place, number});
  }
  llvm::sort(order);
  ReshapeBefore result;
  result.permutation.resize(to.size());
  for (auto [place, number] : order) {
    const Group &group = (*groups)[number];
    for (size_t j = group.toBegin; j < group.toEnd; ++j) {
      result.permutation[j] = result.shape.size();
      result.shape.push_back(to[j]);
    }
  }
  return result;
}
