#include "runtime/core/Arena.h"
#include "runtime/core/Memory.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace takt::runtime {
namespace {

bool overlapInTime(const ArenaItem &a, const ArenaItem &b) {
  return a.first <= b.last && b.first <= a.last;
}

/// Places items in `order`, each in the smallest gap that fits among those
/// already placed that live with it, else above them. Sizes add up without
/// overflow (checked by the caller).
ArenaPlan place(const std::vector<ArenaItem> &items,
                const std::vector<size_t> &order) {
  ArenaPlan plan;
  plan.offsets.assign(items.size(), 0);
  std::vector<size_t> placed; // by offset
  for (size_t index : order) {
    const ArenaItem &item = items[index];
    if (item.bytes == 0)
      continue;
    int64_t end = 0, best = -1, bestGap = 0;
    for (size_t other : placed) {
      if (!overlapInTime(item, items[other]))
        continue;
      int64_t gap = plan.offsets[other] - end;
      if (gap >= item.bytes && (best < 0 || gap < bestGap)) {
        best = end;
        bestGap = gap;
      }
      end = std::max(end, plan.offsets[other] + items[other].bytes);
    }
    plan.offsets[index] = best < 0 ? end : best;
    plan.bytes = std::max(plan.bytes, plan.offsets[index] + item.bytes);
    auto position = std::upper_bound(
        placed.begin(), placed.end(), index,
        [&](size_t a, size_t b) { return plan.offsets[a] < plan.offsets[b]; });
    placed.insert(position, index);
  }
  return plan;
}

/// Most bytes that are alive at one step.
int64_t findLowerBound(const std::vector<ArenaItem> &items) {
  std::map<int64_t, int64_t> changes;
  for (const ArenaItem &item : items) {
    changes[item.first] += item.bytes;
    changes[int64_t(item.last) + 1] -= item.bytes;
  }
  int64_t alive = 0, most = 0;
  for (const auto &[step, change] : changes) {
    alive += change;
    most = std::max(most, alive);
  }
  return most;
}

} // namespace

Result<ArenaPlan> planArena(const std::vector<ArenaItem> &items) {
  int64_t total = 0;
  for (const ArenaItem &item : items)
    if (item.bytes < 0 || item.bytes % bufferAlignment ||
        __builtin_add_overflow(total, item.bytes, &total))
      return inputError("the buffers of this shape exceed 2^63 bytes");

  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  // Ties keep the order of the items, so that a plan is reproducible.
  auto sortBy = [&](auto less) {
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return less(a, b) || (!less(b, a) && a < b);
    });
  };
  auto bySize = [&](size_t a, size_t b) {
    return items[a].bytes > items[b].bytes;
  };
  auto byArea = [&](size_t a, size_t b) {
    auto area = [&](size_t i) {
      return static_cast<double>(items[i].bytes) *
             (double(items[i].last) - items[i].first + 1);
    };
    return area(a) > area(b);
  };
  auto byFirst = [&](size_t a, size_t b) {
    return items[a].first < items[b].first;
  };

  int64_t bound = findLowerBound(items);
  sortBy(bySize);
  ArenaPlan best = place(items, order);
  auto attempt = [&](auto less) {
    if (best.bytes == bound)
      return;
    sortBy(less);
    ArenaPlan plan = place(items, order);
    if (plan.bytes < best.bytes)
      best = std::move(plan);
  };
  attempt(byArea);
  attempt(byFirst);
  best.lowerBound = bound;
  return best;
}

Status verifyArena(const std::vector<ArenaItem> &items, const ArenaPlan &plan) {
  if (plan.offsets.size() != items.size())
    return bundleError("arena plan: ", plan.offsets.size(), " offsets for ",
                       items.size(), " buffers");
  struct Event {
    int64_t step;
    bool starts; // ends sort before starts of the same step
    size_t item;
    bool operator<(const Event &other) const {
      return std::tie(step, starts, item) <
             std::tie(other.step, other.starts, other.item);
    }
  };
  std::vector<Event> events;
  for (size_t i = 0; i < items.size(); ++i) {
    int64_t offset = plan.offsets[i];
    if (offset < 0 || offset % bufferAlignment ||
        offset > plan.bytes - items[i].bytes)
      return bundleError("arena plan: buffer ", i, " at offset ", offset,
                         " is misaligned or outside");
    if (items[i].bytes == 0)
      continue;
    events.push_back({items[i].first, true, i});
    events.push_back({int64_t(items[i].last) + 1, false, i});
  }
  std::sort(events.begin(), events.end());
  std::map<int64_t, size_t> alive; // by offset
  for (const Event &event : events) {
    int64_t offset = plan.offsets[event.item];
    if (!event.starts) {
      alive.erase(offset);
      continue;
    }
    auto [position, inserted] = alive.insert({offset, event.item});
    auto next = std::next(position);
    bool overlaps =
        !inserted ||
        (next != alive.end() && offset + items[event.item].bytes > next->first);
    if (!overlaps && position != alive.begin()) {
      auto before = std::prev(position);
      overlaps = before->first + items[before->second].bytes > offset;
    }
    if (overlaps)
      return bundleError("arena plan: buffer ", event.item,
                         " overlaps a live one at step ", event.step);
  }
  return Status();
}

} // namespace takt::runtime
