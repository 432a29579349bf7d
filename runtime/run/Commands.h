/// What `run` does, one function per mode.
#ifndef TAKT_RUNTIME_RUN_COMMANDS_H
#define TAKT_RUNTIME_RUN_COMMANDS_H

#include "runtime/core/Bundle.h"
#include "runtime/core/Request.h"
#include "runtime/run/CommandLine.h"

namespace takt::runtime {

/// Runs requests from files and writes their outputs.
Status runRequests(const Bundle &bundle, const CommandLine &line);
/// Measures and prints.
Status runBench(const Bundle &bundle, const CommandLine &line);
/// Prints what is in the bundle.
Status printInfo(const Bundle &bundle, const CommandLine &line);

/// Inputs made up from the dimensions' typical values, or `dims`: whole numbers
/// from {0, 1}, normally distributed floats, the same in each run.
class RandomInputs {
public:
  static Result<RandomInputs>
  make(const Manifest &manifest,
       const std::vector<std::pair<std::string, int64_t>> &dims);
  Status set(const Manifest &manifest, Request &request) const;

private:
  std::vector<std::vector<int64_t>> shapes;
  std::vector<MemoryBlock> blocks;
};

/// Requests under way at once: what the user said, or 2 for each stage.
size_t chooseInFlight(const Manifest &manifest, const CommandLine &line);

/// Ends the process after a failure that may have left threads stuck.
[[noreturn]] void exitWith(const Status &status);

} // namespace takt::runtime

#endif
