//===- PlanStages.cpp - the stage cut of a function -----------------------===//
#include "StageProblem.h"

using namespace mlir;
using namespace takt;

static int countUsed(ArrayRef<int> stageOf) {
  return DenseSet<int>(stageOf.begin(), stageOf.end()).size();
}

/// The cut of least maximal load. Where transfers cost so much that fewer
/// stages than asked for would be best, they are not counted: whoever asks for
/// stages wants the model spread over them.
static llvm::Expected<StageCut> solveCut(const StageCutProblem &problem) {
  // Well under a second; a graph that needs more gets the best of many orders.
  StageCutOptions limits;
  limits.idealLimit = 50000;
  limits.pairLimit = 500000;
  llvm::Expected<StageCut> cut = cutStages(problem, limits);
  int possible = std::min(problem.stageOptions.size(), problem.units.size());
  if (!cut || countUsed(cut->stageOf) >= possible)
    return cut;
  StageCutProblem relaxed = problem;
  for (StageCutProblem::Tensor &tensor : relaxed.tensors)
    tensor.transfer = 0;
  llvm::Expected<StageCut> spread = cutStages(relaxed, limits);
  if (!spread || countUsed(spread->stageOf) <= countUsed(cut->stageOf)) {
    llvm::consumeError(spread.takeError());
    return cut;
  }
  auto loads = evaluateStageCut(problem, spread->stageOf);
  if (!loads)
    return loads.takeError();
  spread->loads = *loads;
  return spread;
}

/// One stage needs no search.
static llvm::Expected<StageCut> wholeStage(const StageCutProblem &problem) {
  StageCut cut;
  cut.stageOf.assign(problem.units.size(), 0);
  auto loads = evaluateStageCut(problem, cut.stageOf);
  if (!loads)
    return loads.takeError();
  cut.loads = std::move(*loads);
  cut.takt = cut.lowerBound = cut.loads.front();
  cut.proven = true;
  return cut;
}

/// Numbers the stages that have units; the model needs at least one stage.
static std::vector<int> numberStages(size_t count, ArrayRef<int> stageOf) {
  std::vector<int> numbers(count, -1);
  if (stageOf.empty())
    numbers[0] = 0;
  for (int stage : stageOf)
    numbers[stage] = 0;
  int next = 0;
  for (int &number : numbers)
    if (number == 0)
      number = next++;
  return numbers;
}

FailureOr<std::vector<StageRecord>>
takt::chooseStages(func::FuncOp function, ArrayRef<int64_t> tensor,
                   const ShardingsByWays &shardings, const CostModel &model,
                   int64_t memory, SizeAnalysis &sizes,
                   const TypicalSizes &typical) {
  StageProblem project(function, model, sizes, typical);
  project.formUnits();
  StageCutProblem problem = project.build(tensor, shardings);
  problem.memoryLimit = memory;
  StageCut cut;
  if (!problem.units.empty()) {
    llvm::Expected<StageCut> solution =
        tensor.size() == 1 ? wholeStage(problem) : solveCut(problem);
    if (!solution)
      return function.emitOpError("cannot be cut into stages: ")
             << llvm::toString(solution.takeError());
    cut = std::move(*solution);
    if (!cut.proven)
      emitRemark(function.getLoc())
          << "the stage cut is the best found, not proven least";
  }
  std::vector<int> numbers = numberStages(tensor.size(), cut.stageOf);
  std::vector<StageRecord> records;
  for (auto [stage, number] : llvm::enumerate(numbers)) {
    if (number < 0)
      continue;
    records.emplace_back().tensorParallel = tensor[stage];
    records.back().seconds = cut.loads.empty() ? 0 : cut.loads[stage] * 1e-12;
  }
  std::vector<int> stageOfUnit;
  for (auto [unit, stage] : llvm::enumerate(cut.stageOf)) {
    stageOfUnit.push_back(numbers[stage]);
    records[numbers[stage]].communicationSeconds +=
        project.communication(unit, shardings.at(tensor[stage])) * 1e-12;
  }
  project.assign(stageOfUnit);
  return records;
}
