//===- PlannerBench.cpp - solves device-placement inputs ------------------===//
// usage: takt-planner-bench [--json] FILE...
#include "PlacementFile.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cmath>

using namespace takt;

static llvm::cl::list<std::string>
    files(llvm::cl::Positional, llvm::cl::OneOrMore, llvm::cl::desc("FILE..."));
static llvm::cl::opt<bool> asJson("json", llvm::cl::desc("print for programs"));

namespace {
struct Answer {
  std::string name;
  double takt = 0, bound = 0, seconds = 0;
  bool isProven = false;
};
} // namespace

/// Numbers the accelerators by their stages.
static Placement placementOf(const StageCutProblem &problem,
                             const StageCut &cut) {
  Placement placement;
  std::vector<int> device;
  int next = 0;
  for (int option : cut.options)
    device.push_back(problem.isHost(option) ? int(Placement::Host) : next++);
  for (int stage : cut.stageOf)
    placement.deviceOf.push_back(device[stage]);
  return placement;
}

static llvm::Expected<Answer> solve(llvm::StringRef path) {
  llvm::Expected<PlacementFile> file = PlacementFile::read(path);
  if (!file)
    return file.takeError();
  StageCutProblem problem = file->makeProblem();
  StageCutOptions options;
  options.idealLimit = 2000000;
  options.pairLimit = 1000000000;
  auto start = std::chrono::steady_clock::now();
  llvm::Expected<StageCut> cut = cutStages(problem, options);
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  if (!cut)
    return cut.takeError();
  llvm::Expected<double> load =
      evaluatePlacement(*file, placementOf(problem, *cut));
  if (!load)
    return load.takeError();
  if (std::abs(*load * costsPerUnit - double(cut->takt)) >
      1e-6 * double(cut->takt))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the solver says %g, the definition %g",
                                   double(cut->takt) / costsPerUnit, *load);
  return Answer{llvm::sys::path::stem(path).str(), *load,
                double(cut->lowerBound) / costsPerUnit, seconds.count(),
                cut->proven};
}

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv,
                                    "Solves device-placement inputs\n");
  llvm::json::Array answers;
  bool failed = false;
  for (const std::string &path : files) {
    llvm::Expected<Answer> answer = solve(path);
    if (!answer) {
      llvm::errs() << path << ": " << llvm::toString(answer.takeError())
                   << "\n";
      failed = true;
      continue;
    }
    if (!asJson)
      llvm::outs() << llvm::format(
          "%-24s %10.4f  bound %10.4f  %s  %.2f s\n", answer->name.c_str(),
          answer->takt, answer->bound,
          answer->isProven ? "proven" : "not proven", answer->seconds);
    answers.push_back(llvm::json::Object{{"path", path},
                                         {"takt", answer->takt},
                                         {"lowerBound", answer->bound},
                                         {"proven", answer->isProven},
                                         {"seconds", answer->seconds}});
  }
  if (asJson)
    llvm::outs() << llvm::json::Value(std::move(answers)) << "\n";
  return failed;
}
