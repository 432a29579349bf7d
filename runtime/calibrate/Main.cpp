/// Measures this machine and writes its cluster file (takt calibrate). Exit
/// codes: 0 success, 2 command line, 6 environment.
#include "runtime/calibrate/Measure.h"
#include "runtime/comm/WaitPoint.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <unistd.h>

namespace takt::runtime {
namespace {

constexpr const char *helpText =
    "takt calibrate -o FILE: measures this machine and writes its cluster "
    "file\n"
    "\n"
    "  -o, --output FILE   cluster file to write; - is standard output\n"
    "      --seconds N     time to take, about (default 30)\n"
    "  -q, --quiet         print errors only\n"
    "\n"
    "Each core is a device. Nothing else should run meanwhile.\n";

struct Arguments {
  std::string output;
  double seconds = 30;
  bool quiet = false;
  bool help = false;
};

Result<Arguments> parseArguments(int argc, char **argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    bool takesValue = name == "-o" || name == "--output" || name == "--seconds";
    if (takesValue && i + 1 == argc)
      return usageError(name, " needs a value; see takt calibrate --help");
    if (name == "-o" || name == "--output") {
      arguments.output = argv[++i];
    } else if (name == "--seconds") {
      char *end = nullptr;
      arguments.seconds = std::strtod(argv[++i], &end);
      if (*end || !(arguments.seconds > 0 && arguments.seconds <= 3600))
        return usageError("--seconds is '", argv[i],
                          "'; expected a number above 0 and up to 3600");
    } else if (name == "-q" || name == "--quiet") {
      arguments.quiet = true;
    } else if (name == "-h" || name == "--help") {
      arguments.help = true;
    } else {
      return usageError("unknown argument '", name,
                        "'; see takt calibrate --help");
    }
  }
  if (arguments.output.empty() && !arguments.help)
    return usageError("-o FILE is missing: the cluster file to write");
  return arguments;
}

/// All of the text or no file: it takes its name when it is complete.
Status writeFile(const std::string &path, const std::string &text) {
  std::string temporary = join(path, ".", getpid(), ".tmp");
  std::FILE *file = std::fopen(temporary.c_str(), "w");
  bool isWritten =
      file && std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
      std::fflush(file) == 0 && fsync(fileno(file)) == 0;
  int error = errno;
  if (file && std::fclose(file) != 0)
    isWritten = false;
  if (isWritten && std::rename(temporary.c_str(), path.c_str()) == 0)
    return Status();
  if (isWritten)
    error = errno;
  if (file)
    unlink(temporary.c_str());
  return environmentError("cannot write '", path, "': ", std::strerror(error));
}

/// On a terminal only, on one line that goes away at the end.
void showProgress(const char *what, int done, int total) {
  std::fprintf(stderr, "\r\033[Kcalibrate   %-14s %d of %d", what, done, total);
}

void showSummary(const Calibration &calibration, const std::string &output,
                 double seconds) {
  double peak = 0;
  for (const ContractionPoint &point : calibration.contractions)
    peak = std::max(peak, point.flopsPerSecond);
  std::printf("%s   %d cores · %.1f GFLOP/s · %.1f GB/s · launch %.1f us",
              output.c_str(), calibration.cores, peak * 1e-9,
              calibration.bytesPerSecond * 1e-9,
              calibration.launchSeconds * 1e6);
  if (calibration.link.bytesPerSecond > 0)
    std::printf(" · message %.1f us, %.1f GB/s",
                calibration.link.alphaSeconds * 1e6,
                calibration.link.bytesPerSecond * 1e-9);
  std::printf(" · %.0f s\n", seconds);
}

Status runCalibration(const Arguments &arguments) {
  CalibrationOptions options;
  options.seconds = arguments.seconds;
  bool isShown = !arguments.quiet && isatty(STDERR_FILENO);
  if (isShown)
    options.progress = showProgress;
  int64_t begin = monotonicNow();
  Result<Calibration> calibration = calibrate(options);
  if (isShown)
    std::fprintf(stderr, "\r\033[K");
  if (!calibration.ok())
    return calibration.status();
  std::string text = clusterFileText(*calibration);
  if (arguments.output == "-") {
    bool isWritten = std::fputs(text.c_str(), stdout) >= 0;
    if (!isWritten || std::fflush(stdout) != 0)
      return environmentError("cannot write to standard output");
    return Status();
  }
  TAKT_RETURN_IF_ERROR(writeFile(arguments.output, text));
  if (!arguments.quiet)
    showSummary(*calibration, arguments.output,
                double(monotonicNow() - begin) * 1e-9);
  return Status();
}

int report(const Status &status) {
  if (!status.ok())
    std::fprintf(stderr, "error: %s\n", status.getText().c_str());
  return static_cast<int>(status.getCode());
}

int runMain(int argc, char **argv) {
  Result<Arguments> arguments = parseArguments(argc, argv);
  if (!arguments.ok())
    return report(arguments.status());
  if (!arguments->help)
    return report(runCalibration(*arguments));
  std::fputs(helpText, stdout);
  return 0;
}

} // namespace
} // namespace takt::runtime

int main(int argc, char **argv) {
  using namespace takt::runtime;
  try {
    return runMain(argc, argv);
  } catch (const std::exception &exception) {
    return report(environmentError("unexpected: ", exception.what()));
  }
}
