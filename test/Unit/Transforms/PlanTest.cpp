//===- PlanTest.cpp - the planner's choice gives the model's values -------===//
#include "Models.h"

#include "takt/Transforms/Passes.h"
#include "takt/Transforms/PlanAttributes.h"

#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace takt;

/// Empty if the planned and partitioned program computes what the model does;
/// `plan` receives the plan.
static std::string check(StringRef text, PlanPassOptions options,
                         double tolerance, ModulePlan &plan) {
  Context context;
  auto original = context.parse(text), module = context.parse(text);
  if (!original || !module)
    return "does not parse";
  // Remarks about idle ranks are not of interest here.
  ScopedDiagnosticHandler quiet(&context.context, [](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() == DiagnosticSeverity::Remark);
  });
  PassManager manager(&context.context);
  manager.addPass(createPlanPass(options));
  manager.addPass(createVerifyPlanPass());
  manager.addPass(createSplitStagesPass());
  manager.addPass(createVerifyStagesPass());
  manager.addPass(createPartitionPass());
  manager.addPass(createVerifyPartitionPass());
  if (failed(manager.run(*module)))
    return "a pass failed";
  plan = *ModulePlan::read(*module);
  return llvm::toString(comparePartitioned(*original, *module, requests(),
                                           tolerance, madeUpWeight));
}

TEST(Plan, AllGridsGiveTheModelsValues) {
  for (int64_t pipeline : {1, 2, 3, 4})
    for (int64_t tensor = 1; tensor <= 4; ++tensor) {
      PlanPassOptions options;
      options.pipeline = pipeline;
      options.tensor = llvm::ArrayRef<int64_t>(tensor);
      ModulePlan plan;
      EXPECT_EQ(check(perceptron, options, 0, plan), "")
          << pipeline << " x " << tensor;
      EXPECT_EQ(plan.ranksPerReplica(), pipeline * tensor);
      EXPECT_EQ(check(block, options, 1e-4, plan), "")
          << pipeline << " x " << tensor;
      EXPECT_EQ(plan.ranksPerReplica(), pipeline * tensor);
    }
}

TEST(Plan, StagesMayHaveDifferentDegrees) {
  PlanPassOptions options;
  options.pipeline = 3;
  const int64_t degrees[] = {2, 1, 4};
  options.tensor = degrees;
  options.dataParallel = 2;
  ModulePlan plan;
  EXPECT_EQ(check(perceptron, options, 0, plan), "");
  EXPECT_EQ(plan.dataParallel, 2);
  EXPECT_EQ(check(block, options, 1e-4, plan), "");
}
