#include "takt/Analysis/DeadlockCheck.h"

#include "gtest/gtest.h"

#include <random>

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

/// Runs the lists one instruction at a time, by the semantics of FIFOs with
/// slots, until all end (true) or none can go on. Needs checkPairing.
bool simulate(const Schedule &schedule) {
  std::vector<size_t> at(schedule.ranks.size(), 0);
  struct Fifo {
    int sent = 0, received = 0, freed = 0;
  };
  std::vector<Fifo> fifos(schedule.channels.size());
  auto current = [&](int rank) -> const Instruction * {
    const auto &list = schedule.ranks[rank];
    return at[rank] < list.size() ? &list[at[rank]] : nullptr;
  };
  auto groupOf = [&](int rank) {
    for (const auto &group : schedule.groups)
      for (int member : group)
        if (member == rank)
          return llvm::SmallVector<int>(group);
    return llvm::SmallVector<int>{rank};
  };
  auto step = [&](int rank) {
    const Instruction *instruction = current(rank);
    if (!instruction)
      return false;
    if (instruction->kind == Instruction::Forward) {
      llvm::SmallVector<int> group = groupOf(rank);
      for (int member : group)
        if (!current(member) || current(member)->kind != Instruction::Forward)
          return false;
      for (int member : group)
        ++at[member];
      return true;
    }
    Fifo &fifo = fifos[instruction->channel];
    int depth = schedule.channels[instruction->channel].depth;
    if (instruction->kind == Instruction::Send &&
        fifo.sent - fifo.freed >= depth)
      return false;
    if (instruction->kind == Instruction::Receive && fifo.received >= fifo.sent)
      return false;
    (instruction->kind == Instruction::Send      ? fifo.sent
     : instruction->kind == Instruction::Receive ? fifo.received
                                                 : fifo.freed)++;
    ++at[rank];
    return true;
  };
  bool moved = true;
  while (moved) {
    moved = false;
    for (size_t rank = 0; rank < at.size(); ++rank)
      while (step(rank))
        moved = true;
  }
  for (size_t rank = 0; rank < at.size(); ++rank)
    if (current(rank))
      return false;
  return true;
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
      EXPECT_TRUE(simulate(repeatSteps(step, 6)));
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
            "rank 0 #0 receive channel 1 micro-batch 0 <- waits for "
            "rank 1 #2 send channel 1 micro-batch 0 <- waits for "
            "rank 1 #1 forward micro-batch 0 <- waits for "
            "rank 1 #0 receive channel 0 micro-batch 0 <- waits for "
            "rank 0 #2 send channel 0 micro-batch 0 <- waits for "
            "rank 0 #1 forward micro-batch 0 <- waits for "
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
  EXPECT_FALSE(simulate(schedule));
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
  EXPECT_FALSE(simulate(repeatSteps(step, 1)));
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
  bad.channels[0].depth = 0;
  EXPECT_NE(messageOf(checkPairing(bad)), "");
  bad = good;
  bad.groups = {{0, 1}, {1}};
  EXPECT_NE(messageOf(checkPairing(bad)), "");
  bad = good;
  bad.groups = {{0, 1}};
  bad.ranks[0][0].microBatch = 5;
  EXPECT_NE(messageOf(checkPairing(bad)), "");
}

/// Deletes, swaps, retags and shrinks: accused if and only if the simulator
/// gets stuck, where the lists still pair.
TEST(DeadlockCheck, AgreesWithTheSimulatorOnMutants) {
  std::mt19937 random(41);
  int stuck = 0, fine = 0, unpaired = 0;
  for (int round = 0; round < 4000; ++round) {
    int depth = 1 + random() % 3;
    Schedule schedule =
        repeatSteps(pipeline({1 + int(random() % 2), 1 + int(random() % 2), 1},
                             depth, {{0, 2}}),
                    3);
    for (int i = 0, mutations = 1 + random() % 6; i < mutations; ++i) {
      auto &list = schedule.ranks[random() % schedule.ranks.size()];
      if (list.empty())
        continue;
      size_t at = random() % list.size();
      switch (random() % 8) {
      case 0:
        list.erase(list.begin() + at);
        break;
      case 1:
        list[at].microBatch ^= 1;
        break;
      case 2: {
        int &slots =
            schedule.channels[random() % schedule.channels.size()].depth;
        slots = std::max(1, slots - 1);
        break;
      }
      default:
        std::swap(list[at], list[random() % list.size()]);
      }
    }
    std::string pairing = messageOf(checkPairing(schedule));
    std::string proof = messageOf(proveNoDeadlock(schedule));
    if (!pairing.empty()) {
      ++unpaired;
      ASSERT_EQ(proof, pairing);
      continue;
    }
    bool ends = simulate(schedule);
    ASSERT_EQ(proof.empty(), ends) << proof;
    ++(ends ? fine : stuck);
  }
  EXPECT_GT(stuck, 30);
  EXPECT_GT(fine, 100);
  EXPECT_GT(unpaired, 100);
}

} // namespace
