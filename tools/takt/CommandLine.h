//===- CommandLine.h - what the user asks for -----------------------------===//
#ifndef TAKT_TOOLS_TAKT_COMMANDLINE_H
#define TAKT_TOOLS_TAKT_COMMANDLINE_H

#include "takt/Pipeline/ClusterReport.h"
#include "takt/Pipeline/Compile.h"

#include <string>
#include <vector>

namespace takt {

enum class Command { Compile, Inspect, Cluster, Calibrate, Run, Bench };

struct CommandLine {
  Command command;
  CompileOptions compile;
  InspectOptions inspect;
  ClusterOptions cluster;
  /// What the program that measures gets.
  std::vector<std::string> calibrateArguments;
  /// Of run and bench: the bundle, and what its `run` program gets.
  std::string bundle;
  std::vector<std::string> bundleArguments;
  /// `--mlir-…` options of the pass manager.
  std::vector<std::string> mlirOptions;
};

/// Reads the arguments. Returns an exit code instead where there is nothing
/// more to do: help or version was printed, or the usage is wrong.
int parseCommandLine(int argc, char **argv, CommandLine &result, bool &done);

} // namespace takt

#endif
