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
    EXPECT_LT(figure.seconds, 2) << figure.schedule;
  }
}

TEST(ScheduleGenerator, Formulas) { expectReached(formulaFigures()); }
TEST(ScheduleGenerator, GoldenSpans) { expectReached(goldenFigures()); }
TEST(ScheduleGenerator, VeeHasNoBubble) { expectReached(veeFigures()); }

} // namespace
