//===- GridSearch.cpp - the degrees for a number of devices ---------------===//
#include "GridSearch.h"

#include "takt/Transforms/PlanAttributes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <set>
#include <tuple>

using namespace mlir;
using namespace takt;

/// Runs the plan phase on a copy; its first error becomes the problem.
static void evaluate(ModuleOp module, GridCandidate &candidate) {
  OwningOpRef<ModuleOp> copy = module.clone();
  ScopedDiagnosticHandler quiet(module.getContext(), [&](Diagnostic &found) {
    if (found.getSeverity() == DiagnosticSeverity::Error &&
        candidate.problem.empty())
      candidate.problem = found.str();
    return success();
  });
  PassManager manager(module.getContext());
  addPhasePasses(manager, Phase::Plan, candidate.grid);
  FailureOr<ModulePlan> plan = failure();
  if (succeeded(manager.run(*copy)))
    plan = ModulePlan::read(*copy);
  if (failed(plan)) {
    if (candidate.problem.empty())
      candidate.problem = "no plan was found";
    return;
  }
  for (const StageRecord &stage : plan->stages) {
    candidate.taktSeconds = std::max(candidate.taktSeconds, stage.seconds);
    candidate.latencySeconds += stage.seconds;
  }
  if (plan->idleRanks > 0)
    candidate.problem = "some stages would have no work";
}

static int64_t ranksOf(const GridCandidate &candidate) {
  const GridOptions &grid = candidate.grid;
  return grid.dataParallel * grid.pipeline * grid.tensor.front();
}

/// The numbers of stages that use no more devices than a smaller number of
/// replicas would: devices / tensor divided by 1, 2, 3, ...
static std::set<int64_t> stageCounts(int64_t groups) {
  std::set<int64_t> counts;
  for (int64_t replicas = 1; replicas <= groups; ++replicas)
    counts.insert(groups / replicas);
  return counts;
}

std::vector<GridCandidate> takt::searchGrids(ModuleOp module, int64_t devices,
                                             Objective objective,
                                             llvm::StringRef clusterFile) {
  std::vector<GridCandidate> candidates;
  for (int64_t tensor = 1; tensor <= devices; tensor *= 2)
    for (int64_t pipeline : stageCounts(devices / tensor)) {
      GridCandidate candidate;
      candidate.grid.tensor = {tensor};
      candidate.grid.pipeline = pipeline;
      candidate.grid.dataParallel = devices / tensor / pipeline;
      candidate.grid.clusterFile = clusterFile.str();
      evaluate(module, candidate);
      candidates.push_back(std::move(candidate));
    }
  auto rank = [objective](const GridCandidate &one) {
    double slowness = -one.rate(), latency = one.latencySeconds;
    if (objective == Objective::Latency)
      std::swap(slowness, latency);
    return std::make_tuple(!one.problem.empty(), slowness, ranksOf(one),
                           latency, one.grid.tensor.front(), one.grid.pipeline);
  };
  llvm::sort(candidates, [&](const GridCandidate &a, const GridCandidate &b) {
    return rank(a) < rank(b);
  });
  return candidates;
}
