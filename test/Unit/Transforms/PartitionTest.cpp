//===- PartitionTest.cpp - any legal plan gives the model's values --------===//
//
// Stages and states are drawn at random from what the rules allow, the program
// is split and partitioned, and all ranks are interpreted.
//
//===----------------------------------------------------------------------===//
#include "Models.h"

#include "takt/Dialect/Takt/SizeAnalysis.h"
#include "takt/Transforms/Passes.h"
#include "takt/Transforms/PlanAttributes.h"

#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;
using namespace takt;

namespace {

/// Draws a plan: one stage per part of the program, in program order.
class RandomPlan {
public:
  RandomPlan(ArrayRef<int64_t> degrees, unsigned seed)
      : degrees(degrees), random(seed) {}

  void apply(ModuleOp module) {
    ModulePlan plan;
    int64_t next = 0;
    for (int64_t degree : degrees) {
      StageRecord &stage = plan.stages.emplace_back();
      stage.tensorParallel = degree;
      for (int64_t shard = 0; shard < degree; ++shard)
        stage.ranks.push_back(next++);
    }
    plan.write(module);
    auto main = module.lookupSymbol<func::FuncOp>("main");
    SmallVector<Operation *> ops;
    for (Operation &op : main.getBody().front().without_terminator())
      if (isSource(&op))
        setStage(&op, 0); // a copy of it goes to each stage
      else
        ops.push_back(&op);
    for (auto [index, op] : llvm::enumerate(ops)) {
      setStage(op, index * degrees.size() / ops.size());
      setStates(op, draw(op));
    }
  }

private:
  Strategy draw(Operation *op) {
    auto tensorOp = cast<TensorOpInterface>(op);
    auto strategies =
        enumerateStrategies(tensorOp.getShardingRule(sizes.operandShapes(op),
                                                     sizes.resultShapes(op)),
                            degrees[*stageOf(op)]);
    // A partial sum is only there where an op of the same stage left it.
    llvm::erase_if(strategies, [&](const Strategy &strategy) {
      for (auto [operand, state] :
           llvm::zip(op->getOperands(), strategy.operands))
        if (state.kind == State::Partial && !isPartial(operand, op))
          return true;
      return false;
    });
    return strategies[random() % strategies.size()];
  }

  static bool isPartial(Value value, Operation *user) {
    Operation *producer = value.getDefiningOp();
    return producer && !isSource(producer) &&
           stageOf(producer) == stageOf(user) &&
           statesOf(producer)->results[0].kind == State::Partial;
  }

  ArrayRef<int64_t> degrees;
  std::mt19937 random;
  SizeAnalysis sizes;
};

} // namespace

/// Empty if the partitioned program computes what the original does.
static std::string check(StringRef text, ArrayRef<int64_t> degrees,
                         unsigned seed, double tolerance) {
  Context context;
  auto original = context.parse(text), module = context.parse(text);
  if (!original || !module)
    return "does not parse";
  RandomPlan(degrees, seed).apply(*module);
  PassManager manager(&context.context);
  manager.addPass(createVerifyPlanPass());
  manager.addPass(createSplitStagesPass());
  manager.addPass(createVerifyStagesPass());
  manager.addPass(createPartitionPass());
  manager.addPass(createVerifyPartitionPass());
  if (failed(manager.run(*module)))
    return "a pass failed";
  return llvm::toString(comparePartitioned(*original, *module, requests(),
                                           tolerance, madeUpWeight));
}

static const SmallVector<int64_t> grids[] = {
    {1},    {2},    {3},       {4},       {6},          {1, 1},
    {2, 2}, {1, 3}, {4, 2},    {2, 4},    {3, 3, 3},    {2, 1, 2},
    {6, 4}, {3, 2}, {2, 2, 2}, {1, 1, 1}, {2, 2, 2, 2},
};

TEST(Partition, PerceptronIsExactUnderAnyPlan) {
  for (const auto &grid : grids)
    for (unsigned seed = 0; seed < 20; ++seed)
      ASSERT_EQ(check(perceptron, grid, seed, 0), "")
          << "seed " << seed << ", " << grid.size() << " stages, first of "
          << grid[0];
}

TEST(Partition, TransformerBlockAgreesUnderAnyPlan) {
  for (const auto &grid : grids)
    for (unsigned seed = 0; seed < 12; ++seed)
      ASSERT_EQ(check(block, grid, seed, 1e-4), "")
          << "seed " << seed << ", " << grid.size() << " stages, first of "
          << grid[0];
}
