//===- PartitionSchedule.cpp - what each rank executes --------------------===//
#include "PartitionSchedule.h"

#include "takt/Analysis/DeadlockCheck.h"

using namespace mlir;
using namespace takt;

namespace {

/// The schedule of one replica; all replicas are alike and exchange nothing.
struct ReplicaSchedule {
  struct Place {
    int64_t stage = -1, shard = 0;
  };
  Schedule step;
  SmallVector<int64_t> values; // of the channels
  SmallVector<Place> places;   // of the ranks
};

} // namespace

static bool hasCollectives(const StagePorts::Stage &stage) {
  func::FuncOp forward = stage.forward;
  return forward
      .walk([](Operation *op) {
        auto tensorOp = dyn_cast<TensorOpInterface>(op);
        return tensorOp && tensorOp.getFusionKind() == FusionKind::Collective
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Slots that let every stage work at each tick: with equal stages a value that
/// is sent after tick s + k is freed after tick t + k, so up to t - s messages
/// lie in the channel while the next one is written.
static int depthOf(const StagePorts::Channel &channel) {
  return std::max<int64_t>(2,
                           channel.target->stage - channel.source->stage + 1);
}

static ReplicaSchedule scheduleReplica(const StagePorts &ports,
                                       const ModulePlan &plan) {
  ReplicaSchedule schedule;
  SmallVector<int64_t> firstRank;
  for (auto [index, stage] : llvm::enumerate(ports.stages)) {
    firstRank.push_back(schedule.places.size());
    SmallVector<int> group;
    for (int64_t shard = 0; shard < stage.tensorParallel; ++shard) {
      group.push_back(schedule.places.size());
      schedule.places.push_back({int64_t(index), shard});
    }
    if (hasCollectives(stage))
      schedule.step.groups.push_back(group);
  }
  schedule.places.resize(schedule.places.size() + plan.idleRanks);
  for (const auto &[value, channel] : ports.channels) {
    const auto &source = ports.stages[channel.source->stage];
    const auto &target = ports.stages[channel.target->stage];
    for (int64_t shard = 0; shard < target.tensorParallel; ++shard) {
      int64_t from =
          firstRank[channel.source->stage] + shard % source.tensorParallel;
      int64_t to = firstRank[channel.target->stage] + shard;
      schedule.step.channels.push_back({int(from), int(to), depthOf(channel)});
      schedule.values.push_back(value);
    }
  }
  for (auto [rank, place] : llvm::enumerate(schedule.places))
    schedule.step.ranks.push_back(
        inferenceStep(schedule.step.channels, rank, place.stage < 0));
  return schedule;
}

static std::string text(const Instruction &instruction, int64_t firstChannel) {
  std::string channel = std::to_string(firstChannel + instruction.channel);
  switch (instruction.kind) {
  case Instruction::Receive:
    return "receive " + channel;
  case Instruction::Forward:
    return "forward";
  case Instruction::Free:
    return "free " + channel;
  case Instruction::Send:
    return "send " + channel;
  case Instruction::Backward:
  case Instruction::BackwardInput:
  case Instruction::BackwardWeight:
  case Instruction::Collective:
    break;
  }
  llvm_unreachable("not in an inference step");
}

static void emit(ModuleOp module, const ReplicaSchedule &schedule,
                 int64_t replicas) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  int64_t rankCount = schedule.places.size();
  int64_t channelCount = schedule.step.channels.size();
  for (int64_t replica = 0; replica < replicas; ++replica)
    for (auto [index, channel] : llvm::enumerate(schedule.step.channels))
      builder.create<ChannelOp>(
          module.getLoc(), replica * channelCount + index,
          schedule.values[index], replica * rankCount + channel.source,
          replica * rankCount + channel.target, channel.depth);
  for (int64_t replica = 0; replica < replicas; ++replica)
    for (auto [index, place] : llvm::enumerate(schedule.places)) {
      SmallVector<std::string> texts;
      for (const Instruction &instruction : schedule.step.ranks[index])
        texts.push_back(text(instruction, replica * channelCount));
      SmallVector<StringRef> instructions(texts.begin(), texts.end());
      builder.create<RankOp>(module.getLoc(), replica * rankCount + index,
                             replica, place.stage, place.shard,
                             builder.getStrArrayAttr(instructions));
    }
}

LogicalResult takt::addSchedule(ModuleOp module, const StagePorts &ports) {
  FailureOr<ModulePlan> plan = ModulePlan::read(module);
  if (failed(plan))
    return failure();
  ReplicaSchedule schedule = scheduleReplica(ports, *plan);
  if (llvm::Error error = proveStream(schedule.step))
    return module.emitError("the ranks' schedule is refused: ")
           << llvm::toString(std::move(error));
  emit(module, schedule, plan->dataParallel);
  return success();
}
