#include "ScheduleMutants.h"

#include "takt/Analysis/DeadlockCheck.h"
#include "takt/Analysis/ScheduleSimulator.h"

#include "gtest/gtest.h"

using namespace takt;

namespace {

std::string messageOf(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : "";
}

/// Stage i has tp[i] ranks; values cross rank by rank and skip as listed.
Schedule pipeline(llvm::ArrayRef<int> tp, int depth,
                  llvm::ArrayRef<std::pair<int, int>> skips = {}) {
  Schedule step;
  std::vector<int> first;
  int ranks = 0;
  for (int ways : tp) {
    first.push_back(ranks);
    auto &group = step.groups.emplace_back();
    for (int i = 0; i < ways; ++i)
      group.push_back(ranks++);
  }
  auto connect = [&](int from, int to) {
    for (int i = 0; i < tp[to]; ++i)
      step.channels.push_back(
          {first[from] + i % tp[from], first[to] + i, depth});
  };
  for (size_t stage = 1; stage < tp.size(); ++stage)
    connect(stage - 1, stage);
  for (auto [from, to] : skips)
    connect(from, to);
  for (int rank = 0; rank < ranks; ++rank)
    step.ranks.push_back(inferenceStep(step.channels, rank));
  return step;
}

/// Does a simulated run come to its end?
bool ends(const Schedule &schedule) {
  PipelineCosts costs =
      PipelineCosts::uniform({int(schedule.ranks.size())}, {});
  return messageOf(simulate(schedule, costs).takeError()).empty();
}

/// The prover and a simulated run agree; returns what the prover says.
std::string verdict(const Schedule &schedule) {
  std::string message = messageOf(proveNoDeadlock(schedule));
  EXPECT_EQ(message.empty(), ends(schedule)) << message;
  return message;
}

TEST(Schedule, InferenceStep) {
  Schedule step = pipeline({1, 1, 1}, 2, {{0, 2}});
  std::vector<std::string> texts;
  for (const Instruction &instruction : step.ranks[1])
    texts.push_back(instruction.str());
  EXPECT_EQ(texts, (std::vector<std::string>{"receive channel 0 micro-batch 0",
                                             "forward micro-batch 0",
                                             "send channel 1 micro-batch 0",
                                             "free channel 0 micro-batch 0"}));
  EXPECT_EQ(step.ranks[2].size(), 5u);
  EXPECT_TRUE(inferenceStep(step.channels, 1, /*isIdle=*/true).empty());
  Schedule twice = repeatSteps(step, 2);
  EXPECT_EQ(twice.ranks[1].size(), 8u);
  EXPECT_EQ(twice.ranks[1][5].str(), "forward micro-batch 1");
}

TEST(DeadlockCheck, PipelinesAreProven) {
  for (int depth : {1, 2, 3}) {
    for (Schedule step :
         {pipeline({1}, depth), pipeline({2, 2}, depth),
          pipeline({1, 2, 4}, depth, {{0, 2}}),
          pipeline({4, 1, 2, 1}, depth, {{0, 3}, {1, 3}, {0, 2}})}) {
      EXPECT_EQ(messageOf(proveStream(step)), "");
      EXPECT_TRUE(ends(repeatSteps(step, 6)));
    }
  }
}

TEST(DeadlockCheck, ShortestCycleIsShown) {
  // Both ranks receive before they send.
  Schedule step;
  step.channels = {{0, 1, 1}, {1, 0, 1}};
  auto list = [](int in, int out) {
    return std::vector<Instruction>{{Instruction::Receive, in, 0},
                                    {Instruction::Forward, -1, 0},
                                    {Instruction::Send, out, 0},
                                    {Instruction::Free, in, 0}};
  };
  step.ranks = {list(1, 0), list(0, 1)};
  EXPECT_EQ(messageOf(proveStream(step)),
            "schedule: ranks wait for each other for ever: "
            "rank 0 #0 receive channel 1 micro-batch 0 -> waits for the "
            "message of rank 1 #2 send channel 1 micro-batch 0 -> comes after "
            "rank 1 #0 receive channel 0 micro-batch 0 -> waits for the "
            "message of rank 0 #2 send channel 0 micro-batch 0 -> comes after "
            "rank 0 #0 receive channel 1 micro-batch 0; reorder the "
            "instructions or deepen the channels");
}

TEST(DeadlockCheck, DepthDecides) {
  // Two sends before the partner's first receive need two slots.
  Schedule schedule;
  schedule.channels = {{0, 1, 2}, {0, 1, 1}};
  schedule.ranks = {{{Instruction::Send, 0, 0},
                     {Instruction::Send, 0, 1},
                     {Instruction::Send, 1, 0}},
                    {{Instruction::Receive, 1, 0},
                     {Instruction::Receive, 0, 0},
                     {Instruction::Free, 0, 0},
                     {Instruction::Receive, 0, 1},
                     {Instruction::Free, 0, 1},
                     {Instruction::Free, 1, 0}}};
  EXPECT_EQ(messageOf(proveNoDeadlock(schedule)), "");
  schedule.channels[0].depth = 1;
  EXPECT_FALSE(ends(schedule));
  EXPECT_NE(messageOf(proveNoDeadlock(schedule)), "");
}

TEST(DeadlockCheck, CollectivesMeet) {
  // Ranks 0 and 1 run together, but 1 waits for what 0 sends after that.
  Schedule step;
  step.channels = {{0, 1, 1}};
  step.groups = {{0, 1}};
  step.ranks = {{{Instruction::Forward, -1, 0}, {Instruction::Send, 0, 0}},
                {{Instruction::Receive, 0, 0},
                 {Instruction::Forward, -1, 0},
                 {Instruction::Free, 0, 0}}};
  EXPECT_NE(messageOf(proveStream(step)), "");
  EXPECT_FALSE(ends(repeatSteps(step, 1)));
  step.groups.clear();
  EXPECT_EQ(messageOf(proveStream(step)), "");
}

TEST(DeadlockCheck, PairingNamesTheFault) {
  Schedule good = repeatSteps(pipeline({1, 1}, 1), 2);
  EXPECT_EQ(messageOf(checkPairing(good)), "");
  Schedule bad = good;
  bad.ranks[1].erase(bad.ranks[1].begin());
  EXPECT_EQ(messageOf(checkPairing(bad)),
            "schedule: rank 1 #1 free channel 0 micro-batch 0: nothing "
            "received is left to free");
  bad = good;
  bad.ranks[0].pop_back();
  EXPECT_EQ(messageOf(checkPairing(bad)),
            "schedule: channel 0 (rank 0 -> 1): 1 messages are sent but 2 are "
            "received");
  bad = good;
  bad.ranks[0].back().microBatch = 7;
  EXPECT_EQ(messageOf(checkPairing(bad)),
            "schedule: channel 0 (rank 0 -> 1): message 1 is sent as "
            "micro-batch 7 but received as 1");
  bad = good;
  bad.ranks[0][1].channel = 3;
  EXPECT_NE(messageOf(checkPairing(bad)), "");
  bad = good;
  std::swap(bad.channels[0].source, bad.channels[0].target);
  EXPECT_NE(messageOf(checkPairing(bad)), "");
  bad = good;
  bad.channels[0].depth = -1;
  EXPECT_NE(messageOf(checkPairing(bad)), "");
  bad = good;
  bad.groups = {{0, 1}, {1}};
  EXPECT_NE(messageOf(checkPairing(bad)), "");
  bad = good;
  bad.groups = {{0, 1}};
  bad.ranks[0][0].microBatch = 5;
  EXPECT_NE(messageOf(checkPairing(bad)), "");
}

/// Two ranks that send to each other before they receive.
Schedule exchange(int depth, bool isGrouped) {
  Schedule schedule;
  schedule.channels = {{0, 1, depth}, {1, 0, depth}};
  for (int rank : {0, 1}) {
    Instruction receive{Instruction::Receive, 1 - rank, 0};
    receive.joinsPrevious = isGrouped;
    schedule.ranks.push_back({{Instruction::Send, rank, 0}, receive});
    if (depth > 0)
      schedule.ranks.back().push_back({Instruction::Free, 1 - rank, 0});
  }
  return schedule;
}

TEST(DeadlockCheck, RendezvousNeedsGroupedCalls) {
  EXPECT_EQ(verdict(exchange(1, false)), "");
  EXPECT_EQ(verdict(exchange(1, true)), "");
  EXPECT_EQ(verdict(exchange(0, true)), "");
  EXPECT_EQ(verdict(exchange(0, false)),
            "schedule: ranks wait for each other for ever: "
            "rank 0 #1 receive channel 1 micro-batch 0 meeting "
            "rank 1 #0 send channel 1 micro-batch 0 -> on rank 0 comes after "
            "rank 0 #0 send channel 0 micro-batch 0 meeting "
            "rank 1 #1 receive channel 0 micro-batch 0 -> on rank 1 comes "
            "after rank 0 #1 receive channel 1 micro-batch 0 meeting "
            "rank 1 #0 send channel 1 micro-batch 0; reorder the "
            "instructions or deepen the channels");
}

TEST(DeadlockCheck, CollectivesOfSeveralSetsNeedOneOrder) {
  Schedule schedule;
  schedule.collectives = {{0, 1}, {1, 2}, {0, 2}};
  auto list = [](int first, int second) {
    return std::vector<Instruction>{{Instruction::Collective, first, 0},
                                    {Instruction::Collective, second, 0}};
  };
  schedule.ranks = {list(0, 2), list(0, 1), list(1, 2)};
  EXPECT_EQ(verdict(schedule), "");
  schedule.ranks = {list(2, 0), list(0, 1), list(1, 2)};
  EXPECT_NE(verdict(schedule), "");
  schedule.ranks[0].pop_back();
  EXPECT_EQ(verdict(schedule),
            "schedule: ranks 0 and 1 of one collective run different sequences "
            "of instructions that meet");
  schedule.ranks[0].push_back({Instruction::Collective, 1, 0});
  EXPECT_EQ(verdict(schedule), "schedule: rank 0 #1 collective set 1 "
                               "micro-batch 0: the rank is in no such set");
}

TEST(DeadlockCheck, OnlyTransfersJoin) {
  Schedule schedule = exchange(1, false);
  schedule.ranks[0][2].joinsPrevious = true;
  EXPECT_EQ(verdict(schedule),
            "schedule: rank 0 #2 free channel 1 micro-batch 0 (grouped): only "
            "a send or receive can join another");
  schedule = exchange(1, false);
  schedule.ranks[0][0].joinsPrevious = true;
  EXPECT_NE(verdict(schedule), "");
}

TEST(DeadlockCheck, RendezvousHasNothingToFree) {
  Schedule schedule = exchange(1, true);
  schedule.channels[0].depth = 0;
  EXPECT_EQ(verdict(schedule), "schedule: channel 0 (rank 0 -> 1) is a "
                               "rendezvous and has no slots to free");
}

TEST(DeadlockCheck, AgreesWithTheSimulatorOnMutants) {
  test::MutantCounts counts = test::judgeMutants(1000, 41);
  EXPECT_TRUE(counts.isRight()) << counts.firstWrong;
  EXPECT_EQ(counts.faulty, 1000);
  EXPECT_EQ(counts.correct, 1000);
  for (int count : {counts.stuck, counts.chains, counts.groups,
                    counts.collectives, counts.rendezvous})
    EXPECT_GT(count, 100);
}

} // namespace
