/// Runs the bundle that this executable lies in. Exit codes:
///   0         success
///   2         command line
///   4         input: name, shape, dtype, missing, guard
///   5         bundle damaged or of another version
///   6         environment: disk, memory, I/O, processor too old
///   75        a rank failed or made no progress within the deadline
///   129, 130, 143  ended by SIGHUP, SIGINT, SIGTERM
#include "runtime/run/Commands.h"
#include "runtime/run/Signals.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <exception>
#include <unistd.h>

namespace takt::runtime {

void exitWith(const Status &status) {
  int code = static_cast<int>(status.getCode());
  std::string text = status.getText();
  // Names come from models and files and hold any byte; an error is one line.
  std::replace_if(
      text.begin(), text.end(),
      [](unsigned char c) { return c < 32 || c == 127; }, ' ');
  std::fprintf(stderr, "error: %s (exit %d)\n", text.c_str(), code);
  removeTemporaries();
  std::fflush(nullptr);
  _exit(code); // a rank may be stuck, so nobody is waited for
}

namespace {

Result<std::string> findBundle(const CommandLine &line) {
  if (!line.bundle.empty())
    return line.bundle;
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  if (length <= 0)
    return environmentError("cannot find the bundle of this executable; name ",
                            "it with --bundle");
  std::string text(path, static_cast<size_t>(length));
  return text.substr(0, text.rfind('/'));
}

Status runCommand(const CommandLine &line) {
  Result<std::string> directory = findBundle(line);
  if (!directory.ok())
    return directory.status();
  Result<std::unique_ptr<Bundle>> bundle = Bundle::open(*directory);
  if (!bundle.ok())
    return bundle.status();
  switch (line.mode) {
  case Mode::Bench:
    return runBench(**bundle, line);
  case Mode::Info:
    return printInfo(**bundle, line);
  default:
    return runRequests(**bundle, line);
  }
}

int runMain(int argc, char **argv) {
  Result<CommandLine> line = parseCommandLine(argc, argv);
  if (!line.ok())
    exitWith(line.status());
  if (line->mode == Mode::Help)
    std::printf("%s", getHelpText());
  else if (line->mode == Mode::Version)
    std::printf("takt run %s, stage ABI %d\n", TAKT_VERSION, TAKT_ABI_VERSION);
  else if (Status status = runCommand(*line); !status.ok())
    exitWith(status);
  if (std::fflush(stdout) != 0)
    exitWith(environmentError("cannot write to standard output"));
  return 0;
}

} // namespace
} // namespace takt::runtime

int main(int argc, char **argv) {
  using namespace takt::runtime;
  installSignalHandling();
  try {
    return runMain(argc, argv);
  } catch (const std::bad_alloc &) {
    exitWith(environmentError("out of memory"));
  } catch (const std::exception &exception) {
    exitWith(environmentError("unexpected: ", exception.what()));
  }
}
