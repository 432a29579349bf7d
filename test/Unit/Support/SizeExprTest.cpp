#include "takt/Support/SizeExpr.h"

#include "gtest/gtest.h"

#include <random>

using namespace takt;

namespace {

SizeExpr parse(llvm::StringRef text) {
  llvm::Expected<SizeExpr> expr = SizeExpr::parse(text);
  if (!expr) {
    ADD_FAILURE() << llvm::toString(expr.takeError());
    return SizeExpr::undefined();
  }
  return *expr;
}

std::string canonical(llvm::StringRef text) { return parse(text).str(); }

std::string errorOf(llvm::StringRef text) {
  llvm::Expected<SizeExpr> expr = SizeExpr::parse(text);
  return expr ? "" : llvm::toString(expr.takeError());
}

TEST(SizeExpr, CanonicalText) {
  EXPECT_EQ(canonical("0"), "0");
  EXPECT_EQ(canonical("seq*batch + 1 + batch*seq"), "2*batch*seq + 1");
  EXPECT_EQ(canonical("1 - a"), "-a + 1");
  EXPECT_EQ(canonical("(a+b)*(a-b)"), "a*a - b*b");
  EXPECT_EQ(canonical("a - a"), "0");
  EXPECT_EQ(canonical("--3"), "3");
  EXPECT_EQ(canonical(" min ( b , a ) "), "min(a, b)");
  EXPECT_EQ(canonical("3*(a floordiv b)*c"), "3*c*(a floordiv b)");
  EXPECT_EQ(canonical("-(a floordiv 2)"), "-(a floordiv 2)");
  EXPECT_EQ(canonical("b - a mod 3"), "b - a mod 3");
  EXPECT_EQ(canonical("x.1_y floordiv (b+1)"), "x.1_y floordiv (b + 1)");
}

TEST(SizeExpr, Simplification) {
  EXPECT_EQ(canonical("(a*b) floordiv a"), "b");
  EXPECT_EQ(canonical("a floordiv 1"), "a");
  EXPECT_EQ(canonical("(8*a + 4*b + 3) floordiv 4"), "2*a + b");
  EXPECT_EQ(canonical("(2*a + 1) floordiv 4"), "a floordiv 2");
  EXPECT_EQ(canonical("(a + 9) floordiv 4"), "(a + 1) floordiv 4 + 2");
  EXPECT_EQ(canonical("a floordiv 2 floordiv 3"), "a floordiv 6");
  EXPECT_EQ(canonical("a ceildiv 8"), "(a + 7) floordiv 8");
  EXPECT_EQ(canonical("a ceildiv b"), "a ceildiv b");
  EXPECT_EQ(canonical("(9*a + 8*b) mod 8"), "a mod 8");
  EXPECT_EQ(canonical("(a*b + c) mod b"), "c mod b");
  EXPECT_EQ(canonical("-7 floordiv 2"), "-4");
  EXPECT_EQ(canonical("-7 ceildiv 2"), "-3");
  EXPECT_EQ(canonical("-7 mod 2"), "1");
  EXPECT_EQ(canonical("7 floordiv -2"), "-4");
  EXPECT_EQ(canonical("min(a, a + 1)"), "a");
  EXPECT_EQ(canonical("max(a, max(b, a))"), "max(a, b)");
  EXPECT_EQ(canonical("max(max(c, a), b)"), canonical("max(a, max(c, b))"));
  EXPECT_EQ(canonical("min(3, min(a, 5))"), "min(a, 3)");
}

TEST(SizeExpr, ExactDivision) {
  SizeExpr a = SizeExpr::symbol("a"), b = SizeExpr::symbol("b");
  EXPECT_EQ((a * b * 6).exactDiv(a * 2), b * 3);
  EXPECT_EQ(((a + 1) * b).exactDiv(a + 1), b);
  EXPECT_EQ(((a + b) * (a + b)).exactDiv(a + b), a + b);
  EXPECT_EQ((a * 4 + 2).exactDiv(2), a * 2 + 1);
  EXPECT_EQ((a * 4 + 2).exactDiv(4), std::nullopt);
  EXPECT_EQ(a.exactDiv(b), std::nullopt);
  EXPECT_EQ(a.exactDiv(0), std::nullopt);
  EXPECT_EQ(SizeExpr(0).exactDiv(a), SizeExpr(0));
  EXPECT_EQ(SizeExpr::commonDivisor(12, 18), SizeExpr(6));
  EXPECT_EQ(SizeExpr::commonDivisor(a * 8, a * b * 12), a * 4);
  EXPECT_EQ(SizeExpr::commonDivisor(a * b, a), a);
  EXPECT_EQ(SizeExpr::commonDivisor(a + 1, b), SizeExpr(1));
}

TEST(SizeExpr, Queries) {
  SizeExpr expr = parse("seq*(batch floordiv 2) + min(past, seq)");
  llvm::SmallVector<std::string> names;
  expr.collectSymbols(names);
  EXPECT_EQ(names, (llvm::SmallVector<std::string>{"batch", "past", "seq"}));
  EXPECT_EQ(parse("seq").symbolName(), llvm::StringRef("seq"));
  EXPECT_EQ(parse("2*seq").symbolName(), std::nullopt);
  EXPECT_EQ(parse("2*3").constant(), 6);
  EXPECT_EQ(expr.constant(), std::nullopt);
  EXPECT_EQ(hash_value(parse("a + b")), hash_value(parse("b + a")));
  EXPECT_EQ(product({}), SizeExpr(1));
  EXPECT_EQ(shapeText({parse("a*4"), 3}), "[4*a, 3]");
}

TEST(SizeExpr, EvaluationChecksOverflow) {
  auto big = [](llvm::StringRef) { return std::optional<int64_t>(INT64_MAX); };
  auto none = [](llvm::StringRef) { return std::optional<int64_t>(); };
  auto zero = [](llvm::StringRef) { return std::optional<int64_t>(0); };
  EXPECT_EQ(parse("a").evaluate(big), INT64_MAX);
  EXPECT_EQ(parse("a + 1").evaluate(big), std::nullopt);
  EXPECT_EQ(parse("2*a").evaluate(big), std::nullopt);
  EXPECT_EQ(parse("a").evaluate(none), std::nullopt);
  EXPECT_EQ(parse("7").evaluate(none), 7);
  EXPECT_EQ(parse("b floordiv a").evaluate(zero), std::nullopt);
}

TEST(SizeExpr, UndefinedSpreads) {
  SizeExpr big(INT64_MAX);
  SizeExpr undefined = big * 2;
  EXPECT_TRUE(undefined.isUndefined());
  EXPECT_TRUE((undefined - undefined).isUndefined());
  EXPECT_TRUE(SizeExpr::floorDiv(1, 0).isUndefined());
  EXPECT_TRUE(SizeExpr(INT64_MIN).isUndefined());
  EXPECT_EQ(undefined.constant(), std::nullopt);
  EXPECT_EQ(undefined.exactDiv(undefined), std::nullopt);
  EXPECT_NE(undefined, SizeExpr(0));
  EXPECT_EQ(undefined.str(), "<undefined>");
}

TEST(SizeExpr, ParseErrors) {
  EXPECT_EQ(errorOf("a + "), "size expression 'a + ', offset 4: expected an "
                             "integer of 64 bits, a name, '(', min or max");
  EXPECT_EQ(errorOf("(a"), "size expression '(a', offset 2: expected ')'");
  EXPECT_EQ(errorOf("a b"), "size expression 'a b', offset 2: expected an "
                            "operator or the end");
  EXPECT_NE(errorOf(""), "");
  EXPECT_NE(errorOf("mod"), "");
  EXPECT_NE(errorOf("a floordivb"), "");
  EXPECT_NE(errorOf("9223372036854775808"), "");
  EXPECT_NE(errorOf("9223372036854775807 + 1"), "");
  EXPECT_NE(errorOf("a mod 0"), "");
  EXPECT_NE(errorOf("min(a)"), "");
  EXPECT_NE(errorOf(std::string(100000, '(')), "");
  EXPECT_NE(errorOf("<undefined>"), "");
}

/// A random expression as text, fully parenthesised, and its value by direct
/// evaluation; nullopt where a divisor is 0.
struct Sample {
  std::string text;
  std::optional<int64_t> value;
};

Sample randomSample(std::mt19937 &random, const int64_t (&names)[3],
                    int depth) {
  auto pick = [&](int n) { return int(random() % n); };
  if (depth == 0 || pick(4) == 0) {
    if (pick(2) == 0) {
      int name = pick(3);
      return {std::string(1, char('a' + name)), names[name]};
    }
    int64_t value = pick(9) - 3;
    return {"(" + std::to_string(value) + ")", value};
  }
  Sample l = randomSample(random, names, depth - 1);
  Sample r = randomSample(random, names, depth - 1);
  int op = pick(8);
  static const char *const infix[] = {"+",        "-",       "*",
                                      "floordiv", "ceildiv", "mod"};
  Sample out;
  out.text = op < 6
                 ? "(" + l.text + " " + infix[op] + " " + r.text + ")"
                 : (op == 6 ? "min(" : "max(") + l.text + ", " + r.text + ")";
  if (!l.value || !r.value || (op >= 3 && op <= 5 && *r.value == 0))
    return out;
  int64_t x = *l.value, y = *r.value;
  auto floorOf = [](int64_t p, int64_t q) {
    int64_t t = p / q;
    return t * q != p && ((p < 0) != (q < 0)) ? t - 1 : t;
  };
  switch (op) {
  case 0:
    out.value = x + y;
    break;
  case 1:
    out.value = x - y;
    break;
  case 2:
    out.value = x * y;
    break;
  case 3:
    out.value = floorOf(x, y);
    break;
  case 4:
    out.value = -floorOf(-x, y);
    break;
  case 5:
    out.value = x - y * floorOf(x, y);
    break;
  case 6:
    out.value = std::min(x, y);
    break;
  default:
    out.value = std::max(x, y);
    break;
  }
  return out;
}

TEST(SizeExpr, RandomExpressionsKeepTheirValueAndText) {
  std::mt19937 random(7);
  int compared = 0;
  for (int i = 0; i < 8000; ++i) {
    int64_t names[3];
    for (int64_t &name : names)
      name = 1 + random() % 12;
    Sample sample = randomSample(random, names, 4);
    llvm::Expected<SizeExpr> expr = SizeExpr::parse(sample.text);
    if (!expr) { // a constant divisor that simplifies to 0
      llvm::consumeError(expr.takeError());
      continue;
    }
    llvm::Expected<SizeExpr> again = SizeExpr::parse(expr->str());
    ASSERT_TRUE(bool(again)) << expr->str();
    ASSERT_EQ(*expr, *again) << sample.text << " -> " << expr->str();
    ASSERT_EQ(expr->str(), again->str());
    std::optional<int64_t> value =
        expr->evaluate([&](llvm::StringRef name) -> std::optional<int64_t> {
          return names[name[0] - 'a'];
        });
    if (!sample.value || !value)
      continue;
    ASSERT_EQ(*value, *sample.value) << sample.text << " -> " << expr->str();
    ++compared;
  }
  EXPECT_GT(compared, 4000);
}

} // namespace
