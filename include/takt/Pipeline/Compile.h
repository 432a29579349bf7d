//===- Compile.h - a model becomes a bundle -------------------------------===//
#ifndef TAKT_PIPELINE_COMPILE_H
#define TAKT_PIPELINE_COMPILE_H

#include "takt/Pipeline/Phases.h"

#include <functional>
#include <map>
#include <string>

namespace takt {

/// What `takt` exits with; docs/CommandLine.md has the table.
enum class CompileStatus : int {
  Ok = 0,
  Internal = 1,
  Usage = 2,
  Unsupported = 3,
  BadInput = 4,
  Environment = 6,
  Interrupted = 130,
};

/// What a plan is chosen for: micro-batches per second, or the time of one.
enum class Objective { Throughput, Latency };

struct CompileOptions {
  std::string model;
  /// The bundle, or for another `to` a file; empty or "-" is standard output.
  std::string output;
  Phase to = Phase::Bundle;
  GridOptions grid;
  /// Above 0: the degrees of `grid` are chosen for so many devices.
  int64_t devices = 0;
  Objective objective = Objective::Throughput;
  /// --dim: fixes a dimension. --assume: its typical size, for costs.
  std::map<std::string, int64_t> dims, assumed;
  /// `host`, or an LLVM CPU name.
  std::string targetCpu = "host";
  /// `cpu`, or `reference`: loops only.
  std::string target = "cpu";
  /// Directory that gets the IR after each phase; empty for none.
  std::string dumpDirectory;
  /// The `run` program and the libraries that travel in the bundle.
  std::string runProgram;
  /// Asked between phases and while weights are packed; true stops the work.
  std::function<bool()> isInterrupted = [] { return false; };
  bool allowLinks = false;
  /// `takt plan`: with `to` = Plan, what is written is the plan, and external
  /// weights need not exist.
  enum class PlanFormat { None, Table, Json };
  PlanFormat planFormat = PlanFormat::None;
  bool quiet = false;
  bool verbose = false;
  bool timing = false;
};

/// Runs the phases up to `options.to` and writes what the last one made.
/// Diagnostics go to standard error; nothing is left at `output` on failure.
CompileStatus compileModel(const CompileOptions &options);

struct InspectOptions {
  std::string model;
  std::map<std::string, int64_t> assumed;
  bool json = false;
};

/// Prints what a model is and whether all of it is supported.
CompileStatus inspectModel(const InspectOptions &options);

} // namespace takt

#endif
