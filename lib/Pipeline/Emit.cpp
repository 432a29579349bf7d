//===- Emit.cpp - from dispatches to a bundle -----------------------------===//
#include "Emit.h"
#include "PlanReport.h"

#include "Progress.h"
#include "ScratchDirectory.h"

#include "takt/Target/Target.h"
#include "takt/Transforms/PlanAttributes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace takt;

static llvm::Expected<BundleStage>
compileOne(ModuleOp module, ValueTable &values, Target &target) {
  llvm::Expected<StageObject> object = compileStage(module, values, target);
  if (!object)
    return object.takeError();
  ScratchDirectory scratch;
  if (llvm::Error error = scratch.create())
    return std::move(error);
  std::string objectPath = scratch.file("stage.o"),
              library = scratch.file("stage.so");
  std::error_code code;
  llvm::raw_fd_ostream os(objectPath, code);
  os << object->object;
  os.close();
  if (code || os.has_error())
    return environmentError("cannot write '" + objectPath + "'");
  if (llvm::Error error = linkStage({objectPath}, library))
    return std::move(error);
  auto bytes = llvm::MemoryBuffer::getFile(library);
  if (!bytes)
    return environmentError("cannot read '" + library + "'");
  BundleStage stage;
  stage.module = module;
  stage.program = std::move(object->program);
  stage.libraryBytes = (*bytes)->getBuffer().str();
  stage.receivedBuffers = std::move(object->receivedBuffers);
  stage.sentBuffers = std::move(object->sentBuffers);
  return stage;
}

llvm::Expected<BundleInput> takt::compileStages(ModuleOp module,
                                                const ModelPorts &ports,
                                                const CompileOptions &options) {
  TargetOptions targetOptions;
  targetOptions.cpu = options.targetCpu;
  targetOptions.reference = options.target == "reference";
  auto target = createTarget(targetOptions);
  if (!target)
    return badInput("--target-cpu: " + llvm::toString(target.takeError()));
  FailureOr<ModulePlan> plan = ModulePlan::read(module);
  if (failed(plan))
    return badInput("the module has no plan");
  BundleInput input;
  input.module = module;
  input.model = std::string(llvm::sys::path::filename(options.model));
  input.targetCpu = (*target)->cpu();
  input.targetFeatures = (*target)->features();
  input.inputs = ports.inputs;
  input.outputs = ports.outputs;
  input.indexRanges = ports.indexRanges;
  input.plan = planMessage(*plan);
  for (ModuleOp stage : module.getOps<ModuleOp>()) {
    llvm::Expected<BundleStage> compiled =
        compileOne(stage, input.values, **target);
    if (!compiled)
      return compiled.takeError();
    addNodeNames(stage, -1, *input.plan.mutable_stages(input.stages.size()));
    input.stages.push_back(std::move(*compiled));
  }
  return std::move(input);
}

llvm::Error takt::emitBundle(BundleInput &input,
                             const CompileOptions &options) {
  llvm::StringRef folder = llvm::sys::path::parent_path(options.model);
  input.resolver = resolveBeside(folder.empty() ? "." : folder);
  if (options.runProgram.empty())
    return environmentError(
        "the program `run`, which each bundle carries, is not "
        "beside takt; install or build it");
  llvm::Expected<std::vector<CarriedFile>> carried = findCarriedFiles();
  if (!carried)
    return carried.takeError();
  input.carriedFiles = std::move(*carried);
  input.carriedFiles.push_back(
      {options.runProgram, "run", /*isExecutable=*/true});
  input.progress = [&](int64_t done, int64_t total) {
    showPacking(options, done, total);
    return !options.isInterrupted();
  };
  if (llvm::Error error = writeBundle(input, options.output))
    return error;
  showSummary(input, options);
  return llvm::Error::success();
}
