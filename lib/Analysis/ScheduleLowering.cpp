//===- ScheduleLowering.cpp - from an order to full instruction lists -----===//
#include "takt/Analysis/ComputeOrder.h"

#include "llvm/ADT/STLExtras.h"

using namespace takt;

namespace {

/// When each compute instruction ends if none waits for a free slot.
class OrderTiming {
public:
  OrderTiming(const ComputeOrder &order, const PipelineCosts &costs);

  /// False if the order waits for itself.
  bool run();
  /// By micro-batch; -1 for those that do not run.
  const std::vector<Cost> &ends(int stage, bool isBackward) const {
    return isBackward ? backwardEnds[stage] : forwardEnds[stage];
  }

private:
  bool advance(int rank);
  Cost readyTime(int stage, const Instruction &instruction) const;

  const ComputeOrder &order;
  const PipelineCosts &costs;
  const Placement &placement;
  std::vector<std::vector<Cost>> forwardEnds, backwardEnds;
  std::vector<size_t> positions;
  std::vector<Cost> freeTimes; // by rank
};

/// Adds the channels and the instructions that use them.
class Lowering {
public:
  Lowering(const ComputeOrder &order, const PipelineCosts &costs)
      : order(order), timing(order, costs) {}

  llvm::Expected<Schedule> run();

private:
  void addChannels();
  int depthOf(const ScheduleChannel &channel) const;
  void lower(const Instruction &compute, int rank,
             std::vector<Instruction> &list) const;

  const ComputeOrder &order;
  OrderTiming timing;
  Schedule schedule;
  /// The channel with what a stage computes, -1 where it does not leave the
  /// rank.
  std::vector<int> activations, gradients;
};

} // namespace

static bool isForward(const Instruction &instruction) {
  return instruction.kind == Instruction::Forward;
}

OrderTiming::OrderTiming(const ComputeOrder &order, const PipelineCosts &costs)
    : order(order), costs(costs), placement(order.placement),
      positions(placement.ranks, 0), freeTimes(placement.ranks, 0) {
  int64_t microBatches = 0;
  for (const std::vector<Instruction> &list : order.ranks)
    for (const Instruction &instruction : list)
      microBatches = std::max(microBatches, instruction.microBatch + 1);
  std::vector<Cost> unknown(microBatches, -1);
  forwardEnds.assign(placement.stages(), unknown);
  backwardEnds.assign(placement.stages(), unknown);
}

/// When the input from another stage is there; -1 if that is not known yet.
Cost OrderTiming::readyTime(int stage, const Instruction &instruction) const {
  bool forward = isForward(instruction);
  if (instruction.kind == Instruction::BackwardWeight ||
      (forward && stage == 0))
    return 0;
  if (!forward && stage + 1 == placement.stages())
    return forwardEnds[stage][instruction.microBatch];
  int before = forward ? stage - 1 : stage + 1;
  Cost end = ends(before, !forward)[instruction.microBatch];
  bool crosses = placement.rankOf(before) != placement.rankOf(stage);
  return end < 0 || !crosses ? end : end + costs.transfer;
}

bool OrderTiming::advance(int rank) {
  bool moved = false;
  const std::vector<Instruction> &list = order.ranks[rank];
  for (size_t &at = positions[rank]; at < list.size(); ++at) {
    const Instruction &instruction = list[at];
    int stage = placement.stageOf(rank, instruction.chunk);
    Cost ready = readyTime(stage, instruction);
    if (ready < 0)
      break;
    const ChunkCost &cost = costs.chunks[rank][instruction.chunk];
    Cost &end = freeTimes[rank];
    end = std::max(end, ready);
    if (isForward(instruction))
      forwardEnds[stage][instruction.microBatch] = end += cost.forward;
    if (instruction.kind == Instruction::Backward ||
        instruction.kind == Instruction::BackwardInput)
      end += cost.backwardInput;
    if (instruction.kind == Instruction::Backward ||
        instruction.kind == Instruction::BackwardWeight)
      end += cost.backwardWeight;
    if (instruction.kind == Instruction::Backward ||
        instruction.kind == Instruction::BackwardInput)
      backwardEnds[stage][instruction.microBatch] = end;
    moved = true;
  }
  return moved;
}

bool OrderTiming::run() {
  for (bool moved = true; moved;) {
    moved = false;
    for (int rank = 0; rank < placement.ranks; ++rank)
      moved |= advance(rank);
  }
  for (auto [list, at] : llvm::zip_equal(order.ranks, positions))
    if (at != list.size())
      return false;
  return true;
}

/// The most messages that are sent and not yet freed. A free at the very time
/// of a send does not count as earlier, so that this run itself, with equal
/// times in any order, is one in which no send waits.
int Lowering::depthOf(const ScheduleChannel &channel) const {
  int consumer = channel.stage + (channel.carriesGradient ? -1 : 1);
  std::vector<Cost> sends = timing.ends(channel.stage, channel.carriesGradient);
  std::vector<Cost> frees = timing.ends(consumer, channel.carriesGradient);
  llvm::sort(sends);
  llvm::sort(frees);
  size_t depth = 1, freed = 0;
  for (auto [index, time] : llvm::enumerate(sends)) {
    while (freed < frees.size() && frees[freed] < time)
      ++freed;
    depth = std::max(depth, index + 1 - std::min(index, freed));
  }
  return depth;
}

void Lowering::addChannels() {
  const Placement &placement = order.placement;
  activations.assign(placement.stages(), -1);
  gradients.assign(placement.stages(), -1);
  bool trains = llvm::any_of(order.ranks.front(), [](const Instruction &one) {
    return !isForward(one);
  });
  auto add = [&](int from, int to, bool carriesGradient) {
    ScheduleChannel channel{placement.rankOf(from), placement.rankOf(to), 1,
                            from, carriesGradient};
    channel.depth = depthOf(channel);
    schedule.channels.push_back(channel);
    return int(schedule.channels.size()) - 1;
  };
  for (int stage = 1; stage < placement.stages(); ++stage) {
    if (placement.rankOf(stage - 1) == placement.rankOf(stage))
      continue;
    activations[stage - 1] = add(stage - 1, stage, false);
    if (trains)
      gradients[stage] = add(stage, stage - 1, true);
  }
}

void Lowering::lower(const Instruction &compute, int rank,
                     std::vector<Instruction> &list) const {
  int stage = order.placement.stageOf(rank, compute.chunk);
  int in = -1, out = -1;
  if (isForward(compute)) {
    in = stage > 0 ? activations[stage - 1] : -1;
    out = activations[stage];
  } else if (compute.kind != Instruction::BackwardWeight) {
    in = stage + 1 < order.placement.stages() ? gradients[stage + 1] : -1;
    out = gradients[stage];
  }
  auto add = [&](Instruction::Kind kind, int channel) {
    if (channel >= 0)
      list.push_back({kind, channel, compute.microBatch, compute.chunk});
  };
  add(Instruction::Receive, in);
  list.push_back(compute);
  add(Instruction::Send, out);
  add(Instruction::Free, in);
}

llvm::Expected<Schedule> Lowering::run() {
  if (!timing.run())
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "the order of compute instructions waits for itself");
  addChannels();
  for (int rank = 0; rank < order.placement.ranks; ++rank) {
    std::vector<Instruction> &list = schedule.ranks.emplace_back();
    for (const Instruction &compute : order.ranks[rank])
      lower(compute, rank, list);
  }
  return std::move(schedule);
}

llvm::Expected<Schedule> takt::makeSchedule(const ComputeOrder &order,
                                            const PipelineCosts &costs) {
  return Lowering(order, costs).run();
}
