// Texts from strangers on one line.
#include "takt/Support/OneLine.h"

#include "gtest/gtest.h"

using namespace takt;

TEST(OneLine, ReplacesControlCharacters) {
  EXPECT_EQ(oneLine("a\nb\tc\x1b[1m\x7f."), "a b c [1m .");
}

TEST(OneLine, DropsWhiteSpaceAtTheEnds) { EXPECT_EQ(oneLine(" a\n"), "a"); }

TEST(OneLine, KeepsOtherBytes) {
  EXPECT_EQ(oneLine("\"ü\\漢' %s"), "\"ü\\漢' %s");
}
