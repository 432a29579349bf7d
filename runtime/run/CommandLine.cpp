#include "runtime/run/CommandLine.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace takt::runtime {
namespace {

class ArgumentReader {
public:
  ArgumentReader(int argc, char **argv, CommandLine &line)
      : argc(argc), argv(argv), line(line) {}

  Status run() {
    for (index = 1; index < argc; ++index) {
      std::string_view argument = argv[index];
      size_t equals = argument.find('=');
      hasValue =
          argument.substr(0, 2) == "--" && equals != std::string_view::npos;
      if (hasValue) {
        value = argument.substr(equals + 1);
        argument = argument.substr(0, equals);
      }
      TAKT_RETURN_IF_ERROR(read(argument));
    }
    return Status();
  }

private:
  Status read(std::string_view name) {
    bool known = false;
    TAKT_RETURN_IF_ERROR(readFlag(name, known));
    if (known)
      return Status();
    if (name == "--input")
      return readPair(line.inputs);
    if (name == "--dim")
      return readDim();
    if (name == "--output")
      return readText(line.output);
    if (name == "--requests")
      return readText(line.requests);
    if (name == "--bundle")
      return readText(line.bundle);
    if (name == "--repeat")
      return readCount(line.repeat);
    if (name == "--requests-in-flight")
      return readCount(line.inFlight);
    if (name == "--threads-per-rank") {
      int64_t threads = 0;
      TAKT_RETURN_IF_ERROR(readCount(threads));
      if (threads > 1024)
        return usageError("--threads-per-rank ", threads, ": at most 1024");
      line.engine.threadsPerRank = static_cast<int>(threads);
      return Status();
    }
    if (name == "--deadline")
      return readDeadline();
    return usageError("unknown argument '", name, "'; see --help");
  }

  Status readFlag(std::string_view name, bool &known) {
    known = true;
    if (name == "--help" || name == "-h")
      line.mode = Mode::Help;
    else if (name == "--version")
      line.mode = Mode::Version;
    else if (name == "--info")
      line.mode = Mode::Info;
    else if (name == "--bench")
      line.mode = Mode::Bench;
    else if (name == "--stacked")
      line.stacked = true;
    else if (name == "--json")
      line.json = true;
    else if (name == "--quiet" || name == "-q")
      line.quiet = line.engine.quiet = true;
    else
      known = false;
    if (known && hasValue)
      return usageError(name, " takes no value");
    return Status();
  }

  Status next(std::string_view &text) {
    if (hasValue) {
      text = value;
    } else if (index + 1 < argc) {
      text = argv[++index];
    } else {
      return usageError(argv[index], " needs a value; see --help");
    }
    return Status();
  }

  Status readText(std::string &target) {
    std::string_view text;
    TAKT_RETURN_IF_ERROR(next(text));
    target = text;
    return target.empty() ? usageError("an option has an empty value")
                          : Status();
  }

  Status readPair(std::vector<std::pair<std::string, std::string>> &pairs) {
    std::string_view text;
    TAKT_RETURN_IF_ERROR(next(text));
    size_t equals = text.find('=');
    if (equals == 0 || equals == std::string_view::npos)
      return usageError("'", text, "': NAME=VALUE expected");
    pairs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    return Status();
  }

  Status parseCount(std::string_view text, int64_t least, int64_t &count) {
    const char *end = text.data() + text.size();
    auto [stop, code] = std::from_chars(text.data(), end, count);
    if (code != std::errc() || stop != end || count < least)
      return usageError("'", text, "': a whole number of at least ", least,
                        " expected");
    return Status();
  }

  Status readCount(int64_t &count) {
    std::string_view text;
    TAKT_RETURN_IF_ERROR(next(text));
    return parseCount(text, 1, count);
  }

  Status readDim() {
    std::vector<std::pair<std::string, std::string>> pairs;
    TAKT_RETURN_IF_ERROR(readPair(pairs));
    line.dims.emplace_back(pairs[0].first, 0);
    return parseCount(pairs[0].second, 0, line.dims.back().second);
  }

  Status readDeadline() {
    std::string text;
    TAKT_RETURN_IF_ERROR(readText(text));
    char *end = nullptr;
    double seconds = std::strtod(text.c_str(), &end);
    if (*end || !(seconds > 0) || seconds > 1e6)
      return usageError("--deadline '", text,
                        "': seconds above 0 and up to 1e6 expected");
    line.engine.deadline = seconds;
    return Status();
  }

  int argc;
  char **argv;
  CommandLine &line;
  int index = 1;
  bool hasValue = false;
  std::string_view value;
};

} // namespace

Result<CommandLine> parseCommandLine(int argc, char **argv) {
  CommandLine line;
  if (Status status = ArgumentReader(argc, argv, line).run(); !status.ok())
    return status;
  if (line.mode != Mode::Run) {
    if (!line.requests.empty() || line.stacked || !line.output.empty())
      return usageError("--requests, --stacked and --output do not go with ",
                        "--bench or --info");
    return line;
  }
  if (line.inputs.empty() == line.requests.empty())
    return usageError("either --input NAME=FILE.npy or --requests DIR is ",
                      "needed; see --help");
  if (line.output.empty())
    return usageError("--output DIR is missing");
  if (line.stacked && !line.requests.empty())
    return usageError("--stacked goes with --input only");
  if (!line.dims.empty())
    return usageError("--dim goes with --bench only; the inputs' shapes set "
                      "the sizes of a run");
  line.repeat = std::max<int64_t>(line.repeat, 1);
  return line;
}

const char *getHelpText() {
  return
      R"(Runs the compiled model of this bundle.

usage: run --input NAME=FILE.npy ... --output DIR
       run --requests DIR --output DIR
       run --bench [--json] [--dim NAME=N ...]
       run --info [--json]

  --input NAME=FILE.npy    an input of the model; once for each
  --output DIR             outputs go to DIR/NAME.npy
  --requests DIR           requests DIR/REQUEST/INPUT.npy, by name; outputs go
                           to OUTPUT-DIR/REQUEST/NAME.npy
  --stacked                the first axis of each input file counts requests;
                           outputs have it too
  --repeat N               run each request N times (default 1; --bench: N in
                           all, by default about 2 seconds' worth, at least 200)
  --bench                  measure rate, latency and time per stage; makes up
                           inputs unless --input is given
  --requests-in-flight N   requests under way at once, over all replicas
                           (default: 2 for each stage and replica)
  --dim NAME=N             size for made-up inputs
  --info                   what is in the bundle
  --json                   print for programs (--bench, --info)
  --threads-per-rank N     default: usable cores / ranks, at least 1
  --deadline SECONDS       give up after this long without progress
                           (default 60)
  --bundle DIR             default: the directory of this executable
  --quiet                  no warnings, no summary
  --version, --help

exit codes: 0 success, 2 command line, 4 inputs, 5 bundle damaged or of another
version, 6 disk, memory or processor, 75 a rank failed or made no progress,
129, 130 and 143 ended by a signal
)";
}

} // namespace takt::runtime
