//===- TrainingCheck.cpp - the flow of data through a rank's list ---------===//
#include "takt/Analysis/TrainingCheck.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <set>
#include <tuple>

using namespace takt;

namespace {

/// What a rank has, as its list goes on.
class RankCheck {
public:
  RankCheck(const Schedule &schedule, const TrainingStep &step, int rank)
      : schedule(schedule), step(step), rank(rank) {}

  llvm::Error run();

private:
  /// Stage, micro-batch, and whether it is a gradient.
  using Value = std::tuple<int, int64_t, bool>;

  const char *fault(const Instruction &instruction);
  const char *compute(const Instruction &instruction);
  const char *forward(int stage, int64_t k);
  const char *backwardInput(int stage, int64_t k);
  const char *backwardWeight(int stage, int64_t k);
  const char *hold(int64_t units);
  bool isReadable(Value value) const;
  Value valueOf(const Instruction &instruction) const;

  const Schedule &schedule;
  const TrainingStep &step;
  int rank;
  std::set<Value> computed, held; // held: in slots
  std::set<std::pair<int, int64_t>> weightsDone;
  int64_t memory = 0;
};

} // namespace

bool RankCheck::isReadable(Value value) const {
  bool isLocal = step.placement.rankOf(std::get<int>(value)) == rank;
  return isLocal ? computed.count(value) : held.count(value);
}

RankCheck::Value RankCheck::valueOf(const Instruction &instruction) const {
  const ScheduleChannel &channel = schedule.channels[instruction.channel];
  return {channel.stage, instruction.microBatch, channel.carriesGradient};
}

const char *RankCheck::hold(int64_t units) {
  memory += units;
  return step.memoryLimit > 0 && memory > step.memoryLimit
             ? "the memory limit is exceeded"
             : nullptr;
}

const char *RankCheck::forward(int stage, int64_t k) {
  if (stage > 0 && !isReadable({stage - 1, k, false}))
    return "its input is not there";
  if (!computed.insert({stage, k, false}).second)
    return "it runs twice";
  return step.hasBackward ? hold(memoryOfForward) : nullptr;
}

const char *RankCheck::backwardInput(int stage, int64_t k) {
  if (!computed.count({stage, k, false}))
    return "its forward has not run";
  bool isLast = stage + 1 == step.placement.stages();
  if (!isLast && !isReadable({stage + 1, k, true}))
    return "the gradient of its output is not there";
  if (!computed.insert({stage, k, true}).second)
    return "it runs twice";
  return hold(memoryOfBackwardInput);
}

const char *RankCheck::backwardWeight(int stage, int64_t k) {
  if (!computed.count({stage, k, true}))
    return "the gradient of its input has not run";
  if (!weightsDone.insert({stage, k}).second)
    return "it runs twice";
  return hold(memoryOfBackwardWeight);
}

const char *RankCheck::compute(const Instruction &instruction) {
  int64_t k = instruction.microBatch;
  if (instruction.chunk < 0 || instruction.chunk >= step.placement.chunks ||
      k < 0 || k >= step.microBatches)
    return "there is no such chunk or micro-batch";
  int stage = step.placement.stageOf(rank, instruction.chunk);
  if (instruction.kind == Instruction::Forward)
    return forward(stage, k);
  if (instruction.kind == Instruction::BackwardWeight)
    return backwardWeight(stage, k);
  const char *fault = backwardInput(stage, k);
  if (!fault && instruction.kind == Instruction::Backward)
    fault = backwardWeight(stage, k);
  return fault;
}

const char *RankCheck::fault(const Instruction &instruction) {
  if (instruction.isCompute())
    return compute(instruction);
  if (!instruction.usesChannel())
    return nullptr;
  Value value = valueOf(instruction);
  if (instruction.kind == Instruction::Send)
    return computed.count(value) ? nullptr : "it has not been computed";
  if (instruction.kind == Instruction::Receive)
    held.insert(value);
  else
    held.erase(value);
  return nullptr;
}

llvm::Error RankCheck::run() {
  auto fail = [&](const llvm::Twine &message) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "training step: rank " + llvm::Twine(rank) +
                                       message);
  };
  for (auto [index, instruction] : llvm::enumerate(schedule.ranks[rank]))
    if (const char *what = fault(instruction))
      return fail(" #" + llvm::Twine(index) + " " + instruction.str() + ": " +
                  what);
  size_t all = size_t(step.placement.chunks * step.microBatches);
  if (computed.size() != (step.hasBackward ? 2 * all : all) ||
      weightsDone.size() != (step.hasBackward ? all : 0))
    return fail(" leaves out some of the chunks' micro-batches");
  return llvm::Error::success();
}

llvm::Error takt::checkTraining(const Schedule &schedule,
                                const TrainingStep &step) {
  if (schedule.ranks.size() != size_t(step.placement.ranks))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "training step: wrong number of ranks");
  for (int rank = 0; rank < step.placement.ranks; ++rank)
    if (llvm::Error error = RankCheck(schedule, step, rank).run())
      return error;
  return llvm::Error::success();
}
