#include "ScheduleCases.h"

#include "gtest/gtest.h"

using namespace takt;
using namespace takt::test;

namespace {

void expectReached(const std::vector<Figure> &figures) {
  EXPECT_FALSE(figures.empty());
  for (const Figure &figure : figures) {
    EXPECT_TRUE(figure.isReached())
        << figure.schedule << ": " << figure.quantity << " " << figure.measured
        << ", known " << figure.known << " " << figure.fault;
#if !__has_feature(address_sanitizer)
    EXPECT_LT(figure.seconds, 2) << figure.schedule;
#endif
  }
}

TEST(ScheduleGenerator, Formulas) { expectReached(formulaFigures()); }
TEST(ScheduleGenerator, GoldenSpans) { expectReached(goldenFigures()); }
TEST(ScheduleGenerator, VeeHasNoBubble) { expectReached(veeFigures()); }

std::string messageOf(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : "";
}

std::vector<std::string> textsOf(const std::vector<Instruction> &list) {
  std::vector<std::string> texts;
  for (const Instruction &instruction : list)
    texts.push_back(instruction.str());
  return texts;
}

TEST(ScheduleGenerator, ListsOfOneFOneB) {
  Schedule schedule = llvm::cantFail(
      makeSchedule(oneFOneBOrder(3, 1), PipelineCosts::uniform({3}, {})));
  EXPECT_EQ(
      textsOf(schedule.ranks[1]),
      (std::vector<std::string>{
          "receive channel 0 micro-batch 0", "forward micro-batch 0",
          "send channel 2 micro-batch 0", "free channel 0 micro-batch 0",
          "receive channel 3 micro-batch 0", "backward micro-batch 0",
          "send channel 1 micro-batch 0", "free channel 3 micro-batch 0"}));
}

/// The middle of the V stays on its rank and has no channel.
TEST(ScheduleGenerator, StagesOnOneRankHaveNoChannel) {
  ZeroBubbleProblem problem = zeroBubbleV(2, 4, {}, 0);
  CheckedSchedule checked = checkedSchedule(problem);
  EXPECT_EQ(checked.fault, "");
  EXPECT_EQ(checked.schedule.channels.size(), 4u);
  for (const ScheduleChannel &channel : checked.schedule.channels)
    EXPECT_NE(channel.source, channel.target);
}

/// With slots without end the timeline is the same.
TEST(ScheduleGenerator, NoSendWaitsForASlot) {
  for (Cost transfer : {0, 1, 5}) {
    ZeroBubbleProblem problem = zeroBubbleH2(4, 12, {3, 4, 2}, transfer);
    CheckedSchedule checked = checkedSchedule(problem, {0});
    ASSERT_EQ(checked.fault, "");
    Schedule deep = checked.schedule;
    for (ScheduleChannel &channel : deep.channels) {
      EXPECT_LT(channel.depth, 12);
      channel.depth = 1000;
    }
    Timeline timeline = llvm::cantFail(simulate(deep, problem.costs));
    ScheduleReport report = analyzeTimeline(deep, timeline);
    EXPECT_EQ(report.wall, checked.report.wall);
    EXPECT_EQ(report.span, checked.report.span);
  }
}

/// Any limit with room for one micro-batch, any costs.
TEST(ScheduleGenerator, ZeroBubbleKeepsAnyMemoryLimit) {
  for (Placement placement : {Placement{4}, Placement{4, 2, Placement::Vee}})
    for (int64_t units = 2 * placement.chunks; units < 40; units += 3) {
      PipelineCosts costs = PipelineCosts::uniform(placement, {3, 5, 2}, 1);
      costs.chunks[2].back() = {9, 1, 7};
      costs.chunks[1].front() = {1, 0, 4};
      ZeroBubbleProblem problem{placement, 6, costs, units};
      CheckedSchedule greedy = checkedSchedule(problem, {0});
      EXPECT_EQ(greedy.fault, "") << units;
      CheckedSchedule climbed = checkedSchedule(problem, {100000});
      EXPECT_EQ(climbed.fault, "") << units;
      EXPECT_LE(climbed.report.span, greedy.report.span);
    }
}

TEST(ScheduleGenerator, SameSeedSameOrder) {
  ZeroBubbleProblem problem = zeroBubbleH1(4, 8, {10, 12, 9}, 1);
  auto ranks = [&](unsigned seed) {
    return llvm::cantFail(zeroBubbleOrder(problem, {100000, seed})).ranks;
  };
  EXPECT_EQ(ranks(7), ranks(7));
}

TEST(ScheduleGenerator, RefusesWhatItCannotMake) {
  EXPECT_EQ(messageOf(interleavedOrder(4, 2, 6).takeError()),
            "the interleaved schedule needs a multiple of 4 micro-batches (one "
            "per rank), found 6; choose another number or 1F1B");
  ZeroBubbleProblem problem = zeroBubbleV(4, 8, {}, 0);
  problem.memoryLimit = 3;
  EXPECT_EQ(messageOf(zeroBubbleOrder(problem, {}).takeError()),
            "zero-bubble schedule: the memory limit has no room for one "
            "micro-batch");
  problem = zeroBubbleH1(4, 8, {1, -1, 1}, 0);
  EXPECT_NE(messageOf(zeroBubbleOrder(problem, {}).takeError()), "");
  problem = zeroBubbleH1(4, 0, {}, 0);
  EXPECT_NE(messageOf(zeroBubbleOrder(problem, {}).takeError()), "");
  problem = zeroBubbleH1(4, 8, {}, 0);
  problem.costs.chunks.pop_back();
  EXPECT_NE(messageOf(zeroBubbleOrder(problem, {}).takeError()), "");
  ComputeOrder order = oneFOneBOrder(2, 2);
  std::swap(order.ranks[0][0], order.ranks[0][2]);
  EXPECT_EQ(
      messageOf(
          makeSchedule(order, PipelineCosts::uniform({2}, {})).takeError()),
      "the order of compute instructions waits for itself");
}

} // namespace
