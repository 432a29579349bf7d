//===- Compile.cpp - a model becomes a bundle -----------------------------===//
#include "takt/Pipeline/Compile.h"

#include "AssumedSizes.h"
#include "Diagnostics.h"
#include "Emit.h"
#include "GridSearch.h"
#include "PlanReport.h"
#include "Progress.h"
#include "ScratchDirectory.h"
#include "TextOutput.h"

#include "takt/Conversion/OnnxToTakt/OnnxToTakt.h"
#include "takt/Import/Import.h"
#include "takt/Pipeline/Registration.h"
#include "takt/Support/OneLine.h"
#include "takt/Target/Target.h"

#include "runtime/abi/Abi.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace takt;

/// The schedule lists each rank's instructions.
static constexpr int64_t maxRanks = TAKT_MAX_RANKS;

namespace {

/// The state of one compilation.
class Compilation {
public:
  explicit Compilation(const CompileOptions &options)
      : options(options), grid(options.grid),
        context(makeRegistry(), MLIRContext::Threading::DISABLED),
        printer(context, options.quiet) {
    context.loadAllAvailableDialects();
    applyDefaultTimingManagerCLOptions(timing);
    timing.setEnabled(timing.isEnabled() || options.timing);
    rootTimer = timing.getRootScope();
  }

  CompileStatus run();

private:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  CompileStatus checkOptions();
  CompileStatus import();
  CompileStatus reportUnsupported();
  CompileStatus chooseGrid();
  CompileStatus runPhase(Phase phase);
  CompileStatus codegen();
  CompileStatus finish(Phase phase);
  CompileStatus dump(Phase phase);
  CompileStatus report(llvm::Error error);
  CompileStatus fail(CompileStatus status, const llvm::Twine &text) {
    llvm::errs() << "error: " << oneLine(text.str()) << "\n";
    return status;
  }

  const CompileOptions &options;
  GridOptions grid; // given, or chosen
  std::vector<GridCandidate> candidates;
  MLIRContext context;
  DiagnosticPrinter printer;
  DefaultTimingManager timing;
  TimingScope rootTimer;
  ScratchDirectory scratch;
  OwningOpRef<ModuleOp> module;
  ModelPorts ports;
};

} // namespace

/// What no single option says, checked before the work begins.
CompileStatus Compilation::checkOptions() {
  size_t degrees = grid.tensor.size();
  if (degrees != 1 && int64_t(degrees) != grid.pipeline)
    return fail(CompileStatus::Usage,
                "--tp lists " + llvm::Twine(degrees) +
                    " numbers; expected one, or one for each of " +
                    llvm::Twine(grid.pipeline) + " stages");
  int64_t ranks = 0;
  for (int64_t degree : grid.tensor)
    ranks += degree;
  ranks *= grid.dataParallel * (degrees == 1 ? grid.pipeline : 1);
  if (ranks > maxRanks)
    return fail(CompileStatus::Usage,
                "--dp, --pp and --tp make " + llvm::Twine(ranks) +
                    " ranks; expected at most " + llvm::Twine(maxRanks));
  TargetOptions targetOptions;
  targetOptions.cpu = options.targetCpu;
  if (auto target = createTarget(targetOptions); !target)
    return fail(CompileStatus::Usage,
                "--target-cpu: " + llvm::toString(target.takeError()));
  return CompileStatus::Ok;
}

CompileStatus Compilation::import() {
  TimingScope timer = rootTimer.nest("import");
  PhaseReport phaseReport(options, "import");
  if (llvm::Error error = scratch.create())
    return report(std::move(error));
  ImportOptions importOptions;
  importOptions.spoolFile = scratch.file("inline-weights.bin");
  importOptions.allowLinks = options.allowLinks;
  importOptions.allowMissingWeights =
      options.planFormat != CompileOptions::PlanFormat::None;
  for (auto &[name, size] : options.dims)
    importOptions.dims[name] = size;
  ImportError error = ImportError::None;
  module = importOnnx(context, options.model, importOptions, &error);
  if (module)
    return failed(setTypicalSizes(*module, options.assumed))
               ? CompileStatus::Usage
               : CompileStatus::Ok;
  switch (error) {
  case ImportError::Unsupported:
    return CompileStatus::Unsupported;
  case ImportError::BadOption:
    return CompileStatus::Usage;
  default:
    return CompileStatus::BadInput;
  }
}

CompileStatus Compilation::reportUnsupported() {
  std::vector<UnsupportedNode> nodes = collectUnsupported(*module);
  if (nodes.empty())
    return CompileStatus::Ok;
  llvm::errs() << "error: " << nodes.size() << " of " << countNodes(*module)
               << " nodes are not supported; see `takt inspect "
               << options.model << "`" << unsupportedText(nodes) << "\n";
  return CompileStatus::Unsupported;
}

CompileStatus Compilation::chooseGrid() {
  PhaseReport phaseReport(options, "search");
  candidates = searchGrids(*module, options.devices, options.objective,
                           grid.clusterFile);
  const GridCandidate &best = candidates.front();
  if (!best.problem.empty())
    return fail(CompileStatus::BadInput, "no plan for " +
                                             llvm::Twine(options.devices) +
                                             " devices: " + best.problem);
  grid = best.grid;
  return CompileStatus::Ok;
}

CompileStatus Compilation::runPhase(Phase phase) {
  TimingScope timer = rootTimer.nest(phaseName(phase));
  PhaseReport phaseReport(options, phaseName(phase));
  PassManager manager(&context);
  if (failed(applyPassManagerCLOptions(manager)))
    return CompileStatus::Usage;
  manager.enableTiming(timer);
  // The phases' own verifiers run at their ends.
  addPhasePasses(manager, phase, grid);
  if (failed(manager.run(*module)))
    return phase == Phase::Plan       ? CompileStatus::BadInput
           : phase == Phase::Legalize ? CompileStatus::Unsupported
                                      : CompileStatus::Internal;
  if (phase == Phase::Legalize)
    reconcileTypicalSizes(*module, options.assumed);
  if (phase == Phase::Simplify) {
    FailureOr<ModelPorts> read = ModelPorts::read(*module);
    if (failed(read))
      return CompileStatus::Unsupported;
    ports = std::move(*read);
    if (llvm::Error error = ports.checkNames())
      return report(std::move(error));
  }
  return CompileStatus::Ok;
}

CompileStatus Compilation::report(llvm::Error error) {
  auto [code, text] = describeError(std::move(error));
  return fail(CompileStatus(int(code)), text);
}

/// Writes the IR after a phase to the dump directory, if there is one.
CompileStatus Compilation::dump(Phase phase) {
  if (options.dumpDirectory.empty())
    return CompileStatus::Ok;
  if (auto error = llvm::sys::fs::create_directories(options.dumpDirectory))
    return fail(CompileStatus::Environment, "--dump-phases: cannot make '" +
                                                options.dumpDirectory +
                                                "': " + error.message());
  llvm::SmallString<256> path(options.dumpDirectory);
  llvm::sys::path::append(path, llvm::Twine(int(phase)) + "-" +
                                    phaseName(phase) + ".mlir");
  std::string message;
  auto file = openOutputFile(path, &message);
  if (!file)
    return fail(CompileStatus::Environment, message);
  module->print(file->os(), OpPrintingFlags().elideLargeElementsAttrs(64));
  file->keep();
  return CompileStatus::Ok;
}

/// Prints what the last phase made.
CompileStatus Compilation::finish(Phase phase) {
  if (options.planFormat != CompileOptions::PlanFormat::None) {
    FailureOr<proto::Plan> plan = planMessage(*module);
    if (failed(plan))
      return CompileStatus::Internal;
    return writeText(options.output, [&](llvm::raw_ostream &os) {
      printPlan(*plan, candidates, options.model,
                options.planFormat == CompileOptions::PlanFormat::Json, os);
    });
  }
  return writeText(options.output,
                   [&](llvm::raw_ostream &os) { module->print(os); });
}

CompileStatus Compilation::codegen() {
  llvm::Expected<BundleInput> input = [&] {
    TimingScope timer = rootTimer.nest("codegen");
    PhaseReport phaseReport(options, "codegen");
    return compileStages(*module, ports, options);
  }();
  if (!input)
    return report(input.takeError());
  if (options.to == Phase::Codegen)
    return writeText(options.output, [&](llvm::raw_ostream &os) {
      for (const BundleStage &stage : input->stages)
        os << stage.program.DebugString();
    });
  TimingScope timer = rootTimer.nest("bundle");
  PhaseReport phaseReport(options, "bundle");
  if (llvm::Error error = emitBundle(*input, options))
    return report(std::move(error));
  return CompileStatus::Ok;
}

CompileStatus Compilation::run() {
  if (CompileStatus status = checkOptions(); status != CompileStatus::Ok)
    return status;
  if (CompileStatus status = import(); status != CompileStatus::Ok)
    return status;
  for (Phase phase = Phase::Import; phase <= Phase::Dispatch;
       phase = Phase(int(phase) + 1)) {
    CompileStatus status = options.isInterrupted() ? CompileStatus::Interrupted
                                                   : CompileStatus::Ok;
    if (status == CompileStatus::Ok && phase == Phase::Legalize)
      status = reportUnsupported();
    if (status == CompileStatus::Ok && phase == Phase::Plan &&
        options.devices > 0)
      status = chooseGrid();
    if (status == CompileStatus::Ok && phase != Phase::Import)
      status = runPhase(phase);
    if (status == CompileStatus::Ok)
      status = dump(phase);
    if (status != CompileStatus::Ok)
      return status;
    if (phase == options.to)
      return finish(phase);
  }
  return codegen();
}

CompileStatus takt::compileModel(const CompileOptions &options) {
  return Compilation(options).run();
}
