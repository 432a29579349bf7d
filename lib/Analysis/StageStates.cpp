//===- StageStates.cpp - which stages a partial cut has used --------------===//
#include "StageStates.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <map>

using namespace takt;
using namespace takt::detail;

/// By how much a stage of the option is at most as fast as each unit's fastest.
static double speedOf(const CutGraph &graph, int option) {
  double speed = 0;
  for (int unit = 0; unit < graph.size(); ++unit) {
    Cost least = graph.leastTime(unit), time = graph.time(unit, option);
    if (least > 0 && time > 0)
      speed = std::max(speed, double(least) / double(time));
  }
  return speed;
}

/// A state per number of used stages of each option.
void StageStates::countStages(const CutGraph &graph) {
  std::map<int, int> available;
  for (int option : graph.problem.stageOptions)
    ++available[option];
  int count = 1;
  for (auto [option, stages] : available)
    count *= stages + 1;
  states.resize(count);
  for (int state = 0; state < count; ++state) {
    int weight = 1;
    for (auto [option, stages] : available) {
      int used = state / weight % (stages + 1);
      states[state].used += used;
      states[state].speed += (stages - used) * speeds[option];
      if (used < stages)
        states[state].steps.push_back({state + weight, option, -1});
      weight *= stages + 1;
    }
  }
}

/// A state per stage that comes next and number of those with units.
void StageStates::followOrder(const CutGraph &graph) {
  const std::vector<int> &options = graph.problem.stageOptions;
  int stages = options.size(), width = stages + 1;
  states.resize(width * width);
  for (int stage = stages; stage >= 0; --stage)
    for (int used = 0; used <= stage; ++used) {
      State &state = states[stage * width + used];
      state.used = used;
      if (stage == stages)
        continue;
      int next = (stage + 1) * width + used;
      state.speed = states[next].speed + speeds[options[stage]];
      state.steps = {{next, -1, stage}, {next + 1, options[stage], stage}};
    }
}

StageStates::StageStates(const CutGraph &graph) {
  size_t options = graph.problem.units.empty()
                       ? 0
                       : graph.problem.units.front().times.size();
  for (size_t option = 0; option < options; ++option)
    speeds.push_back(speedOf(graph, option));
  // Stages that are all alike need not be told apart by their place.
  if (graph.problem.isAnyOrder || llvm::all_equal(graph.problem.stageOptions))
    countStages(graph);
  else
    followOrder(graph);
}

double StageStates::capacity(int state, Cost takt) const {
  // Room for the rounding of sums of doubles.
  return states[state].speed * double(takt) * (1 + 1e-9);
}
