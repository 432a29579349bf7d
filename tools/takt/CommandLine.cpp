//===- CommandLine.cpp - what the user asks for ---------------------------===//
#include "CommandLine.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <CLI/CLI.hpp>

#include <iostream>

using namespace takt;

static constexpr const char *footer =
    "Exit codes: 0 ok; 1 internal error; 2 usage; 3 operation not supported;\n"
    "4 bad input; 5 damaged bundle; 6 environment (disk, memory, CPU);\n"
    "75 a rank failed; 130 interrupted.";

/// `name=number` pairs into a map; CLI11 reports what does not fit.
static CLI::Option *addSizes(CLI::App *app, const char *flag,
                             std::map<std::string, int64_t> &sizes,
                             const char *help) {
  std::function<void(const std::vector<std::string> &)> store =
      [&sizes, flag](const std::vector<std::string> &entries) {
        for (const std::string &entry : entries) {
          auto [name, size] = llvm::StringRef(entry).split('=');
          int64_t value = 0;
          if (name.empty() || size.getAsInteger(10, value) || value < 0)
            throw CLI::ValidationError(flag, "expected NAME=SIZE, found '" +
                                                 entry + "'");
          sizes[name.str()] = value;
        }
      };
  return app->add_option_function(flag, store, help)
      ->type_name("NAME=SIZE")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// `--tp N` or `--tp N,M,…`.
static void addDegrees(CLI::App *app, std::vector<int64_t> &tensor) {
  std::function<void(const std::string &)> store =
      [&tensor](const std::string &list) {
        tensor.clear();
        llvm::SmallVector<llvm::StringRef> parts;
        llvm::StringRef(list).split(parts, ',');
        for (llvm::StringRef part : parts) {
          int64_t degree = 0;
          if (part.getAsInteger(10, degree) || degree < 1 || degree > 4096)
            throw CLI::ValidationError(
                "--tp",
                "expected N or N,M,... of 1 to 4096, found '" + list + "'");
          tensor.push_back(degree);
        }
      };
  app->add_option_function("--tp", store,
                           "ranks per stage: one number, or one per stage")
      ->type_name("N[,M,...]")
      ->default_str("1");
}

/// What compile and plan have in common.
static void addPlanning(CLI::App *sub, CompileOptions &options,
                        std::vector<int64_t> &tensor) {
  sub->add_option("model", options.model, "ONNX model (.onnx, or .onnxtxt)")
      ->required();
  sub->add_option("--pp", options.grid.pipeline, "pipeline stages")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  addDegrees(sub, tensor);
  sub->add_option("--dp", options.grid.dataParallel, "replicas")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  CLI::Option *devices =
      sub->add_option("--devices", options.devices,
                      "choose --dp, --pp and --tp for so many devices")
          ->check(CLI::Range(1, 64));
  std::function<void(const std::string &)> setObjective =
      [&options](const std::string &name) {
        options.objective =
            name == "latency" ? Objective::Latency : Objective::Throughput;
      };
  sub->add_option_function("--optimize", setObjective,
                           "what --devices chooses for")
      ->type_name("throughput|latency")
      ->check(CLI::IsMember({"throughput", "latency"}))
      ->default_str("throughput")
      ->needs(devices);
  for (const char *degree : {"--dp", "--pp", "--tp"})
    devices->excludes(sub->get_option(degree));
  sub->add_option("--cluster", options.grid.clusterFile,
                  "cluster file: rates of the devices and links (JSON)");
  addSizes(sub, "--dim", options.dims, "fix a dimension of the model");
  addSizes(sub, "--assume", options.assumed,
           "a dimension's typical size, for costs");
  sub->add_flag(
      "--allow-links", options.allowLinks,
      "follow links to external data (caches that name files by content)");
  sub->add_flag("-q,--quiet", options.quiet, "print errors only");
  sub->add_flag("-v,--verbose", options.verbose,
                "print each phase and its time as it ends");
}

static void addCompile(CLI::App &app, CommandLine &line, std::string &phase,
                       std::vector<int64_t> &tensor) {
  CLI::App *sub = app.add_subcommand("compile", "compile a model to a bundle");
  CompileOptions &options = line.compile;
  addPlanning(sub, options, tensor);
  sub->add_option("-o,--output", options.output,
                  "bundle to write (default: MODEL.takt); with --to, a file");
  sub->add_option("--target", options.target, "cpu, or reference (loops only)")
      ->check(CLI::IsMember({"cpu", "reference"}))
      ->capture_default_str();
  sub->add_option("--target-cpu", options.targetCpu,
                  "LLVM name of the CPU, or host")
      ->capture_default_str();
  sub->add_option("--to", phase,
                  "stop after a phase and print it: " + phaseNames());
  sub->add_option("--dump-phases", options.dumpDirectory,
                  "directory that gets the program after each phase");
  sub->add_flag("--timing", options.timing,
                "print the time of each phase and pass");
  sub->allow_extras(); // --mlir-… options, checked below
  sub->parse_complete_callback([&line] { line.command = Command::Compile; });
}

static void addPlan(CLI::App &app, CommandLine &line,
                    std::vector<int64_t> &tensor) {
  CLI::App *sub = app.add_subcommand(
      "plan", "say how a model would be cut; its weights may be absent");
  CompileOptions &options = line.compile;
  addPlanning(sub, options, tensor);
  sub->add_option("-o,--output", options.output,
                  "file to write (default: standard output)");
  sub->add_flag_callback(
      "--json",
      [&options] { options.planFormat = CompileOptions::PlanFormat::Json; },
      "print JSON");
  sub->parse_complete_callback([&line] {
    line.command = Command::Compile;
    line.compile.to = Phase::Plan;
    if (line.compile.planFormat == CompileOptions::PlanFormat::None)
      line.compile.planFormat = CompileOptions::PlanFormat::Table;
  });
}

static void addInspect(CLI::App &app, CommandLine &line) {
  CLI::App *sub =
      app.add_subcommand("inspect", "say what a model is, and what of "
                                    "it is not supported");
  sub->add_option("model", line.inspect.model, "ONNX model")->required();
  addSizes(sub, "--assume", line.inspect.assumed,
           "a dimension's size, for the work");
  sub->add_flag("--json", line.inspect.json, "print JSON");
  sub->parse_complete_callback([&line] { line.command = Command::Inspect; });
}

static void addCluster(CLI::App &app, CommandLine &line) {
  CLI::App *sub = app.add_subcommand(
      "cluster", "show known devices and links, or check a cluster file");
  auto *subject = sub->add_option("subject", line.cluster.subject,
                                  "name in the catalogue, or cluster file");
  sub->add_flag("--list", "show the catalogue (so does no argument)")
      ->excludes(subject);
  sub->add_flag("--json", line.cluster.json, "print JSON");
  sub->parse_complete_callback([&line] { line.command = Command::Cluster; });
}

/// The arguments go to the program that measures.
static void addCalibrate(CLI::App &app, CommandLine &line) {
  CLI::App *sub = app.add_subcommand(
      "calibrate", "measure this machine and write its cluster file");
  sub->set_help_flag();
  sub->prefix_command();
  sub->parse_complete_callback([&line, sub] {
    line.command = Command::Calibrate;
    line.calibrateArguments = sub->remaining();
  });
}

/// run and bench hand their arguments to the bundle's own program.
static void addBundleCommand(CLI::App &app, CommandLine &line, Command command,
                             const char *name, const char *help) {
  CLI::App *sub = app.add_subcommand(name, help);
  sub->set_help_flag();
  sub->prefix_command();
  sub->add_option("bundle", line.bundle, "bundle made by takt compile")
      ->required();
  sub->footer("All further options go to BUNDLE/run; see BUNDLE/run --help.");
  sub->parse_complete_callback([&line, command, sub] {
    line.command = command;
    line.bundleArguments = sub->remaining();
  });
}

/// What is left over must be options of the pass manager.
static int collectExtras(CLI::App &app, CommandLine &line) {
  if (!app.got_subcommand("compile"))
    return 0;
  for (const std::string &extra : app.get_subcommand("compile")->remaining()) {
    if (extra.rfind("--mlir-", 0) != 0) {
      std::cerr << "error: unknown option or argument '" << extra
                << "'; see takt compile --help\n";
      return int(CompileStatus::Usage);
    }
    line.mlirOptions.push_back(extra);
  }
  return 0;
}

int takt::parseCommandLine(int argc, char **argv, CommandLine &line,
                           bool &done) {
  CLI::App app(
      "Takt: cuts an ONNX model into pipeline stages and tensor shards and "
      "compiles it to a bundle.",
      "takt");
  app.set_version_flag("--version", "takt " TAKT_VERSION);
  app.require_subcommand(1);
  app.footer(footer);
  std::string phase;
  std::vector<int64_t> tensor = {1};
  addCompile(app, line, phase, tensor);
  addPlan(app, line, tensor);
  addInspect(app, line);
  addCluster(app, line);
  addCalibrate(app, line);
  addBundleCommand(app, line, Command::Run, "run", "run a bundle");
  addBundleCommand(app, line, Command::Bench, "bench", "measure a bundle");
  done = true;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error);
    std::cerr << "error: " << error.what() << "\n";
    return int(CompileStatus::Usage);
  }
  if (!phase.empty()) {
    auto parsed = parsePhase(phase);
    if (!parsed) {
      std::cerr << "error: --to: no phase '" << phase << "'; the phases are "
                << phaseNames() << "\n";
      return int(CompileStatus::Usage);
    }
    line.compile.to = *parsed;
  }
  line.compile.grid.tensor.assign(tensor.begin(), tensor.end());
  if (int code = collectExtras(app, line))
    return code;
  done = false;
  return 0;
}
