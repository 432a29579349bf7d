//===- LinkSimulator.h - messages on links, event by event ----------------===//
// Knows nothing of the closed forms: messages hold every link on their way, and
// share each fairly (max-min, by progressive filling).
#ifndef TAKT_TEST_UNIT_ANALYSIS_LINKSIMULATOR_H
#define TAKT_TEST_UNIT_ANALYSIS_LINKSIMULATOR_H

#include "takt/Analysis/CollectiveCost.h"

#include <cmath>
#include <map>
#include <tuple>

namespace takt {

struct SimulatedMessage {
  int64_t source, target; // devices
  double bytes;
};

class LinkSimulator {
public:
  /// \p below[i]: devices in one unit of level i: 1, of a node, of a rack, …;
  /// \p links[0] joins the devices of a node, links[i] leaves a unit of level
  /// i.
  LinkSimulator(std::vector<int64_t> below, std::vector<Link> links)
      : below(std::move(below)), links(std::move(links)) {}

  /// Seconds until the last of messages that start at once has arrived.
  double run(const std::vector<SimulatedMessage> &messages) const {
    std::vector<Flow> flows;
    for (const SimulatedMessage &message : messages)
      flows.push_back(makeFlow(message));
    double now = 0, end = 0;
    while (!flows.empty()) {
      fill(flows);
      double step = std::numeric_limits<double>::infinity();
      for (const Flow &flow : flows)
        step = std::min(step, flow.left / flow.rate);
      now += step;
      std::vector<Flow> rest;
      for (Flow &flow : flows) {
        flow.left -= step * flow.rate;
        if (flow.left > 1e-9)
          rest.push_back(flow);
        else
          end = std::max(end, now + flow.alpha);
      }
      flows = std::move(rest);
    }
    return end;
  }

private:
  /// Level, unit or device, and direction.
  using Resource = std::tuple<size_t, int64_t, int>;
  struct Flow {
    std::map<Resource, double> way; // capacities
    double alpha, limit, left, rate = 0;
  };

  Flow makeFlow(const SimulatedMessage &message) const {
    size_t level = 0;
    while (level + 1 < below.size() && message.source / below[level + 1] !=
                                           message.target / below[level + 1])
      ++level;
    Flow flow = {{},
                 links[level].alphaSeconds,
                 std::numeric_limits<double>::infinity(),
                 message.bytes};
    for (size_t i = std::min<size_t>(level, 1); i <= level; ++i) {
      const Link &link = links[i];
      flow.limit = std::min(flow.limit, link.bytesPerSecond);
      double all = link.bytesPerSecond * double(link.sharedLinks);
      int64_t ends[] = {message.source, message.target};
      for (int direction = 0; direction < 2; ++direction)
        if (link.sharedLinks == 0)
          flow.way[{i, ends[direction], direction}] = link.bytesPerSecond;
        else if (i == 0) // one medium, whatever the direction
          flow.way[{0, ends[0] / below[1], 0}] = all;
        else
          flow.way[{i, -1 - ends[direction] / below[i], direction}] = all;
    }
    return flow;
  }

  /// All rates grow together; those on a full link stop.
  static void fill(std::vector<Flow> &flows) {
    std::map<Resource, double> left;
    for (Flow &flow : flows) {
      left.insert(flow.way.begin(), flow.way.end());
      flow.rate = 0;
    }
    std::vector<Flow *> growing;
    for (Flow &flow : flows)
      growing.push_back(&flow);
    while (!growing.empty()) {
      std::map<Resource, int> users;
      double step = std::numeric_limits<double>::infinity();
      for (Flow *flow : growing) {
        step = std::min(step, flow->limit - flow->rate);
        for (const auto &[resource, capacity] : flow->way)
          ++users[resource];
      }
      for (const auto &[resource, count] : users)
        step = std::min(step, left[resource] / count);
      for (Flow *flow : growing)
        flow->rate += step;
      for (const auto &[resource, count] : users)
        left[resource] -= step * count;
      std::vector<Flow *> rest;
      for (Flow *flow : growing) {
        bool isFull = flow->limit - flow->rate < 1e-9 * flow->limit;
        for (const auto &[resource, capacity] : flow->way)
          isFull |= left[resource] < 1e-9 * capacity;
        if (!isFull)
          rest.push_back(flow);
      }
      growing = std::move(rest);
    }
  }

  std::vector<int64_t> below;
  std::vector<Link> links;
};

} // namespace takt

#endif
