/// The command line of `run`.
#ifndef TAKT_RUNTIME_RUN_COMMANDLINE_H
#define TAKT_RUNTIME_RUN_COMMANDLINE_H

#include "runtime/core/Engine.h"

#include <string>
#include <utility>
#include <vector>

namespace takt::runtime {

enum class Mode { Run, Bench, Info, Help, Version };

struct CommandLine {
  Mode mode = Mode::Run;
  std::vector<std::pair<std::string, std::string>> inputs; // name, file
  std::string requests; // directory with one directory per request
  std::string output;   // directory
  std::string bundle;   // default: where the executable lies
  bool stacked = false;
  bool json = false;
  bool quiet = false;
  int64_t repeat = 0;   // 0: not given
  int64_t inFlight = 0; // 0: chosen from the number of stages
  std::vector<std::pair<std::string, int64_t>> dims; // name, size
  EngineOptions engine;
};

Result<CommandLine> parseCommandLine(int argc, char **argv);
const char *getHelpText();

} // namespace takt::runtime

#endif
