#include "runtime/core/SizeExpression.h"

#include <gtest/gtest.h>

namespace takt::runtime {
namespace {

const std::vector<std::string> dims = {"batch", "seq.total"};

int64_t evaluate(const char *text, int64_t batch, int64_t total) {
  Result<SizeExpression> parsed = SizeExpression::parse(text, dims);
  EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.status().getText();
  int64_t values[] = {batch, total}, result = -999;
  Status status = parsed->evaluate(values, result);
  EXPECT_TRUE(status.ok()) << status.getText();
  return result;
}

TEST(SizeExpression, EvaluatesByPrecedence) {
  EXPECT_EQ(evaluate("2 + 3 * batch - 1", 5, 0), 16);
  EXPECT_EQ(evaluate("(2 + 3) * batch", 5, 0), 25);
  EXPECT_EQ(evaluate("-batch + -(-3)", 5, 0), -2);
  EXPECT_EQ(evaluate("min(batch, max(seq.total, 2))*10", 9, 1), 20);
  EXPECT_EQ(evaluate("10 - 4 - 3", 0, 0), 3);
}

TEST(SizeExpression, RoundsDivisionLikeTheCompiler) {
  EXPECT_EQ(evaluate("batch floordiv 2", -3, 0), -2);
  EXPECT_EQ(evaluate("batch ceildiv 2", -3, 0), -1);
  EXPECT_EQ(evaluate("batch ceildiv 2", 3, 0), 2);
  EXPECT_EQ(evaluate("batch ceildiv 2", 4, 0), 2);
  EXPECT_EQ(evaluate("batch mod 4", -3, 0), 1);
  EXPECT_EQ(evaluate("batch mod 4", 7, 0), 3);
}

TEST(SizeExpression, RefusesMalformedText) {
  for (const char *text :
       {"", "+", "2 3", "unknown", "(batch", "batch)", "min(1)", "min(1,2",
        "1 floordiv", "99999999999999999999", "batch & 1", "2 *", "max"})
    EXPECT_FALSE(SizeExpression::parse(text, dims).ok()) << text;
  EXPECT_FALSE(SizeExpression::parse(std::string(100000, '('), dims).ok());
  EXPECT_FALSE(SizeExpression::parse(std::string(100000, '-'), dims).ok());
}

TEST(SizeExpression, ReportsOverflowAndDivisionByZero) {
  for (const char *text :
       {"batch * batch", "batch + batch", "-batch - batch - batch",
        "1 floordiv (batch - batch)", "1 mod (0 * batch)", "1 ceildiv (-1)"}) {
    Result<SizeExpression> parsed = SizeExpression::parse(text, dims);
    ASSERT_TRUE(parsed.ok()) << text;
    int64_t values[] = {INT64_MAX, 0}, result = 0;
    EXPECT_FALSE(parsed->evaluate(values, result).ok()) << text;
  }
}

TEST(SizeExpression, KnowsBareAndConstantForms) {
  EXPECT_EQ(SizeExpression::parse("seq.total", dims)->getBareDim(), 1);
  EXPECT_EQ(SizeExpression::parse("seq.total+0", dims)->getBareDim(), -1);
  EXPECT_TRUE(SizeExpression::parse("3*4", dims)->isConstant());
  EXPECT_FALSE(SizeExpression::parse("3*batch", dims)->isConstant());
}

TEST(CheckedBytes, BoundsProducts) {
  EXPECT_EQ(*checkedBytes({2, 3}, 4), 24);
  EXPECT_EQ(*checkedBytes({INT64_MAX, INT64_MAX, 0}, 4), 0);
  EXPECT_EQ(*checkedBytes({}, 8), 8);
  EXPECT_FALSE(checkedBytes({INT64_MAX, 2}, 4).ok());
  EXPECT_FALSE(checkedBytes({-1, 0}, 4).ok());
}

} // namespace
} // namespace takt::runtime
