//===- PlanReport.cpp - a plan as people and programs read it -------------===//
#include "PlanReport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using namespace mlir;
using namespace takt;

proto::Plan takt::planMessage(const ModulePlan &plan) {
  proto::Plan result;
  result.set_data_parallel(plan.dataParallel);
  for (const StageRecord &record : plan.stages) {
    proto::PlanStage &stage = *result.add_stages();
    stage.set_tensor_parallel(record.tensorParallel);
    for (int64_t rank : record.ranks)
      stage.add_ranks(rank);
    stage.set_predicted_seconds(record.seconds);
    stage.set_predicted_communication_seconds(record.communicationSeconds);
    stage.set_weight_bytes(record.weightBytes);
  }
  return result;
}

void takt::addNodeNames(Operation *scope, int64_t stage,
                        proto::PlanStage &message) {
  llvm::SetVector<StringRef> names;
  scope->walk([&](TensorOpInterface op) {
    // Each stage has its own copy of what repeats a constant.
    if (isa<BroadcastOp>(op) || (stage >= 0 && stageOf(op) != stage))
      return;
    if (auto name = op->getLoc()->findInstanceOf<NameLoc>())
      names.insert(name.getName().getValue());
  });
  for (StringRef name : names)
    message.add_operations(name.str());
}

FailureOr<proto::Plan> takt::planMessage(ModuleOp module) {
  FailureOr<ModulePlan> plan = ModulePlan::read(module);
  if (failed(plan))
    return failure();
  proto::Plan message = planMessage(*plan);
  for (int stage = 0; stage < message.stages_size(); ++stage)
    addNodeNames(module.lookupSymbol("main"), stage,
                 *message.mutable_stages(stage));
  return message;
}

//===----------------------------------------------------------------------===//
// Print
//===----------------------------------------------------------------------===//

static double slowest(const proto::Plan &plan) {
  double takt = 0;
  for (const proto::PlanStage &stage : plan.stages())
    takt = std::max(takt, stage.predicted_seconds());
  return takt;
}

static double sum(const proto::Plan &plan) {
  double latency = 0;
  for (const proto::PlanStage &stage : plan.stages())
    latency += stage.predicted_seconds();
  return latency;
}

static std::string timeText(double seconds) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (seconds < 1e-3)
    os << llvm::format("%.1f us", seconds * 1e6);
  else if (seconds < 10)
    os << llvm::format("%.1f ms", seconds * 1e3);
  else
    os << llvm::format("%.1f s", seconds);
  return text;
}

static std::string bytesText(int64_t bytes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (bytes < 1000000)
    os << llvm::format("%.1f kB", double(bytes) / 1e3);
  else if (bytes < 1000000000)
    os << llvm::format("%.1f MB", double(bytes) / 1e6);
  else
    os << llvm::format("%.1f GB", double(bytes) / 1e9);
  return text;
}

/// `0`, or `0-7`.
static std::string ranksText(const proto::PlanStage &stage) {
  if (stage.ranks_size() == 0)
    return "none";
  std::string first = std::to_string(stage.ranks(0));
  return stage.ranks_size() == 1
             ? first
             : first + "-" + std::to_string(*stage.ranks().rbegin());
}

/// The first and the last node, each cut to `width`.
static std::string nodesText(const proto::PlanStage &stage) {
  constexpr size_t width = 18;
  auto shorten = [](const std::string &name) {
    return name.size() <= width ? name : name.substr(0, width - 3) + "...";
  };
  if (stage.operations_size() == 0)
    return "none";
  return shorten(stage.operations(0)) + " .. " +
         shorten(*stage.operations().rbegin());
}

static void printTable(const proto::Plan &plan, llvm::StringRef model,
                       llvm::raw_ostream &os) {
  double takt = slowest(plan);
  int64_t ranks = 0;
  for (const proto::PlanStage &stage : plan.stages())
    ranks += stage.ranks_size();
  os << "plan        dp " << plan.data_parallel() << " · pp "
     << plan.stages_size() << " · " << ranks * plan.data_parallel()
     << " ranks · " << llvm::sys::path::filename(model) << "\n\n"
     << "stage  ranks       nodes                                    "
        "weights/rank     compute        comm    idle\n";
  for (auto [index, stage] : llvm::enumerate(plan.stages())) {
    double seconds = stage.predicted_seconds(),
           communication = stage.predicted_communication_seconds();
    os << llvm::format("%5zu  ", index)
       << llvm::left_justify(ranksText(stage), 10) << "  "
       << llvm::left_justify(nodesText(stage), 40) << " "
       << llvm::right_justify(bytesText(stage.weight_bytes()), 12)
       << llvm::right_justify(timeText(seconds - communication), 12)
       << llvm::right_justify(timeText(communication), 12)
       << llvm::format("  %4.1f %%\n",
                       takt > 0 ? (1 - seconds / takt) * 100 : 0.0);
  }
  os << "\ntakt        " << timeText(takt) << "    latency "
     << timeText(sum(plan)) << ", predicted at the typical sizes\n";
}

static std::string degreesText(const GridOptions &grid) {
  return ("dp " + llvm::Twine(grid.dataParallel) + " · pp " +
          llvm::Twine(grid.pipeline) + " · tp " +
          llvm::Twine(grid.tensor.front()))
      .str();
}

/// What else was looked at, and by how much it is worse.
static void printAlternatives(llvm::ArrayRef<GridCandidate> candidates,
                              llvm::raw_ostream &os) {
  constexpr size_t shown = 8;
  if (candidates.size() < 2)
    return;
  const GridCandidate &best = candidates.front();
  for (auto [index, other] : llvm::enumerate(candidates.drop_front())) {
    if (index == shown) {
      os << "            and " << candidates.size() - 1 - shown
         << " more (--json lists all)\n";
      return;
    }
    // The dots take two bytes each.
    os << (index ? "            " : "\nwhy not     ")
       << llvm::left_justify(degreesText(other.grid), 28);
    if (!other.problem.empty())
      os << other.problem << "\n";
    else
      os << llvm::format("%.2f x the rate, latency %s\n",
                         other.rate() / best.rate(),
                         timeText(other.latencySeconds).c_str());
  }
}

static llvm::json::Value toJson(llvm::ArrayRef<GridCandidate> candidates) {
  llvm::json::Array list;
  for (const GridCandidate &candidate : candidates) {
    llvm::json::Object entry{{"dataParallel", candidate.grid.dataParallel},
                             {"pipeline", candidate.grid.pipeline},
                             {"tensorParallel", candidate.grid.tensor.front()}};
    if (candidate.problem.empty()) {
      entry["taktSeconds"] = candidate.taktSeconds;
      entry["latencySeconds"] = candidate.latencySeconds;
    } else {
      entry["problem"] = llvm::json::fixUTF8(candidate.problem);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

static llvm::json::Value toJson(const proto::Plan &plan,
                                llvm::ArrayRef<GridCandidate> candidates) {
  llvm::json::Array stages;
  for (const proto::PlanStage &stage : plan.stages()) {
    llvm::json::Array ranks, nodes;
    for (int rank : stage.ranks())
      ranks.push_back(rank);
    for (const std::string &name : stage.operations())
      nodes.push_back(llvm::json::fixUTF8(name));
    stages.push_back(
        llvm::json::Object{{"tensorParallel", stage.tensor_parallel()},
                           {"ranks", std::move(ranks)},
                           {"predictedSeconds", stage.predicted_seconds()},
                           {"predictedCommunicationSeconds",
                            stage.predicted_communication_seconds()},
                           {"weightBytes", stage.weight_bytes()},
                           {"operations", std::move(nodes)}});
  }
  return llvm::json::Object{{"candidates", toJson(candidates)},
                            {"dataParallel", plan.data_parallel()},
                            {"stages", std::move(stages)},
                            {"taktSeconds", slowest(plan)},
                            {"latencySeconds", sum(plan)}};
}

void takt::printPlan(const proto::Plan &plan,
                     llvm::ArrayRef<GridCandidate> candidates,
                     llvm::StringRef model, bool asJson,
                     llvm::raw_ostream &os) {
  if (asJson) {
    os << llvm::formatv("{0:2}\n", toJson(plan, candidates));
    return;
  }
  printTable(plan, model, os);
  printAlternatives(candidates, os);
}
