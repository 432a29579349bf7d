//===- ScheduleReport.cpp - figures and a picture of a timeline -----------===//
#include "takt/Analysis/ScheduleSimulator.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace takt;

static int64_t memoryOf(const Instruction &instruction) {
  switch (instruction.kind) {
  case Instruction::Forward:
    return memoryOfForward;
  case Instruction::BackwardInput:
    return memoryOfBackwardInput;
  case Instruction::BackwardWeight:
    return memoryOfBackwardWeight;
  case Instruction::Backward:
    return memoryOfBackwardInput + memoryOfBackwardWeight;
  case Instruction::Receive:
  case Instruction::Free:
  case Instruction::Send:
  case Instruction::Collective:
    return 0;
  }
  llvm_unreachable("all kinds are covered");
}

/// Takes at an instruction's start, gives back at its end.
static void reportMemory(llvm::ArrayRef<Instruction> list,
                         llvm::ArrayRef<Timeline::Step> steps,
                         ScheduleReport::Rank &rank) {
  bool trains = llvm::any_of(list, [](const Instruction &instruction) {
    return memoryOf(instruction) < 0;
  });
  int64_t held = 0;
  auto change = [&](Cost time, int64_t units) {
    held += units;
    rank.memory.push_back({time, held});
    rank.peakMemory = std::max(rank.peakMemory, held);
  };
  for (auto [instruction, step] : llvm::zip_equal(list, steps)) {
    int64_t units = memoryOf(instruction);
    if (units > 0)
      change(step.start, units);
    if (units < 0 || (units > 0 && !trains))
      change(step.end, units < 0 ? units : -units);
  }
}

static ScheduleReport::Rank reportRank(llvm::ArrayRef<Instruction> list,
                                       llvm::ArrayRef<Timeline::Step> steps) {
  ScheduleReport::Rank rank;
  bool isFirst = true;
  for (auto [instruction, step] : llvm::zip_equal(list, steps)) {
    if (!instruction.isCompute())
      continue;
    if (isFirst)
      rank.firstStart = step.start;
    isFirst = false;
    rank.lastEnd = step.end;
    rank.busy += step.end - step.start;
  }
  reportMemory(list, steps, rank);
  return rank;
}

/// A message occupies a slot from the start of its send to its free; at equal
/// times frees come first.
static void reportMessages(const Schedule &schedule, const Timeline &timeline,
                           ScheduleReport &report) {
  std::vector<std::vector<std::pair<Cost, int>>> changes(schedule.ranks.size());
  for (auto [list, steps] : llvm::zip_equal(schedule.ranks, timeline.ranks))
    for (auto [instruction, step] : llvm::zip_equal(list, steps)) {
      if (!instruction.usesChannel() ||
          schedule.channels[instruction.channel].depth == 0)
        continue;
      int target = schedule.channels[instruction.channel].target;
      if (instruction.kind == Instruction::Send)
        changes[target].push_back({step.start, 1});
      else if (instruction.kind == Instruction::Free)
        changes[target].push_back({step.start, -1});
    }
  for (auto [rank, list] : llvm::zip_equal(report.ranks, changes)) {
    llvm::sort(list);
    int64_t held = 0;
    for (auto [time, change] : list)
      rank.peakMessages = std::max(rank.peakMessages, held += change);
  }
}

static void reportMicroBatches(const Schedule &schedule,
                               const Timeline &timeline,
                               ScheduleReport &report) {
  std::map<int64_t, Timeline::Step> lives;
  for (auto [list, steps] : llvm::zip_equal(schedule.ranks, timeline.ranks))
    for (auto [instruction, step] : llvm::zip_equal(list, steps)) {
      if (!instruction.isCompute())
        continue;
      Timeline::Step &life =
          lives.try_emplace(instruction.microBatch, step).first->second;
      life.start = std::min(life.start, step.start);
      life.end = std::max(life.end, step.end);
    }
  std::vector<Cost> ends;
  for (const auto &[microBatch, life] : lives) {
    report.latency = std::max(report.latency, life.end - life.start);
    ends.push_back(life.end);
  }
  llvm::sort(ends);
  if (ends.size() < 2)
    return;
  size_t middle = (ends.size() - 1) / 2;
  report.takt =
      double(ends.back() - ends[middle]) / double(ends.size() - 1 - middle);
}

ScheduleReport takt::analyzeTimeline(const Schedule &schedule,
                                     const Timeline &timeline) {
  ScheduleReport report;
  for (auto [list, steps] : llvm::zip_equal(schedule.ranks, timeline.ranks)) {
    report.ranks.push_back(reportRank(list, steps));
    for (const Timeline::Step &step : steps)
      report.wall = std::max(report.wall, step.end);
    report.span = std::max(report.span, report.ranks.back().span());
  }
  reportMessages(schedule, timeline, report);
  reportMicroBatches(schedule, timeline, report);
  return report;
}

static char letterOf(const Instruction &instruction) {
  if (instruction.kind == Instruction::Forward)
    return instruction.chunk ? 'f' : 'F';
  if (instruction.kind == Instruction::BackwardWeight)
    return instruction.chunk ? 'w' : 'W';
  return instruction.chunk ? 'b' : 'B';
}

std::string takt::drawTimeline(const Schedule &schedule,
                               const Timeline &timeline, Cost unit) {
  int64_t last = 0;
  for (const std::vector<Instruction> &list : schedule.ranks)
    for (const Instruction &instruction : list)
      last = std::max(last, instruction.microBatch);
  size_t width = std::to_string(last).size() + 1;
  std::string picture;
  for (auto [rank, list] : llvm::enumerate(schedule.ranks)) {
    std::string line;
    for (auto [instruction, step] :
         llvm::zip_equal(list, timeline.ranks[rank])) {
      if (!instruction.isCompute())
        continue;
      std::string label =
          letterOf(instruction) + std::to_string(instruction.microBatch);
      label.resize(width, ' ');
      for (Cost column = step.start / unit; column < step.end / unit; ++column)
        if (size_t begin = column * (width + 1); begin >= line.size()) {
          line.resize(begin, ' ');
          line += label + " ";
        }
    }
    picture += "rank " + std::to_string(rank) + " | " +
               line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return picture;
}
