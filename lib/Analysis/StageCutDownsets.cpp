//===- StageCutDownsets.cpp - the downsets of a stage cut's graph ---------===//
#include "StageCutSearch.h"

#include "llvm/ADT/STLExtras.h"

using namespace takt;
using namespace takt::detail;

Downsets::Downsets(const CutGraph &graph)
    : graph(graph), bySize(graph.size() + 1) {
  Downset empty;
  empty.units.assign((graph.size() + 63) / 64, 0);
  empty.totals.resize(graph.problem.units.front().times.size());
  for (int unit = 0; unit < graph.size(); ++unit)
    empty.rest = addCosts(empty.rest, graph.leastTime(unit));
  ids.emplace(empty.units, 0);
  bySize[0].push_back(0);
  all.push_back(std::move(empty));
}

/// The downset with \p unit added to \p from.
int Downsets::intern(const Downset &from, int unit) {
  Set units = from.units;
  insert(units, unit);
  auto [it, isNew] = ids.try_emplace(std::move(units), int(all.size()));
  if (!isNew)
    return it->second;
  Downset next;
  next.units = it->first;
  next.size = from.size + 1;
  next.totals = from.totals;
  for (auto [option, totals] : llvm::enumerate(next.totals)) {
    Cost time = graph.time(unit, option);
    totals.forbidden += time == infiniteCost;
    totals.time = addCosts(totals.time, time == infiniteCost ? 0 : time);
    totals.memory = addBytes(totals.memory, graph.memory(unit, option));
  }
  next.rest = from.rest - graph.leastTime(unit);
  bySize[next.size].push_back(it->second);
  all.push_back(std::move(next));
  return it->second;
}

void Downsets::grow(int id) {
  if (all[id].isGrown)
    return;
  all[id].isGrown = true;
  Downset from = all[id]; // `all` may move
  for (int unit = 0; unit < graph.size(); ++unit)
    if (!contains(from.units, unit) &&
        llvm::all_of(graph.predecessors[unit],
                     [&](int before) { return contains(from.units, before); }))
      from.above.push_back({unit, intern(from, unit)});
  all[id].above = std::move(from.above);
}
