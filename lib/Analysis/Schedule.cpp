//===- Schedule.cpp - generators of instruction lists ---------------------===//
#include "takt/Analysis/Schedule.h"

#include "llvm/ADT/STLExtras.h"

using namespace takt;

std::string Instruction::str() const {
  static const char *const names[] = {"receive", "forward", "free", "send"};
  std::string text = names[kind];
  if (channel >= 0)
    text += " channel " + std::to_string(channel);
  return text + " micro-batch " + std::to_string(microBatch);
}

std::vector<Instruction>
takt::inferenceStep(llvm::ArrayRef<ScheduleChannel> channels, int rank,
                    bool isIdle) {
  std::vector<Instruction> list;
  if (isIdle)
    return list;
  auto add = [&](Instruction::Kind kind, int ScheduleChannel::*end) {
    for (auto [id, channel] : llvm::enumerate(channels))
      if (channel.*end == rank)
        list.push_back({kind, int(id), 0});
  };
  add(Instruction::Receive, &ScheduleChannel::target);
  list.push_back({Instruction::Forward, -1, 0});
  add(Instruction::Send, &ScheduleChannel::source);
  add(Instruction::Free, &ScheduleChannel::target);
  return list;
}

Schedule takt::repeatSteps(const Schedule &step, int64_t count) {
  Schedule result{step.channels, step.groups, {}};
  for (const std::vector<Instruction> &list : step.ranks) {
    std::vector<Instruction> &repeated = result.ranks.emplace_back();
    for (int64_t microBatch = 0; microBatch < count; ++microBatch)
      for (Instruction instruction : list) {
        instruction.microBatch = microBatch;
        repeated.push_back(instruction);
      }
  }
  return result;
}
