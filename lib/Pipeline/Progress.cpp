//===- Progress.cpp - what the user sees while a model compiles -----------===//
#include "Progress.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace takt;

PhaseReport::~PhaseReport() {
  if (!options.verbose)
    return;
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - start;
  llvm::errs() << llvm::left_justify(phase, 10)
               << llvm::format("%.2f s\n", taken.count());
}

static bool isShown(const CompileOptions &options) {
  return !options.quiet && llvm::errs().is_displayed();
}

static double megabytes(int64_t bytes) { return bytes / 1e6; }

void takt::showPacking(const CompileOptions &options, int64_t done,
                       int64_t total) {
  if (!isShown(options))
    return;
  // Overwritten by what follows; a line of its own per step would scroll by.
  llvm::errs() << llvm::format("\rpack %.0f of %.0f MB   ", megabytes(done),
                               megabytes(total));
  if (done >= total)
    llvm::errs() << "\r\033[K";
}

/// Operations of all stages that call the library or communicate.
static int64_t countCalls(const BundleInput &input, bool collectives) {
  int64_t count = 0;
  for (const BundleStage &stage : input.stages)
    for (const proto::Operation &operation : stage.program.operations())
      count += operation.has_collective() == collectives;
  return count;
}

void takt::showSummary(const BundleInput &input,
                       const CompileOptions &options) {
  if (options.quiet)
    return;
  int64_t ranks = 0, weights = 0;
  for (const proto::PlanStage &stage : input.plan.stages()) {
    ranks += stage.ranks_size();
    weights += stage.weight_bytes() * stage.ranks_size();
  }
  ranks *= input.plan.data_parallel();
  llvm::raw_ostream &os = llvm::outs();
  os << options.output << "   " << ranks << " ranks in " << input.stages.size()
     << " stages · " << llvm::format("%.1f MB of weights", megabytes(weights))
     << " · " << countCalls(input, false) << " library calls · "
     << countCalls(input, true) << " collectives\n";
  os << "run it   " << options.output << "/run";
  for (const BundlePort &port : input.inputs)
    os << " --input " << port.name << "=FILE.npy";
  os << " --output DIR\n";
}
