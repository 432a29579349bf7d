//===- StageCut.cpp - problem, evaluation, solution of stage cuts ---------===//
#include "takt/Analysis/StageCut.h"
#include "StageCutGraph.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <set>

using namespace takt;
using namespace takt::detail;

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "stage cut: " + message);
}

//===----------------------------------------------------------------------===//
// Check
//===----------------------------------------------------------------------===//

static llvm::Error checkUnit(const StageCutProblem &problem, size_t id,
                             size_t options) {
  const StageCutProblem::Unit &unit = problem.units[id];
  if (unit.times.size() != options ||
      (!unit.memory.empty() && unit.memory.size() != options))
    return fail("unit " + llvm::Twine(id) + " has " +
                llvm::Twine(unit.times.size()) + " times and " +
                llvm::Twine(unit.memory.size()) + " memory sizes; expected " +
                llvm::Twine(options));
  auto negative = [](int64_t value) { return value < 0; };
  if (llvm::any_of(unit.times, negative) || llvm::any_of(unit.memory, negative))
    return fail("unit " + llvm::Twine(id) + " has a negative time or size");
  return llvm::Error::success();
}

llvm::Error StageCutProblem::check() const {
  if (stageOptions.empty())
    return fail("there is no stage; expected at least 1");
  size_t options = units.empty() ? 0 : units.front().times.size();
  for (size_t id = 0; id < units.size(); ++id)
    if (llvm::Error error = checkUnit(*this, id, options))
      return error;
  for (int option : stageOptions)
    if (!units.empty() && (option < 0 || option >= int(options)))
      return fail("a stage has option " + llvm::Twine(option) + " of " +
                  llvm::Twine(options));
  auto isUnit = [&](int id) { return id >= 0 && id < int(units.size()); };
  for (auto [id, tensor] : llvm::enumerate(tensors))
    if (!isUnit(tensor.source) || !llvm::all_of(tensor.consumers, isUnit) ||
        tensor.transfer < 0)
      return fail("tensor " + llvm::Twine(id) +
                  " names a unit that does not exist or has a negative "
                  "transfer time");
  for (const auto &set : together)
    if (!llvm::all_of(set, isUnit))
      return fail("a set of units names one that does not exist");
  for (auto [first, second] : precedes)
    if (!isUnit(first) || !isUnit(second))
      return fail("a pair of units names one that does not exist");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

static llvm::Error verifyOptions(const StageCutProblem &problem,
                                 llvm::ArrayRef<int> options) {
  std::multiset<int> wanted(problem.stageOptions.begin(),
                            problem.stageOptions.end());
  if (problem.isAnyOrder
          ? wanted != std::multiset<int>(options.begin(), options.end())
          : options != llvm::ArrayRef(problem.stageOptions))
    return fail("the stages have other options than the problem's");
  return llvm::Error::success();
}

static llvm::Error verifyCut(const StageCutProblem &problem,
                             llvm::ArrayRef<int> stageOf) {
  int stages = problem.stageOptions.size();
  if (stageOf.size() != problem.units.size())
    return fail("the cut has " + llvm::Twine(stageOf.size()) +
                " units; expected " + llvm::Twine(problem.units.size()));
  for (auto [unit, stage] : llvm::enumerate(stageOf))
    if (stage < 0 || stage >= stages)
      return fail("unit " + llvm::Twine(unit) + " is on stage " +
                  llvm::Twine(stage) + " of " + llvm::Twine(stages));
  for (auto [id, tensor] : llvm::enumerate(problem.tensors))
    for (int consumer : tensor.consumers)
      if (tensor.isOrdered && stageOf[consumer] < stageOf[tensor.source])
        return fail("tensor " + llvm::Twine(id) + " flows back from stage " +
                    llvm::Twine(stageOf[tensor.source]) + " to " +
                    llvm::Twine(stageOf[consumer]));
  for (const auto &set : problem.together)
    for (int unit : set)
      if (stageOf[unit] != stageOf[set.front()])
        return fail("units " + llvm::Twine(set.front()) + " and " +
                    llvm::Twine(unit) + " must share a stage");
  for (auto [first, second] : problem.precedes)
    if (stageOf[first] > stageOf[second])
      return fail("unit " + llvm::Twine(first) + " is on a later stage than " +
                  llvm::Twine(second));
  return llvm::Error::success();
}

llvm::Expected<std::vector<Cost>>
takt::evaluateStageCut(const StageCutProblem &problem,
                       llvm::ArrayRef<int> stageOf,
                       llvm::ArrayRef<int> options) {
  if (options.empty())
    options = problem.stageOptions;
  if (llvm::Error error = verifyOptions(problem, options))
    return std::move(error);
  if (llvm::Error error = verifyCut(problem, stageOf))
    return std::move(error);
  std::vector<Cost> loads(problem.stageOptions.size(), 0);
  std::vector<int64_t> memory(loads.size(), 0);
  for (auto [unit, stage] : llvm::zip_equal(problem.units, stageOf)) {
    int option = options[stage];
    loads[stage] = addCosts(loads[stage], unit.times[option]);
    if (!unit.memory.empty())
      memory[stage] = addBytes(memory[stage], unit.memory[option]);
  }
  for (const StageCutProblem::Tensor &tensor : problem.tensors) {
    std::set<int> stages = {stageOf[tensor.source]};
    for (int consumer : tensor.consumers)
      stages.insert(stageOf[consumer]);
    for (int stage : stages)
      if (stages.size() > 1 && !problem.isHost(options[stage]))
        loads[stage] = addCosts(loads[stage], tensor.transfer);
  }
  for (auto [stage, bytes] : llvm::enumerate(memory))
    if (problem.memoryLimit > 0 && bytes > problem.memoryLimit &&
        !problem.isHost(options[stage]))
      return fail("stage " + llvm::Twine(stage) + " needs " +
                  llvm::Twine(bytes) + " bytes; the limit is " +
                  llvm::Twine(problem.memoryLimit));
  return loads;
}

//===----------------------------------------------------------------------===//
// Solution
//===----------------------------------------------------------------------===//

/// Some stage has at least an equal share, and at least the largest unit.
static Cost boundWithoutTransfers(const CutGraph &graph) {
  Cost sum = 0, largest = 0;
  for (int unit = 0; unit < graph.size(); ++unit) {
    sum = addCosts(sum, graph.leastTime(unit));
    largest = std::max(largest, graph.leastTime(unit));
  }
  Cost stages = graph.stages();
  return std::max(largest, sum / stages + (sum % stages != 0));
}

/// Moves stages without units behind the others where all are alike.
static void closeGaps(StageCut &cut) {
  if (!llvm::all_equal(cut.options))
    return;
  std::set<int> used(cut.stageOf.begin(), cut.stageOf.end());
  std::vector<Cost> loads;
  for (int stage : used)
    loads.push_back(cut.loads[stage]);
  for (int &stage : cut.stageOf)
    stage = std::distance(used.begin(), used.find(stage));
  loads.resize(cut.loads.size(), 0);
  cut.loads = std::move(loads);
}

llvm::Expected<StageCut> takt::cutStages(const StageCutProblem &problem,
                                         const StageCutOptions &options) {
  if (llvm::Error error = problem.check())
    return std::move(error);
  CutGraph graph = joinIdleUnits(problem);
  StageCut best = cutLinearOrders(graph, options.seed);
  searchDownsets(graph, options, best);
  if (best.stageOf.empty() && graph.size() > 0)
    return fail(llvm::Twine(best.proven ? "no cut" : "found no cut") +
                " into at most " + llvm::Twine(graph.stages()) +
                " stages keeps each within " +
                llvm::Twine(problem.memoryLimit) +
                " bytes; use more stages or a higher tensor degree");
  best.lowerBound = best.proven ? best.takt : boundWithoutTransfers(graph);
  std::vector<int> stageOf;
  for (int merged : graph.mergedOf)
    stageOf.push_back(best.stageOf[merged]);
  best.stageOf = std::move(stageOf);
  closeGaps(best);
  return best;
}
