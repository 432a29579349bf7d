#include "takt/Analysis/ScheduleSimulator.h"
#include "takt/Analysis/ComputeOrder.h"

#include "gtest/gtest.h"

using namespace takt;

namespace {

std::string faultOf(const Schedule &schedule, const PipelineCosts &costs,
                    const SimulationOptions &options = {}) {
  llvm::Expected<Timeline> run = simulate(schedule, costs, options);
  return run ? "" : llvm::toString(run.takeError());
}

PipelineCosts costsOf(int ranks, Cost forward, Cost transfer) {
  return PipelineCosts::uniform({ranks}, {forward, forward, forward}, transfer);
}

/// Rank 0 computes and sends `count` times, rank 1 receives and computes.
Schedule twoRanks(int depth, int count) {
  Schedule schedule;
  schedule.channels = {{0, 1, depth}};
  schedule.ranks.resize(2);
  for (int k = 0; k < count; ++k) {
    schedule.ranks[0].push_back({Instruction::Forward, -1, k});
    schedule.ranks[0].push_back({Instruction::Send, 0, k});
    schedule.ranks[1].push_back({Instruction::Receive, 0, k});
    schedule.ranks[1].push_back({Instruction::Forward, -1, k});
    if (depth > 0)
      schedule.ranks[1].push_back({Instruction::Free, 0, k});
  }
  return schedule;
}

std::vector<std::pair<Cost, Cost>> stepsOf(const Timeline &timeline, int rank) {
  std::vector<std::pair<Cost, Cost>> steps;
  for (const Timeline::Step &step : timeline.ranks[rank])
    steps.push_back({step.start, step.end});
  return steps;
}

using Steps = std::vector<std::pair<Cost, Cost>>;

TEST(ScheduleSimulator, SendsOverlapWithComputation) {
  PipelineCosts costs = costsOf(2, 10, 3);
  Timeline timeline = llvm::cantFail(simulate(twoRanks(2, 2), costs));
  EXPECT_EQ(stepsOf(timeline, 0),
            (Steps{{0, 10}, {10, 13}, {10, 20}, {20, 23}}));
  EXPECT_EQ(
      stepsOf(timeline, 1),
      (Steps{{13, 13}, {13, 23}, {23, 23}, {23, 23}, {23, 33}, {33, 33}}));
}

TEST(ScheduleSimulator, SendsWaitForSlots) {
  // Rank 1 is slow and has one slot: the third message leaves at its second
  // free.
  PipelineCosts costs = costsOf(2, 10, 0);
  costs.chunks[1][0].forward = 100;
  Timeline timeline = llvm::cantFail(simulate(twoRanks(1, 3), costs));
  EXPECT_EQ(
      stepsOf(timeline, 0),
      (Steps{{0, 10}, {10, 10}, {10, 20}, {110, 110}, {110, 120}, {210, 210}}));
}

TEST(ScheduleSimulator, RendezvousHoldsBoth) {
  PipelineCosts costs = costsOf(2, 10, 3);
  Timeline timeline = llvm::cantFail(simulate(twoRanks(0, 2), costs));
  EXPECT_EQ(stepsOf(timeline, 0),
            (Steps{{0, 10}, {10, 13}, {13, 23}, {23, 26}}));
  EXPECT_EQ(stepsOf(timeline, 1),
            (Steps{{10, 13}, {13, 23}, {23, 26}, {26, 36}}));
}

TEST(ScheduleSimulator, MessagesOnOneLinkFollowEachOther) {
  // Ranks 0 and 1 send to ranks 2 and 3 at the same time.
  Schedule schedule;
  schedule.channels = {{0, 2, 1}, {1, 3, 1}};
  schedule.ranks = {{{Instruction::Send, 0, 0}},
                    {{Instruction::Send, 1, 0}},
                    {{Instruction::Receive, 0, 0}, {Instruction::Free, 0, 0}},
                    {{Instruction::Receive, 1, 0}, {Instruction::Free, 1, 0}}};
  PipelineCosts costs = costsOf(4, 1, 5);
  EXPECT_EQ(stepsOf(llvm::cantFail(simulate(schedule, costs)), 3),
            (Steps{{5, 5}, {5, 5}}));
  EXPECT_EQ(stepsOf(llvm::cantFail(simulate(schedule, costs, {{0, 0}})), 3),
            (Steps{{10, 10}, {10, 10}}));
}

TEST(ScheduleSimulator, SlowestMemberOfAGroupDecides) {
  Schedule schedule;
  schedule.groups = {{0, 1}};
  schedule.collectives = {{0, 1}};
  schedule.ranks.assign(
      2, {{Instruction::Forward, -1, 0}, {Instruction::Collective, 0, 0}});
  PipelineCosts costs = costsOf(2, 10, 0);
  costs.chunks[1][0].forward = 25;
  costs.collective = 4;
  Timeline timeline = llvm::cantFail(simulate(schedule, costs));
  for (int rank : {0, 1})
    EXPECT_EQ(stepsOf(timeline, rank), (Steps{{0, 25}, {25, 29}}));
}

TEST(ScheduleSimulator, StuckRunsAndMismatchesAreFound) {
  PipelineCosts costs = costsOf(2, 1, 0);
  Schedule good = twoRanks(1, 2), bad = good;
  EXPECT_EQ(faultOf(good, costs), "");
  std::swap(bad.ranks[1][1], bad.ranks[1][3]); // a second receive before a free
  EXPECT_EQ(faultOf(bad, costs),
            "simulation: stuck at time 2; rank 0 #3 send channel 0 micro-batch "
            "1 waits; rank 1 #1 receive channel 0 micro-batch 1 waits");
  bad = good;
  bad.ranks[1][0].microBatch = 1;
  EXPECT_EQ(faultOf(bad, costs),
            "simulation: mismatch at rank 1 #0 receive channel 0 micro-batch "
            "1: the message is of micro-batch 0");
  bad = good;
  bad.ranks[1].resize(3);
  EXPECT_NE(faultOf(bad, costs), "");
  bad = good;
  bad.channels[0].depth = 2;
  bad.ranks[1].pop_back();
  EXPECT_EQ(faultOf(bad, costs), "simulation: mismatch: channel 0 is left with "
                                 "messages that nobody receives or frees");
  bad = good;
  bad.ranks[0][1].channel = 1;
  EXPECT_NE(faultOf(bad, costs), "");
  bad = good;
  bad.ranks[1][1].chunk = 1;
  EXPECT_NE(faultOf(bad, costs), "");
}

TEST(ScheduleReport, FiguresOfOneFOneB) {
  PipelineCosts costs = PipelineCosts::uniform({2}, {1, 1, 1});
  Schedule schedule = llvm::cantFail(makeSchedule(oneFOneBOrder(2, 2), costs));
  Timeline timeline = llvm::cantFail(simulate(schedule, costs));
  EXPECT_EQ(drawTimeline(schedule, timeline, 1),
            "rank 0 | F0 F1       B0 B0    B1 B1\n"
            "rank 1 |    F0 B0 B0 F1 B1 B1\n");
  ScheduleReport report = analyzeTimeline(schedule, timeline);
  EXPECT_EQ(report.wall, 9);
  EXPECT_EQ(report.span, 9);
  EXPECT_EQ(report.ranks[1].span(), 6);
  EXPECT_EQ(report.bubble(0), 3);
  EXPECT_EQ(report.bubble(1), 3);
  EXPECT_EQ(report.ranks[0].peakMemory, 4);
  EXPECT_EQ(report.ranks[1].peakMemory, 2);
  EXPECT_EQ(report.ranks[1].memory, (std::vector<std::pair<Cost, int64_t>>{
                                        {1, 2}, {4, 0}, {4, 2}, {7, 0}}));
  EXPECT_EQ(report.latency, 8);
}

} // namespace
