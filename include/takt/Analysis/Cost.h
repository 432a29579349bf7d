//===- Cost.h - saturating integer costs ----------------------------------===//
#ifndef TAKT_ANALYSIS_COST_H
#define TAKT_ANALYSIS_COST_H

#include <cstdint>
#include <limits>

namespace takt {

/// Time in picoseconds, never negative: integers, so that equal plans compare
/// equal on every machine.
using Cost = int64_t;

/// Not allowed, or beyond the range (106 days). Absorbs all it is added to.
constexpr Cost infiniteCost = std::numeric_limits<Cost>::max();

constexpr Cost addCosts(Cost lhs, Cost rhs) {
  return lhs >= infiniteCost - rhs ? infiniteCost : lhs + rhs;
}

constexpr Cost multiplyCost(Cost cost, int64_t times) {
  if (times == 0)
    return 0;
  return cost > infiniteCost / times ? infiniteCost : cost * times;
}

} // namespace takt

#endif // TAKT_ANALYSIS_COST_H
