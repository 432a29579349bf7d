//===- Schedule.cpp - generators of instruction lists ---------------------===//
#include "takt/Analysis/Schedule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <tuple>

using namespace takt;

bool Instruction::isCompute() const {
  return kind == Forward || kind == Backward || kind == BackwardInput ||
         kind == BackwardWeight;
}

bool Instruction::usesChannel() const {
  return kind == Receive || kind == Free || kind == Send;
}

bool Instruction::operator==(const Instruction &rhs) const {
  auto fields = [](const Instruction &one) {
    return std::tie(one.kind, one.channel, one.microBatch, one.chunk,
                    one.joinsPrevious);
  };
  return fields(*this) == fields(rhs);
}

static const char *nameOf(Instruction::Kind kind) {
  switch (kind) {
  case Instruction::Receive:
    return "receive";
  case Instruction::Forward:
    return "forward";
  case Instruction::Free:
    return "free";
  case Instruction::Send:
    return "send";
  case Instruction::Backward:
    return "backward";
  case Instruction::BackwardInput:
    return "backward-input";
  case Instruction::BackwardWeight:
    return "backward-weight";
  case Instruction::Collective:
    return "collective";
  }
  llvm_unreachable("all kinds are covered");
}

std::string Instruction::str() const {
  std::string text = nameOf(kind);
  if (usesChannel())
    text += " channel " + std::to_string(channel);
  else if (kind == Collective)
    text += " set " + std::to_string(channel);
  if (chunk != 0)
    text += " chunk " + std::to_string(chunk);
  text += " micro-batch " + std::to_string(microBatch);
  return joinsPrevious ? text + " (grouped)" : text;
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
  Schedule result{step.channels, step.groups, {}, step.collectives};
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
