//===- Sha256Test.cpp - digests of short and of very long data ------------===//
#include "takt/Bundle/Sha256.h"

#include <gtest/gtest.h>

using namespace takt;

TEST(Sha256, KnownDigest) {
  EXPECT_EQ(sha256Hex("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, PartsGiveTheDigestOfTheWhole) {
  Sha256 digest;
  digest.update("a");
  digest.update("");
  digest.update("bc");
  EXPECT_EQ(digest.finish(), sha256Hex("abc"));
}

// 2^32 bits and more: weights of real models are that long.
TEST(Sha256, MoreThan512MiB) {
  std::string zeros(1 << 20, '\0');
  Sha256 digest;
  for (int i = 0; i < 513; ++i)
    digest.update(zeros);
  EXPECT_EQ(digest.finish(),
            "a3e2acbb469e4e59dde406f912e754c933c1ac0fb0092a3634d61d5073309c0c");
}
