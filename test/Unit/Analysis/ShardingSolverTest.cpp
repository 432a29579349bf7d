#include "takt/Analysis/ShardingSolver.h"

#include "gtest/gtest.h"

#include <random>

using namespace takt;

namespace {

CostModel testModel() { return CostModel(defaultCluster(4)); }

/// Builds problems op by op; each op's strategies come from its rule.
struct ProblemBuilder {
  ShardingProblem problem;
  CostModel model = testModel();

  explicit ProblemBuilder(int64_t ways) { problem.ways = ways; }

  int value(int64_t bytes, ShardingValue::Kind kind) {
    problem.values.push_back(
        {"v" + std::to_string(problem.values.size()), bytes, kind, false});
    return int(problem.values.size()) - 1;
  }

  int op(const ShardingRule &rule, llvm::ArrayRef<int> operands, double flops,
         int64_t bytes) {
    int result = value(bytes, ShardingValue::Computed);
    ShardingOp op;
    op.name = "op" + std::to_string(problem.ops.size());
    op.strategies = enumerateStrategies(rule, problem.ways);
    llvm::SmallVector<double> operandBytes;
    for (int id : operands)
      operandBytes.push_back(problem.values[id].bytes);
    for (const Strategy &strategy : op.strategies)
      op.costs.push_back(strategyCost(model, strategy, problem.ways, flops,
                                      operandBytes, {double(bytes)}));
    op.operands.assign(operands.begin(), operands.end());
    op.results = {result};
    problem.ops.push_back(std::move(op));
    return result;
  }

  int matmul(int lhs, int64_t m, int64_t n, int64_t k) {
    RuleBuilder b;
    b.factor("m", m).factor("n", n).factor("k", k, FactorKind::Sum);
    b.operand({"m", "k"}).operand({"k", "n"}).result({"m", "n"});
    int weight = value(n * k * 4, ShardingValue::Weight);
    return op(b.build(), {lhs, weight}, 2.0 * m * n * k, m * n * 4);
  }

  int pointwise(llvm::ArrayRef<int> operands, int64_t m, int64_t n,
                bool linear) {
    SymbolicShape shape = {m, n};
    llvm::SmallVector<SymbolicShape> shapes(operands.size(), shape);
    ShardingRule rule = ShardingRule::pointwise(shapes, shape);
    if (linear) {
      auto &group = rule.linearGroups.emplace_back();
      for (size_t i = 0; i < operands.size(); ++i)
        group.push_back(i);
    }
    return op(rule, operands, double(m * n), m * n * 4);
  }

  ShardingSolution solveAndVerify() {
    llvm::Expected<ShardingSolution> solution = solveSharding(problem, model);
    if (!solution) {
      ADD_FAILURE() << llvm::toString(solution.takeError());
      return {};
    }
    EXPECT_EQ(evaluateSharding(problem, model, solution->strategies),
              solution->cost);
    return std::move(*solution);
  }
};

Cost bruteForce(const ShardingProblem &problem, const CostModel &model) {
  std::vector<int> choices(problem.ops.size(), 0);
  Cost best = infiniteCost;
  while (true) {
    best = std::min(best, evaluateSharding(problem, model, choices));
    size_t i = 0;
    while (i < choices.size() &&
           ++choices[i] == int(problem.ops[i].strategies.size()))
      choices[i++] = 0;
    if (i == choices.size())
      return best;
  }
}

/// The pattern of Megatron: columns, then rows, then one all-reduce.
TEST(ShardingSolver, FeedForwardNeedsOneAllReduce) {
  ProblemBuilder b(2);
  int input = b.value(64 * 1024 * 4, ShardingValue::Input);
  int up = b.matmul(input, 64, 4096, 1024);
  int active = b.pointwise({up}, 64, 4096, /*linear=*/false);
  int down = b.matmul(active, 64, 1024, 4096);
  b.problem.values[down].isOutput = true;
  ShardingSolution solution = b.solveAndVerify();
  EXPECT_TRUE(solution.proven);
  EXPECT_EQ(b.problem.ops[0].strategies[solution.strategies[0]].str(),
            "(replicated, split 1) -> (split 1)");
  EXPECT_EQ(b.problem.ops[1].strategies[solution.strategies[1]].str(),
            "(split 1) -> (split 1)");
  EXPECT_EQ(b.problem.ops[2].strategies[solution.strategies[2]].str(),
            "(split 1, split 0) -> (partial)");
  EXPECT_TRUE(solution.values[up].conversions.empty());
  ASSERT_EQ(solution.values[down].conversions.size(), 1u);
  EXPECT_EQ(solution.values[down].conversions[0].from, State::partial());
  EXPECT_EQ(solution.values[down].conversions[0].to, State::replicated());
}

/// Two partial branches are added before the reduction: one all-reduce, not 2.
TEST(ShardingSolver, PartialSumsMeetInAnAdd) {
  ProblemBuilder b(2);
  int input = b.value(64 * 2048 * 4, ShardingValue::Input);
  int left = b.matmul(input, 64, 1024, 2048);
  int right = b.matmul(input, 64, 1024, 2048);
  for (ShardingOp &op : b.problem.ops) // only the contraction may be cut
    op.costs = {infiniteCost, infiniteCost, infiniteCost, op.costs[3]};
  int sum = b.pointwise({left, right}, 64, 1024, /*linear=*/true);
  for (Cost &cost : b.problem.ops.back().costs)
    cost = 1;
  b.problem.values[sum].isOutput = true;
  ShardingSolution solution = b.solveAndVerify();
  EXPECT_EQ(b.problem.ops[2].strategies[solution.strategies[2]].factor,
            Strategy::linear);
  EXPECT_TRUE(solution.values[left].conversions.empty());
  EXPECT_EQ(solution.values[sum].conversions.size(), 1u);
}

TEST(ShardingSolver, OneRankReplicates) {
  ProblemBuilder b(1);
  int input = b.value(64, ShardingValue::Input);
  int result = b.matmul(input, 4, 4, 4);
  b.problem.values[result].isOutput = true;
  ShardingSolution solution = b.solveAndVerify();
  EXPECT_EQ(solution.strategies, std::vector<int>{0});
  EXPECT_EQ(solution.values[result].produced, State::replicated());
}

TEST(ShardingSolver, SharedGatherIsPaidOnce) {
  ProblemBuilder b(2);
  int input = b.value(64 * 1024 * 4, ShardingValue::Input);
  int produced = b.matmul(input, 64, 1024, 1024);
  b.problem.ops[0].costs = {infiniteCost, infiniteCost, 1, infiniteCost};
  for (int i = 0; i < 2; ++i) {
    int used = b.pointwise({produced}, 64, 1024, false);
    b.problem.ops.back().costs.assign(b.problem.ops.back().strategies.size(),
                                      infiniteCost);
    b.problem.ops.back().costs[0] = 1;
    b.problem.values[used].isOutput = true;
  }
  ShardingSolution solution = b.solveAndVerify();
  EXPECT_EQ(solution.cost,
            3 + testModel().allGather(64 * 1024 * 4, 2) +
                testModel().roofline(0, 64 * 1024 * 4 * 1.5) +
                weightCost(testModel(), State::split(1), 1024 * 1024 * 4, 2));
}

TEST(ShardingSolver, RandomProblemsMatchBruteForce) {
  std::mt19937 random(21);
  for (int round = 0; round < 60; ++round) {
    ProblemBuilder b(2 + 2 * (random() % 2));
    llvm::SmallVector<int> values = {
        b.value(16 * 16 * 4, ShardingValue::Input)};
    auto pick = [&] { return values[random() % values.size()]; };
    for (int i = 0, ops = 2 + random() % 4; i < ops; ++i)
      values.push_back(
          random() % 2 ? b.matmul(pick(), 16, 16, 16)
                       : b.pointwise({pick(), pick()}, 16, 16, random() % 2));
    // Costs of the size of the collectives, so that all choices matter.
    for (ShardingOp &op : b.problem.ops)
      for (Cost &cost : op.costs)
        cost = random() % 8000000;
    b.problem.values[values.back()].isOutput = true;
    b.problem.values[pick()].isOutput = true;
    ShardingSolution solution = b.solveAndVerify();
    // Exact but for the 1 ps of a local slice.
    Cost least = bruteForce(b.problem, b.model);
    ASSERT_GE(solution.cost, least) << round;
    ASSERT_LE(solution.cost, least + 32) << round;
  }
}

TEST(ShardingSolver, ConversionCosts) {
  CostModel model = testModel();
  State r = State::replicated(), p = State::partial(), s0 = State::split(0),
        s1 = State::split(1);
  EXPECT_EQ(conversionCost(model, r, s0, 8000, 4), 1);
  EXPECT_EQ(conversionCost(model, p, r, 8000, 4),
            model.allReduce(8000, 4) + model.roofline(0, 16000));
  EXPECT_EQ(conversionCost(model, p, s0, 8000, 4),
            model.reduceScatter(8000, 4) + model.roofline(0, 10000));
  Cost gather = model.allGather(8000, 4) + model.roofline(0, 10000);
  EXPECT_EQ(conversionCost(model, s0, r, 8000, 4), gather);
  EXPECT_EQ(conversionCost(model, s0, s1, 8000, 4), gather);
  EXPECT_EQ(conversionCost(model, r, p, 8000, 4), infiniteCost);
  EXPECT_EQ(conversionCost(model, s0, p, 8000, 4), infiniteCost);
}

TEST(ShardingSolver, RefusesProblemsWithFaults) {
  ProblemBuilder b(2);
  int input = b.value(64, ShardingValue::Input);
  b.matmul(input, 4, 4, 4);
  b.problem.ops[0].operands[0] = 9;
  EXPECT_EQ(llvm::toString(solveSharding(b.problem, b.model).takeError()),
            "sharding problem: op 'op0' names value 9 of 3");
  b.problem.ops[0].operands[0] = 0;
  b.problem.values[0].kind = ShardingValue::Computed;
  EXPECT_EQ(llvm::toString(solveSharding(b.problem, b.model).takeError()),
            "sharding problem: value 'v0' has 0 producers");
  b.problem.values[0].kind = ShardingValue::Input;
  b.problem.ops[0].costs.assign(4, infiniteCost);
  for (Cost &cost : b.problem.ops[0].costs)
    cost = infiniteCost;
  EXPECT_NE(llvm::toString(solveSharding(b.problem, b.model).takeError()), "");
}

} // namespace
