//===- TrainingCheck.h - does a schedule compute one training step? -------===//
#ifndef TAKT_ANALYSIS_TRAININGCHECK_H
#define TAKT_ANALYSIS_TRAININGCHECK_H

#include "takt/Analysis/PipelineCosts.h"
#include "takt/Analysis/Schedule.h"

#include "llvm/Support/Error.h"

namespace takt {

/// What the lists of a pipeline are to do.
struct TrainingStep {
  Placement placement;
  int64_t microBatches = 1;
  bool hasBackward = true; // false: forwards only
  int64_t memoryLimit = 0; // per rank, in units of memoryOfForward; 0: none
};

/// Checks each rank's list for itself, in program order: every stage runs its
/// forward and its backward (whole, or first of the input, then of the weights)
/// exactly once on each micro-batch, on its own rank; what it reads was
/// computed before or lies in a slot that was received and is not yet freed;
/// what it sends was computed before; and the units that are held stay within
/// the limit. Together with a run that ends, the lists compute the step. Needs
/// a schedule that checkPairing accepts.
llvm::Error checkTraining(const Schedule &schedule, const TrainingStep &step);

} // namespace takt

#endif // TAKT_ANALYSIS_TRAININGCHECK_H
