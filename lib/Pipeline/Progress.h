//===- Progress.h - what the user sees while a model compiles -------------===//
#ifndef TAKT_LIB_PIPELINE_PROGRESS_H
#define TAKT_LIB_PIPELINE_PROGRESS_H

#include "takt/Bundle/BundleWriter.h"
#include "takt/Pipeline/Compile.h"

#include <chrono>

namespace takt {

/// Prints a phase's name and time when the phase has ended, if verbose.
class PhaseReport {
public:
  PhaseReport(const CompileOptions &options, llvm::StringRef phase)
      : options(options), phase(phase) {}
  PhaseReport(const PhaseReport &) = delete;
  PhaseReport &operator=(const PhaseReport &) = delete;
  ~PhaseReport();

private:
  const CompileOptions &options;
  llvm::StringRef phase;
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

/// Shows the bytes packed so far, on a terminal only.
void showPacking(const CompileOptions &options, int64_t done, int64_t total);

/// Says what was made and how to run it, unless quiet.
void showSummary(const BundleInput &input, const CompileOptions &options);

} // namespace takt

#endif
