//===- Phases.cpp - the order of the passes -------------------------------===//
#include "takt/Pipeline/Phases.h"

#include "takt/Conversion/OnnxToTakt/OnnxToTakt.h"
#include "takt/Transforms/Passes.h"

#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace takt;

static constexpr llvm::StringLiteral names[] = {
    "import",    "legalize", "simplify", "plan",  "stage",
    "partition", "dispatch", "codegen",  "bundle"};

llvm::StringRef takt::phaseName(Phase phase) { return names[int(phase)]; }

std::optional<Phase> takt::parsePhase(llvm::StringRef name) {
  for (auto [i, candidate] : llvm::enumerate(names))
    if (candidate == name)
      return Phase(i);
  return std::nullopt;
}

std::string takt::phaseNames() {
  return llvm::join(llvm::ArrayRef<llvm::StringLiteral>(names), ", ");
}

static void addSimplify(mlir::OpPassManager &manager) {
  // Folds what legalize left, so that the idioms stand in one form.
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
  manager.addPass(createFoldConstantsPass());
  // Transposes of weights leave @main before idioms are matched around them.
  manager.addPass(createHoistWeightsPass());
  manager.addPass(createRecognizeIdiomsPass());
  // Before planning, so that costs and shardings see the layout that runs.
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(createPropagateTransposesPass());
  // Scales follow their convolution only now.
  manager.addPass(createFoldScalesPass());
  // Idioms leave dead ops and equal masks behind, and free weights for
  // hoisting.
  manager.addPass(mlir::createCanonicalizerPass());
  manager.addPass(mlir::createCSEPass());
  manager.addPass(createHoistWeightsPass());
  manager.addPass(createVerifySimplifiedPass());
}

static void addPlan(mlir::OpPassManager &manager, const GridOptions &grid) {
  PlanPassOptions options;
  options.dataParallel = grid.dataParallel;
  options.pipeline = grid.pipeline;
  options.tensor = grid.tensor;
  options.cluster = grid.clusterFile;
  manager.addPass(createPlanPass(options));
  manager.addPass(createVerifyPlanPass());
}

static void addDispatch(mlir::OpPassManager &manager) {
  // Before fusion, since the parts fuse with what stands around attention.
  manager.addPass(createDecomposeAttentionPass());
  // Conversions of states leave slices and gathers that two consumers share.
  manager.addPass(mlir::createCSEPass());
  manager.addPass(createFormDispatchesPass());
  manager.addPass(createVerifyDispatchesPass());
}

void takt::addPhasePasses(mlir::OpPassManager &manager, Phase phase,
                          const GridOptions &grid) {
  switch (phase) {
  case Phase::Legalize:
    manager.addPass(createLegalizePass());
    manager.addPass(createVerifyLegalizedPass());
    return;
  case Phase::Simplify:
    return addSimplify(manager);
  case Phase::Plan:
    return addPlan(manager, grid);
  case Phase::Stage:
    manager.addPass(createSplitStagesPass());
    manager.addPass(createVerifyStagesPass());
    return;
  case Phase::Partition:
    manager.addPass(createPartitionPass());
    manager.addPass(createVerifyPartitionPass());
    return;
  case Phase::Dispatch:
    return addDispatch(manager);
  case Phase::Import:
  case Phase::Codegen:
  case Phase::Bundle:
    return;
  }
}
