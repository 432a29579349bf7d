#include "takt/Analysis/StageCut.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace takt;

namespace {

StageCutProblem chain(llvm::ArrayRef<Cost> times, Cost transfer, int stages) {
  StageCutProblem problem;
  for (Cost time : times)
    problem.units.push_back({{time}, {}});
  for (int i = 1; i < int(times.size()); ++i)
    problem.tensors.push_back({i - 1, {i}, transfer});
  problem.stageOptions.assign(stages, 0);
  return problem;
}

StageCut cut(const StageCutProblem &problem,
             const StageCutOptions &options = {}) {
  llvm::Expected<StageCut> result = cutStages(problem, options);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  auto loads = evaluateStageCut(problem, result->stageOf, result->options);
  if (!loads) {
    ADD_FAILURE() << llvm::toString(loads.takeError());
    return {};
  }
  EXPECT_EQ(*loads, result->loads);
  EXPECT_EQ(*std::max_element(loads->begin(), loads->end()), result->takt);
  EXPECT_LE(result->lowerBound, result->takt);
  return std::move(*result);
}

std::string errorOf(const StageCutProblem &problem) {
  llvm::Expected<StageCut> result = cutStages(problem);
  return result ? "" : llvm::toString(result.takeError());
}

int stagesUsed(const StageCut &cut) {
  return std::set<int>(cut.stageOf.begin(), cut.stageOf.end()).size();
}

/// The best of all maps for the given order of stages.
void tryAllMaps(const StageCutProblem &problem, llvm::ArrayRef<int> options,
                std::pair<Cost, int> &best) {
  std::vector<int> stageOf(problem.units.size(), 0);
  while (true) {
    if (auto loads = evaluateStageCut(problem, stageOf, options)) {
      int used = std::set<int>(stageOf.begin(), stageOf.end()).size();
      best = std::min(best,
                      {*std::max_element(loads->begin(), loads->end()), used});
    } else {
      llvm::consumeError(loads.takeError());
    }
    size_t i = 0;
    while (i < stageOf.size() && ++stageOf[i] == int(options.size()))
      stageOf[i++] = 0;
    if (i == stageOf.size())
      return;
  }
}

/// Least takt and, for it, fewest stages over all maps; infinite if none fits.
std::pair<Cost, int> bruteForce(const StageCutProblem &problem) {
  std::pair<Cost, int> best = {infiniteCost, 0};
  std::vector<int> options = problem.stageOptions;
  if (!problem.isAnyOrder) {
    tryAllMaps(problem, options, best);
    return best;
  }
  llvm::sort(options);
  do
    tryAllMaps(problem, options, best);
  while (std::next_permutation(options.begin(), options.end()));
  return best;
}

TEST(StageCut, BalancesAChain) {
  StageCut result = cut(chain({4, 4, 4, 4}, 1, 2));
  EXPECT_EQ(result.stageOf, (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(result.loads, (std::vector<Cost>{9, 9}));
  EXPECT_TRUE(result.proven);
  EXPECT_EQ(result.lowerBound, 9);
}

TEST(StageCut, UsesFewerStagesWhereMoreDoNotPay) {
  EXPECT_EQ(cut(chain({4, 4}, 10, 4)).stageOf, (std::vector<int>{0, 0}));
  StageCut lone = cut(chain({5}, 0, 4));
  EXPECT_EQ(lone.loads, (std::vector<Cost>{5, 0, 0, 0}));
  // Three stages cannot beat the largest unit either.
  StageCut result = cut(chain({1, 8, 1}, 0, 3));
  EXPECT_EQ(result.takt, 8);
  EXPECT_EQ(stagesUsed(cut(chain({4, 8, 4}, 0, 3))), 2 + 1);
  StageCutProblem empty;
  empty.stageOptions = {0, 0};
  EXPECT_EQ(cut(empty).takt, 0);
}

/// Each stage that makes or consumes a tensor pays once, those between nothing.
TEST(StageCut, TransfersAreCountedOncePerStage) {
  StageCutProblem problem = chain({1, 1, 1, 1}, 0, 4);
  problem.tensors.push_back({0, {2, 3, 1}, 10});
  auto loads = evaluateStageCut(problem, {0, 1, 2, 3});
  ASSERT_TRUE(bool(loads));
  EXPECT_EQ(*loads, (std::vector<Cost>{11, 11, 11, 11}));
  loads = evaluateStageCut(problem, {0, 0, 2, 2});
  ASSERT_TRUE(bool(loads));
  EXPECT_EQ(*loads, (std::vector<Cost>{12, 0, 12, 0}));
}

TEST(StageCut, EvaluatorRefusesInvalidCuts) {
  StageCutProblem problem = chain({1, 2, 3}, 1, 2);
  auto message = [&](llvm::ArrayRef<int> stageOf) {
    auto loads = evaluateStageCut(problem, stageOf);
    return loads ? "" : llvm::toString(loads.takeError());
  };
  EXPECT_EQ(message({0, 1, 1}), "");
  EXPECT_EQ(message({1, 0, 1}),
            "stage cut: tensor 0 flows back from stage 1 to 0");
  EXPECT_EQ(message({0, 1, 2}), "stage cut: unit 2 is on stage 2 of 2");
  EXPECT_EQ(message({0, 1}), "stage cut: the cut has 2 units; expected 3");
  problem.together = {{0, 2}};
  EXPECT_EQ(message({0, 0, 1}), "stage cut: units 0 and 2 must share a stage");
  problem.together.clear();
  problem.memoryLimit = 4;
  for (auto &unit : problem.units)
    unit.memory = {3};
  EXPECT_EQ(message({0, 1, 1}),
            "stage cut: stage 1 needs 6 bytes; the limit is 4");
}

TEST(StageCut, MemoryLimitHolds) {
  StageCutProblem problem = chain({1, 1, 10, 1}, 0, 2);
  for (auto &unit : problem.units)
    unit.memory = {10};
  problem.memoryLimit = 20;
  EXPECT_EQ(cut(problem).stageOf, (std::vector<int>{0, 0, 1, 1}));
  problem.memoryLimit = 15;
  EXPECT_EQ(errorOf(problem),
            "stage cut: no cut into at most 2 stages keeps each within 15 "
            "bytes; use more stages or a higher tensor degree");
}

TEST(StageCut, UnitsOfASetAndOfACycleStayTogether) {
  StageCutProblem problem = chain({3, 3, 3, 3}, 0, 4);
  problem.together = {{0, 2}}; // unit 1 lies between
  StageCut result = cut(problem);
  EXPECT_EQ(result.stageOf, (std::vector<int>{0, 0, 0, 1}));
  problem.together.clear();
  problem.tensors.push_back({3, {1}, 0});
  EXPECT_EQ(cut(problem).stageOf, (std::vector<int>{0, 1, 1, 1}));
}

/// Stages of different kinds: the second is twice as fast.
TEST(StageCut, StagesOfDifferentKinds) {
  StageCutProblem problem = chain({6, 6, 6, 6, 6, 6}, 0, 2);
  for (auto &unit : problem.units)
    unit.times.push_back(3);
  problem.stageOptions = {0, 1};
  StageCut result = cut(problem);
  EXPECT_EQ(result.loads, (std::vector<Cost>{12, 12}));
  problem.units.resize(1);
  problem.tensors.clear();
  EXPECT_EQ(cut(problem).stageOf, std::vector<int>{1});
}

StageCutProblem randomProblem(std::mt19937 &random, int units, int stages) {
  StageCutProblem problem;
  int options = 1 + random() % 2;
  for (int i = 0; i < units; ++i) {
    StageCutProblem::Unit unit;
    for (int option = 0; option < options; ++option) {
      unit.times.push_back(random() % 10);
      unit.memory.push_back(random() % 10);
    }
    problem.units.push_back(unit);
  }
  for (int i = 0; i + 1 < units; ++i) {
    StageCutProblem::Tensor tensor{i, {}, Cost(random() % 6)};
    for (int consumer = i + 1; consumer < units; ++consumer)
      if (random() % 3 == 0)
        tensor.consumers.push_back(consumer);
    problem.tensors.push_back(tensor);
  }
  for (int stage = 0; stage < stages; ++stage)
    problem.stageOptions.push_back(random() % options);
  if (random() % 3 == 0)
    problem.memoryLimit = 10 + random() % 30;
  if (units > 3 && random() % 4 == 0)
    problem.together.push_back({int(random() % units), int(random() % units)});
  return problem;
}

/// Stages in any order, a host without transfers, gradients, further order.
void complicate(StageCutProblem &problem, std::mt19937 &random) {
  problem.isAnyOrder = random() % 2 == 0;
  if (random() % 2 == 0)
    problem.hostOptions = {0};
  for (StageCutProblem::Tensor &tensor : problem.tensors)
    tensor.isOrdered = random() % 4 != 0;
  int units = problem.units.size();
  for (int i = random() % 3; i > 0; --i)
    problem.precedes.push_back({int(random() % units), int(random() % units)});
  if (random() % 2 == 0) // side branches that take no time
    for (StageCutProblem::Unit &unit : problem.units)
      if (random() % 2 == 0)
        unit.times.assign(unit.times.size(), 0);
}

TEST(StageCut, MatchesBruteForce) {
  std::mt19937 random(31);
  int infeasible = 0;
  for (int round = 0; round < 600; ++round) {
    StageCutProblem problem =
        randomProblem(random, 1 + random() % 7, 1 + random() % 4);
    if (round % 2 == 1)
      complicate(problem, random);
    auto [takt, used] = bruteForce(problem);
    if (takt == infiniteCost) {
      EXPECT_NE(errorOf(problem), "");
      ++infeasible;
      continue;
    }
    StageCut result = cut(problem);
    ASSERT_TRUE(result.proven);
    ASSERT_EQ(result.takt, takt) << round;
    ASSERT_EQ(stagesUsed(result), used) << round;
  }
  EXPECT_LT(infeasible, 200);
  EXPECT_GT(infeasible, 5);
}

TEST(StageCut, LimitsGiveAnUnprovenCut) {
  StageCutProblem problem;
  for (int i = 0; i < 24; ++i) // no tensors: 2^24 downsets
    problem.units.push_back({{Cost(5 + i % 7)}, {}});
  problem.stageOptions.assign(4, 0);
  StageCutOptions options;
  options.idealLimit = 500;
  options.pairLimit = 2000;
  StageCut result = cut(problem, options);
  EXPECT_FALSE(result.proven);
  EXPECT_EQ(result.lowerBound, 47); // 186 / 4 rounded up
  EXPECT_LE(result.takt, 56);
}

/// 24 blocks of a transformer with residuals and a mask that all blocks read.
TEST(StageCut, DeepModelIsProven) {
  StageCutProblem problem;
  auto unit = [&](Cost time) {
    problem.units.push_back({{time}, {}});
    return int(problem.units.size()) - 1;
  };
  StageCutProblem::Tensor mask{unit(1), {}, 1};
  int carried = unit(10);
  for (int block = 0; block < 24; ++block) {
    int q = unit(20), k = unit(20), v = unit(20);
    int attention = unit(30), up = unit(80), down = unit(80);
    problem.tensors.push_back({carried, {q, k, v, attention}, 5});
    for (int part : {q, k, v})
      problem.tensors.push_back({part, {attention}, 5});
    problem.tensors.push_back({attention, {up, down}, 5});
    problem.tensors.push_back({up, {down}, 20});
    mask.consumers.push_back(attention);
    carried = down;
  }
  problem.tensors.push_back(mask);
  problem.stageOptions.assign(4, 0);
  StageCut result = cut(problem);
  EXPECT_TRUE(result.proven);
  EXPECT_EQ(stagesUsed(result), 4);
  // Work is 6011, so 1503 per stage, and each stage has at least one transfer.
  EXPECT_GE(result.takt, 1508);
  EXPECT_LE(result.takt, 1530);
}

TEST(StageCut, CheckFindsFaults) {
  StageCutProblem problem = chain({1, 2}, 1, 0);
  EXPECT_EQ(errorOf(problem), "stage cut: there is no stage; expected at least "
                              "1");
  problem.stageOptions = {1};
  EXPECT_EQ(errorOf(problem), "stage cut: a stage has option 1 of 1");
  problem.stageOptions = {0};
  problem.tensors[0].consumers[0] = 2;
  EXPECT_NE(errorOf(problem), "");
  problem.tensors[0].consumers[0] = 1;
  problem.units[1].times = {-1};
  EXPECT_EQ(errorOf(problem), "stage cut: unit 1 has a negative time or size");
}

} // namespace
