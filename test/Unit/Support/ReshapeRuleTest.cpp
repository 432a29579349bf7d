#include "takt/Support/ShardingRule.h"

#include "gtest/gtest.h"

#include <random>

using namespace takt;

namespace {

std::string rule(SymbolicShape input, SymbolicShape output) {
  ShardingRule rule = reshapeRule(input, output);
  if (llvm::Error error = rule.verify({input}, {output}))
    ADD_FAILURE() << llvm::toString(std::move(error));
  return rule.str();
}

TEST(ReshapeRule, Constants) {
  EXPECT_EQ(rule({8, 4}, {2, 16}),
            "([ij, k]) -> ([i, jk]) {i=2, j=4, k=4} linear={{0}}");
  EXPECT_EQ(rule({2, 3}, {3, 2}), "([i, j]) -> ([k, l]) {i=2, j=3, k=3, l=2} "
                                  "replicated={i, j, k, l} linear={{0}}");
  EXPECT_EQ(rule({6, 2, 5}, {4, 3, 5}),
            "([ij, k, n]) -> ([il, m, n]) {i=2, j=3, k=2, l=2, m=3, n=5} "
            "replicated={j, k, l, m} linear={{0}}");
  EXPECT_EQ(rule({1, 8}, {8, 1, 1}),
            "([1, i]) -> ([i, 1, 1]) {i=8} linear={{0}}");
  EXPECT_EQ(rule({}, {1, 1}), "([]) -> ([1, 1]) {} linear={{0}}");
}

TEST(ReshapeRule, Symbols) {
  SizeExpr batch = SizeExpr::symbol("batch"), seq = SizeExpr::symbol("seq");
  EXPECT_EQ(rule({batch, seq, 384}, {batch * seq, 12, 32}),
            "([i, j, kl]) -> ([ij, k, l]) {i=batch, j=seq, k=12, l=32} "
            "linear={{0}}");
  EXPECT_EQ(rule({batch, 4 * 4, 7}, {batch, SizeExpr::symbol("x")}),
            "([i, j, k]) -> ([i, l]) {i=batch, j=16, k=7, l=x} "
            "replicated={j, k, l} linear={{0}}");
  EXPECT_EQ(rule({batch * 8, seq}, {8, batch, seq}),
            "([ij, k]) -> ([i, j, k]) {i=8, j=batch, k=seq} linear={{0}}");
}

TEST(ReshapeRule, ZeroElementsHaveNoSharedFactor) {
  EXPECT_EQ(rule({0, 4}, {4, 0}), "([i, j]) -> ([k, l]) {i=0, j=4, k=4, l=0} "
                                  "replicated={i, j, k, l}");
}

/// The value of a factor at a linear index: it stands above `below` elements.
int64_t digit(const ShardingRule &rule, const TensorFactors &tensor, int id,
              int64_t index) {
  int64_t below = 1, found = -1;
  for (auto dim = tensor.rbegin(); dim != tensor.rend(); ++dim)
    for (auto factor = dim->rbegin(); factor != dim->rend(); ++factor) {
      int64_t size = *rule.factors[*factor].size.constant();
      if (*factor == id)
        found = index / below % size;
      below *= size;
    }
  return found;
}

/// A shared factor must take the same value on both sides of each element.
TEST(ReshapeRule, SharedFactorsAgreeOnRandomShapes) {
  std::mt19937 random(3);
  int shared = 0;
  for (int round = 0; round < 500; ++round) {
    int64_t primes[] = {2, 2, 3, 2, 3, 5};
    std::shuffle(std::begin(primes), std::end(primes), random);
    auto cut = [&] {
      SymbolicShape shape(1, SizeExpr(1));
      std::shuffle(std::begin(primes), std::end(primes), random);
      for (int64_t prime : primes) {
        if (random() % 2)
          shape.push_back(1);
        shape.back() = shape.back() * prime;
      }
      return shape;
    };
    SymbolicShape input = cut(), output = cut();
    ShardingRule rule = reshapeRule(input, output);
    ASSERT_EQ(llvm::toString(rule.verify({input}, {output})), "");
    for (int id = 0, end = rule.factors.size(); id < end; ++id) {
      if (rule.factors[id].kind != FactorKind::Parallel)
        continue;
      ++shared;
      for (int64_t index = 0; index < 360; ++index)
        ASSERT_EQ(digit(rule, rule.operands[0], id, index),
                  digit(rule, rule.results[0], id, index))
            << rule.str();
    }
  }
  EXPECT_GT(shared, 500);
}

} // namespace
