#include "takt/Support/ShardingRule.h"

#include "gtest/gtest.h"

using namespace takt;

namespace {

ShardingRule matmul(SizeExpr m = 8, SizeExpr n = 16, SizeExpr k = 8) {
  RuleBuilder b;
  b.factor("m", m).factor("n", n).factor("k", k, FactorKind::Sum);
  b.operand({"m", "k"}).operand({"k", "n"}).result({"m", "n"});
  b.linear({0}).linear({1});
  return b.build();
}

std::vector<std::string> texts(llvm::ArrayRef<Strategy> strategies) {
  std::vector<std::string> result;
  for (const Strategy &strategy : strategies)
    result.push_back(std::to_string(strategy.factor) + " " + strategy.str());
  return result;
}

std::string messageOf(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : "";
}

TEST(ShardingRule, Text) {
  EXPECT_EQ(matmul().str(), "([i, k], [k, j]) -> ([i, j]) {i=8, j=16, k=8} "
                            "reduction={k} linear={{0}, {1}}");
  RuleBuilder b;
  b.factor("s", SizeExpr::symbol("seq")).factor("h", 12).factor("d", 64);
  b.operand({"s", "h d"}).result({"s", "h", "d", "1"});
  EXPECT_EQ(b.build().str(), "([i, jk]) -> ([i, j, k, 1]) {i=seq, j=12, k=64}");
}

TEST(ShardingRule, ManyFactorsHaveDistinctNames) {
  SymbolicShape shape(20, SizeExpr(2));
  std::string text = ShardingRule::pointwise({}, shape).str();
  EXPECT_NE(text.find("y, z, z_1, z_2]"), std::string::npos) << text;
}

TEST(ShardingRule, MatmulStrategies) {
  EXPECT_EQ(
      texts(enumerateStrategies(matmul(), 4)),
      (std::vector<std::string>{"-1 (replicated, replicated) -> (replicated)",
                                "0 (split 0, replicated) -> (split 0)",
                                "1 (replicated, split 1) -> (split 1)",
                                "2 (split 1, split 0) -> (partial)",
                                "-2 (partial, replicated) -> (partial)",
                                "-2 (replicated, partial) -> (partial)"}));
  EXPECT_EQ(enumerateStrategies(matmul(), 1).size(), 1u);
}

TEST(ShardingRule, UnusedFactorsAreReported) {
  llvm::SmallVector<UnusedFactor> unused;
  auto strategies =
      enumerateStrategies(matmul(SizeExpr::symbol("batch"), 6, 8), 4, &unused);
  EXPECT_EQ(texts(strategies).size(), 4u);
  ASSERT_EQ(unused.size(), 2u);
  EXPECT_EQ(unused[0].reason, "size batch is not constant");
  EXPECT_EQ(unused[1].factor, 1);
  EXPECT_EQ(unused[1].reason, "size 6 is not divisible by 4");
}

TEST(ShardingRule, OnlyMajorFactorsAreCut) {
  RuleBuilder b;
  b.factor("h", 4).factor("d", 8);
  b.operand({"h d"}).result({"h", "d"});
  llvm::SmallVector<UnusedFactor> unused;
  EXPECT_EQ(texts(enumerateStrategies(b.build(), 2, &unused)),
            (std::vector<std::string>{"-1 (replicated) -> (replicated)",
                                      "0 (split 0) -> (split 0)"}));
  ASSERT_EQ(unused.size(), 1u);
  EXPECT_EQ(unused[0].reason, "not the major factor of its dimension");
}

TEST(ShardingRule, MaximumIsNotCut) {
  RuleBuilder b;
  b.factor("i", 4).factor("k", 8, FactorKind::Max);
  b.operand({"i", "k"}).result({"i"});
  EXPECT_EQ(b.build().str(), "([i, j]) -> ([i]) {i=4, j=8} max={j}");
  EXPECT_EQ(enumerateStrategies(b.build(), 2).size(), 2u);
}

TEST(ShardingRule, PointwiseBroadcasts) {
  SizeExpr batch = SizeExpr::symbol("batch");
  SymbolicShape full = {batch, 8}, row = {8}, column = {batch, 1};
  ShardingRule rule = ShardingRule::pointwise({full, row, column}, full);
  EXPECT_EQ(rule.str(), "([i, j], [j], [i, 1]) -> ([i, j]) {i=batch, j=8}");
  EXPECT_EQ(messageOf(rule.verify({full, row, column}, {full})), "");
  EXPECT_EQ(texts(enumerateStrategies(rule, 2)).back(),
            "1 (split 1, split 0, replicated) -> (split 1)");
}

TEST(ShardingRule, RankZero) {
  RuleBuilder b;
  b.factor("i", 4, FactorKind::Sum);
  b.operand({"i"}).operand({}).result({});
  ShardingRule rule = b.build();
  EXPECT_EQ(rule.str(), "([i], []) -> ([]) {i=4} reduction={i}");
  EXPECT_EQ(enumerateStrategies(rule, 2)[1].str(),
            "(split 0, replicated) -> (partial)");
}

TEST(ShardingRule, VerifyNamesTheFault) {
  ShardingRule rule = matmul();
  EXPECT_EQ(messageOf(rule.verify({{8, 8}, {8, 16}}, {{8, 16}})), "");
  EXPECT_EQ(messageOf(rule.verify({{8, 8}, {8, 16}}, {{8, 15}})),
            "sharding rule: result 0 dimension 1: the factors multiply to 16, "
            "the size is 15");
  EXPECT_EQ(messageOf(rule.verify({{8, 8}}, {{8, 16}})),
            "sharding rule: has 2 operands, the op 1");
  ShardingRule twice = rule;
  twice.operands[0][1][0] = 0;
  EXPECT_EQ(messageOf(twice.verify()),
            "sharding rule: factor i stands twice in one tensor");
  ShardingRule reduced = rule;
  reduced.results[0][0][0] = 2;
  EXPECT_NE(messageOf(reduced.verify()), "");
  ShardingRule range = rule;
  range.operands[0][0][0] = 7;
  EXPECT_NE(messageOf(range.verify()), "");
  ShardingRule group = rule;
  group.linearGroups.push_back({2});
  EXPECT_NE(messageOf(group.verify()), "");
}

TEST(State, TextRoundTrips) {
  for (State state : {State::replicated(), State::split(0), State::split(12),
                      State::partial()}) {
    llvm::Expected<State> parsed = State::parse(state.str());
    ASSERT_TRUE(bool(parsed));
    EXPECT_EQ(*parsed, state);
  }
  for (const char *text : {"", "split", "split -1", "split x", "Partial"}) {
    llvm::Expected<State> parsed = State::parse(text);
    EXPECT_FALSE(bool(parsed)) << text;
    llvm::consumeError(parsed.takeError());
  }
}

TEST(State, LocalShapes) {
  SymbolicShape shape = {SizeExpr::symbol("batch"), 12};
  EXPECT_EQ(*localShape(shape, State::split(1), 4),
            (SymbolicShape{SizeExpr::symbol("batch"), 3}));
  EXPECT_EQ(*localShape(shape, State::partial(), 4), shape);
  EXPECT_EQ(llvm::toString(localShape(shape, State::split(1), 5).takeError()),
            "state 'split 1' of a tensor of shape [batch, 12]: size 12 is not "
            "divisible by 5");
  EXPECT_EQ(llvm::toString(localShape(shape, State::split(2), 2).takeError()),
            "state 'split 2' of a tensor of shape [batch, 12]: expected a "
            "dimension below 2");
}

} // namespace
