//===- ScheduleCases.h - schedules with known figures ---------------------===//
#ifndef TAKT_TEST_UNIT_ANALYSIS_SCHEDULECASES_H
#define TAKT_TEST_UNIT_ANALYSIS_SCHEDULECASES_H

#include "takt/Analysis/ComputeOrder.h"
#include "takt/Analysis/ScheduleSimulator.h"

#include <functional>
#include <string>

namespace takt::test {

/// A schedule that was made, run by the simulator, checked to compute the step
/// within its memory, and proven.
struct CheckedSchedule {
  Schedule schedule;
  Timeline timeline;
  ScheduleReport report;
  double seconds = 0; // of processor time to make the schedule
  std::string fault;  // what one of the judges says, or nothing
};

using OrderGenerator = std::function<llvm::Expected<ComputeOrder>()>;

/// \p memoryLimit in units of memoryOfForward; 0: none.
CheckedSchedule checkedSchedule(const OrderGenerator &generate,
                                const PipelineCosts &costs,
                                int64_t memoryLimit = 0);
CheckedSchedule checkedSchedule(const ZeroBubbleProblem &problem,
                                const ZeroBubbleOptions &options = {});

/// A figure of a schedule against its known value.
struct Figure {
  std::string schedule, quantity;
  double measured = 0, known = 0;
  bool mayBeLess = false; // less is better
  double seconds = 0;     // of processor time to make the schedule
  std::string fault;

  bool isReached() const {
    return fault.empty() && (mayBeLess ? measured <= known : measured == known);
  }
};

/// The spans of the public zero-bubble scheduler, and 1F1B's by formula.
std::vector<Figure> goldenFigures();
/// Bubbles and memory of the schedules that formulas describe.
std::vector<Figure> formulaFigures();
/// ZB-V with equal costs: spans of 1 to 16 ranks.
std::vector<Figure> veeFigures();

} // namespace takt::test

#endif // TAKT_TEST_UNIT_ANALYSIS_SCHEDULECASES_H
