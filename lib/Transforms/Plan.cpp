//===- Plan.cpp - chooses stages and shardings ----------------------------===//
#include "DuplicateSources.h"
#include "PlanStages.h"

#include "takt/Transforms/Passes.h"

#include <numeric>
#include <set>

namespace takt {
#define GEN_PASS_DEF_PLANPASS
#include "takt/Transforms/Passes.h.inc"
} // namespace takt

using namespace mlir;
using namespace takt;

/// Writes the states of every op under its stage's shardings.
static void writeStates(func::FuncOp function, ArrayRef<StageRecord> stages,
                        const ShardingsByWays &shardings) {
  for (Operation &op : function.getBody().front().without_terminator()) {
    const Shardings &chosen =
        shardings.at(stages[*stageOf(&op)].tensorParallel);
    Strategy strategy;
    if (isSource(&op))
      strategy.results.push_back(chosen.stateOfSource(&op));
    else
      strategy = chosen.strategies.at(&op);
    // What regions use from outside is always whole.
    strategy.operands.truncate(op.getNumOperands());
    setStates(&op, strategy);
  }
}

/// Bytes of the distinct shards that a stage's weight reads need.
static int64_t weightBytes(func::FuncOp function, int64_t stage, int64_t ways,
                           SizeAnalysis &sizes, const TypicalSizes &typical) {
  std::set<std::pair<std::string, std::string>> held;
  double total = 0;
  function.walk([&](WeightReadOp read) {
    Operation *top = read;
    while (top->getParentOp() != function)
      top = top->getParentOp();
    if (stageOf(top) != stage)
      return;
    // A read in a region has no state of its own and wants the whole weight.
    State state = top == read ? statesOf(read)->results[0] : State();
    if (held.insert({read.getWeight().str(), state.str()}).second)
      total +=
          typical.bytes(read, sizes) / (state.kind == State::Split ? ways : 1);
  });
  return int64_t(total);
}

namespace {
struct PlanPass : takt::impl::PlanPassBase<PlanPass> {
  using PlanPassBase::PlanPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main || main.isDeclaration()) {
      module.emitError("module has no function @main to plan");
      return signalPassFailure();
    }
    FailureOr<SmallVector<int64_t>> degrees = tensorDegrees();
    if (failed(degrees))
      return signalPassFailure();
    int64_t ranks = 0;
    for (int64_t degree : *degrees)
      ranks += degree * dataParallel;
    FailureOr<Cluster> hardware = loadHardware(ranks);
    if (failed(hardware) || failed(plan(main, *degrees, *hardware)))
      signalPassFailure();
  }

private:
  FailureOr<SmallVector<int64_t>> tensorDegrees();
  FailureOr<Cluster> loadHardware(int64_t ranks);
  LogicalResult plan(func::FuncOp main, ArrayRef<int64_t> degrees,
                     const Cluster &hardware);
};
} // namespace

/// The ranks of each stage, from the options.
FailureOr<SmallVector<int64_t>> PlanPass::tensorDegrees() {
  constexpr int64_t limit = 1 << 16;
  auto check = [&](StringRef what, int64_t value) -> LogicalResult {
    if (value >= 1 && value <= limit)
      return success();
    return getOperation().emitError("option ")
           << what << " is " << value << ", expected 1 to " << limit;
  };
  if (failed(check("data-parallel", dataParallel)) ||
      failed(check("pipeline", pipeline)))
    return failure();
  SmallVector<int64_t> degrees(tensor.begin(), tensor.end());
  for (int64_t degree : degrees)
    if (failed(check("tensor", degree)))
      return failure();
  if (degrees.size() > 1 && int64_t(degrees.size()) != pipeline)
    return getOperation().emitError("option tensor lists ")
           << degrees.size() << " numbers, expected one or one for each of "
           << int64_t(pipeline) << " stages";
  if (degrees.size() <= 1)
    degrees.assign(pipeline, degrees.empty() ? 1 : degrees[0]);
  return degrees;
}

FailureOr<Cluster> PlanPass::loadHardware(int64_t ranks) {
  if (cluster.empty())
    return defaultCluster(ranks);
  auto loaded = loadCluster(cluster);
  if (!loaded)
    return getOperation().emitError(llvm::toString(loaded.takeError()));
  if (loaded->deviceCount() < ranks)
    emitRemark(getOperation().getLoc())
        << "the plan has " << ranks << " ranks, the cluster "
        << loaded->deviceCount() << " devices: ranks will share devices";
  return *loaded;
}

LogicalResult PlanPass::plan(func::FuncOp main, ArrayRef<int64_t> degrees,
                             const Cluster &hardware) {
  CostModel model(hardware);
  duplicateFreeOps(main);
  SizeAnalysis sizes;
  TypicalSizes typical(getOperation());
  ShardingsByWays shardings;
  for (int64_t degree : degrees) {
    if (shardings.count(degree))
      continue;
    auto chosen = chooseShardings(main, degree, model, sizes, typical);
    if (failed(chosen))
      return failure();
    shardings[degree] = std::move(*chosen);
  }
  auto stages = chooseStages(main, degrees, shardings, model,
                             int64_t(std::min(model.memoryBytes(), 1e18)),
                             sizes, typical);
  if (failed(stages))
    return failure();
  writeStates(main, *stages, shardings);
  ModulePlan result;
  result.dataParallel = dataParallel;
  int64_t next = 0;
  for (auto [index, stage] : llvm::enumerate(*stages)) {
    for (int64_t shard = 0; shard < stage.tensorParallel; ++shard)
      stage.ranks.push_back(next++);
    stage.weightBytes =
        weightBytes(main, index, stage.tensorParallel, sizes, typical);
    result.stages.push_back(stage);
  }
  result.idleRanks =
      std::accumulate(degrees.begin(), degrees.end(), int64_t(0)) - next;
  if (result.idleRanks > 0)
    emitRemark(main.getLoc())
        << stages->size() << " of " << degrees.size()
        << " stages have work; ranks that stay idle, per replica: "
        << result.idleRanks;
  result.write(getOperation());
  return success();
}
