//===- takt.cpp - the command line tool -----------------------------------===//
#include "CommandLine.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <unistd.h>

using namespace takt;

/// A program that lies beside the tool: bin/takt and libexec/takt/NAME after
/// installation, bin/takt and runtime/NAME in the build tree.
static std::string findProgram(const char *argv0, llvm::StringRef name) {
  static int anchor;
  std::string self = llvm::sys::fs::getMainExecutable(argv0, &anchor);
  llvm::StringRef folder = llvm::sys::path::parent_path(self);
  for (const char *place : {"../libexec/takt", "../runtime"}) {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, place, name);
    if (llvm::sys::fs::can_execute(path))
      return std::string(path);
  }
  return "";
}

/// Becomes another program; returns only where that fails.
static void become(const std::string &program,
                   std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program);
  std::vector<char *> raw;
  for (std::string &argument : arguments)
    raw.push_back(argument.data());
  raw.push_back(nullptr);
  execv(program.c_str(), raw.data());
}

/// Becomes the bundle's own program, so that there is one implementation.
static int runBundle(const CommandLine &line) {
  std::string program = line.bundle + "/run";
  if (!llvm::sys::fs::exists(line.bundle + "/manifest.json")) {
    llvm::errs()
        << "error: '" << line.bundle
        << "' is no bundle: it has no manifest.json; make one with takt "
           "compile\n";
    return int(CompileStatus::BadInput);
  }
  std::vector<std::string> arguments = line.bundleArguments;
  if (line.command == Command::Bench)
    arguments.insert(arguments.begin(), "--bench");
  become(program, std::move(arguments));
  int error = errno;
  constexpr int damagedBundle = 5; // as `run` has it
  llvm::errs() << "error: "
               << (error == ENOENT ? "the bundle is damaged: " : "")
               << "cannot start '" << program << "': " << strerror(error)
               << "\n";
  return error == ENOENT ? damagedBundle : int(CompileStatus::Environment);
}

/// The measuring program belongs to the runtime: it uses its library calls and
/// channels.
static int calibrate(const CommandLine &line, const char *argv0) {
  std::string program = findProgram(argv0, "calibrate");
  if (!program.empty())
    become(program, line.calibrateArguments);
  llvm::errs() << "error: cannot start the program 'calibrate' that is "
                  "installed with takt: "
               << strerror(program.empty() ? ENOENT : errno) << "\n";
  return int(CompileStatus::Environment);
}

/// Print-ir, timing, statistics and crash reproducers of MLIR.
static bool parseMlirOptions(const std::vector<std::string> &options) {
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  std::vector<const char *> raw = {"takt"};
  for (const std::string &option : options)
    raw.push_back(option.c_str());
  std::string message;
  llvm::raw_string_ostream os(message);
  if (llvm::cl::ParseCommandLineOptions(raw.size(), raw.data(), "", &os))
    return true;
  llvm::errs() << "error: " << llvm::StringRef(message).split('\n').first
               << "\n";
  return false;
}

static volatile std::sig_atomic_t interrupted = 0;

/// The first signal lets the compiler stop by itself and clean up; a second one
/// ends the process.
static void interruptOnSignal() {
  for (int signal : {SIGINT, SIGTERM})
    std::signal(signal, [](int number) {
      interrupted = number;
      std::signal(number, SIG_DFL);
    });
}

static int compile(CommandLine &line, const char *argv0) {
  if (!parseMlirOptions(line.mlirOptions))
    return int(CompileStatus::Usage);
  CompileOptions &options = line.compile;
  if (options.output.empty() && options.to == Phase::Bundle) {
    llvm::SmallString<128> output(llvm::sys::path::filename(options.model));
    llvm::sys::path::replace_extension(output, "takt");
    options.output = std::string(output);
  }
  options.runProgram = findProgram(argv0, "run");
  options.isInterrupted = [] { return interrupted != 0; };
  interruptOnSignal();
  CompileStatus status = compileModel(options);
  // As shells count: 130 for SIGINT, 143 for SIGTERM.
  return status == CompileStatus::Interrupted && interrupted ? 128 + interrupted
                                                             : int(status);
}

int main(int argc, char **argv) {
  CommandLine line;
  bool done = false;
  int code = parseCommandLine(argc, argv, line, done);
  if (done)
    return code;
  switch (line.command) {
  case Command::Compile:
    return compile(line, argv[0]);
  case Command::Inspect:
    return int(inspectModel(line.inspect));
  case Command::Cluster:
    return int(reportCluster(line.cluster));
  case Command::Calibrate:
    return calibrate(line, argv[0]);
  case Command::Run:
  case Command::Bench:
    return runBundle(line);
  }
}
