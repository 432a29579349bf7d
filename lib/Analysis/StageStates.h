//===- StageStates.h - which stages a partial cut has used ----------------===//
#ifndef TAKT_LIB_ANALYSIS_STAGESTATES_H
#define TAKT_LIB_ANALYSIS_STAGESTATES_H

#include "StageCutGraph.h"

namespace takt {
namespace detail {

/// The states that a cut goes through, stage by stage, and the steps between
/// them. State 0 has used no stage.
class StageStates {
public:
  explicit StageStates(const CutGraph &graph);

  struct Step {
    int next;   // state
    int option; // of the stage that is used; -1: the stage is left empty
    int stage;  // its place in the given order; -1 if that is free
  };

  int size() const { return states.size(); }
  llvm::ArrayRef<Step> steps(int state) const { return states[state].steps; }
  /// Stages with units.
  int used(int state) const { return states[state].used; }
  /// How much work (in units' least times) the remaining stages can do while
  /// one of them is loaded with `takt`; infinite where an option takes no time.
  double capacity(int state, Cost takt) const;

private:
  struct State {
    int used = 0;
    double speed = 0; // of the remaining stages, the fastest option being 1
    std::vector<Step> steps;
  };
  void countStages(const CutGraph &graph);
  void followOrder(const CutGraph &graph);

  std::vector<State> states;
  std::vector<double> speeds; // by option
};

} // namespace detail
} // namespace takt

#endif // TAKT_LIB_ANALYSIS_STAGESTATES_H
