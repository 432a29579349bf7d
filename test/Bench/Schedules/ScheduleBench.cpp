//===- ScheduleBench.cpp - figures of schedules and of the prover ---------===//
#include "ScheduleCases.h"
#include "ScheduleMutants.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace takt;
using namespace takt::test;

static llvm::json::Array toJson(llvm::ArrayRef<Figure> figures) {
  llvm::json::Array array;
  for (const Figure &figure : figures)
    array.push_back(llvm::json::Object{{"schedule", figure.schedule},
                                       {"quantity", figure.quantity},
                                       {"measured", figure.measured},
                                       {"known", figure.known},
                                       {"mayBeLess", figure.mayBeLess},
                                       {"seconds", figure.seconds},
                                       {"fault", figure.fault},
                                       {"reached", figure.isReached()}});
  return array;
}

static llvm::json::Object toJson(const MutantCounts &counts) {
  return llvm::json::Object{{"faulty", counts.faulty},
                            {"correct", counts.correct},
                            {"missed", counts.missed},
                            {"accused", counts.accused},
                            {"stuck", counts.stuck},
                            {"chains", counts.chains},
                            {"groups", counts.groups},
                            {"collectives", counts.collectives},
                            {"rendezvous", counts.rendezvous},
                            {"slowestProofSeconds", counts.slowestProof},
                            {"firstWrong", counts.firstWrong}};
}

/// The lists of a schedule in time: its line of figures and its picture.
static void draw(const char *name, const CheckedSchedule &checked, Cost unit) {
  const ScheduleReport &report = checked.report;
  int64_t memory = 0;
  for (const ScheduleReport::Rank &rank : report.ranks)
    memory = std::max(memory, rank.peakMemory);
  llvm::outs() << name << ": span " << report.span << ", wall " << report.wall
               << ", memory " << memory << " units" << checked.fault << "\n"
               << drawTimeline(checked.schedule, checked.timeline, unit)
               << "\n";
}

static void drawExamples() {
  const int p = 4, m = 8;
  PipelineCosts costs = PipelineCosts::uniform({p}, {1, 1, 1});
  PipelineCosts twoChunks = PipelineCosts::uniform({p, 2}, {1, 1, 1});
  draw("GPipe", checkedSchedule([] { return gpipeOrder(p, m); }, costs), 1);
  draw("1F1B", checkedSchedule([] { return oneFOneBOrder(p, m); }, costs), 1);
  draw("interleaved",
       checkedSchedule([] { return interleavedOrder(p, 2, m); }, twoChunks), 1);
  draw("ZB-H1", checkedSchedule(zeroBubbleH1(p, m, {1, 1, 1}, 0)), 1);
  draw("ZB-H2", checkedSchedule(zeroBubbleH2(p, m, {1, 1, 1}, 0)), 1);
  draw("ZB-V", checkedSchedule(zeroBubbleV(p, m, {1, 1, 1}, 0)), 1);
}

int main(int argc, char **argv) {
  llvm::cl::opt<bool> figures("figures", llvm::cl::desc("known figures"));
  llvm::cl::opt<int> mutants(
      "mutants", llvm::cl::desc("this many faulty and as many correct lists"),
      llvm::cl::init(0));
  llvm::cl::opt<unsigned> seed("seed", llvm::cl::init(1));
  llvm::cl::opt<bool> pictures("draw", llvm::cl::desc("example timelines"));
  llvm::cl::ParseCommandLineOptions(argc, argv, "figures of schedules\n");
  if (pictures) {
    drawExamples();
    return 0;
  }
  llvm::json::Object result;
  if (figures) {
    result["golden"] = toJson(goldenFigures());
    result["formulas"] = toJson(formulaFigures());
    result["vee"] = toJson(veeFigures());
  }
  if (mutants > 0)
    result["mutants"] = toJson(judgeMutants(mutants, seed));
  llvm::outs() << llvm::formatv("{0:2}", llvm::json::Value(std::move(result)))
               << "\n";
  return 0;
}
