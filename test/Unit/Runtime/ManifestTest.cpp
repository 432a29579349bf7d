// Manifests: what is accepted, and that nothing hostile gets through.
#include "runtime/core/Manifest.h"
#include "BundleBuilder.h"
#include "runtime/abi/Abi.h"

#include <gtest/gtest.h>

namespace takt::runtime::test {
namespace {

using nlohmann::json;

json makeManifest(int replicas = 1) {
  TemporaryDirectory directory;
  BundleBuilder builder(replicas);
  builder.write(directory.path());
  return builder.manifest;
}

TEST(Manifest, ReadsProtobufsMapping) {
  Result<Manifest> manifest = parseManifest(makeManifest().dump());
  ASSERT_TRUE(manifest.ok()) << manifest.status().getText();
  EXPECT_EQ(manifest->replicas, 1);
  EXPECT_EQ(manifest->dims[0].typical, 3); // a 64-bit integer: a string
  EXPECT_EQ(manifest->ranks[2].instructions[0].kind, InstructionKind::Receive);
  EXPECT_EQ(manifest->describe(manifest->outputs[0]), "float32 [batch, 2, 4]");
}

TEST(Manifest, TakesAsManyRanksAsTheCompilerMakes) {
  constexpr int replicas = TAKT_MAX_RANKS / 4;
  Result<Manifest> manifest = parseManifest(makeManifest(replicas).dump());
  ASSERT_TRUE(manifest.ok()) << manifest.status().getText();
  EXPECT_EQ(manifest->replicas, replicas);
  EXPECT_FALSE(parseManifest(makeManifest(replicas + 1).dump()).ok());
}

TEST(Manifest, RefusesBrokenPrograms) {
  json good = makeManifest();
  auto refused = [&](const char *pointer, json value) {
    json bad = good;
    bad[json::json_pointer(pointer)] = value;
    Result<Manifest> manifest = parseManifest(bad.dump());
    EXPECT_FALSE(manifest.ok()) << pointer << " = " << value;
    EXPECT_EQ(manifest.status().getCode(), Code::Bundle);
  };
  refused("/abiVersion", TAKT_ABI_VERSION + 1);
  refused("/unknownField", 1);
  refused("/values/0", "sequence");
  refused("/values/1", "batch * (");
  refused("/inputs/0/shape/0", 99);
  refused("/inputs/0/shape/0", 1); // nothing binds 'batch' any more
  refused("/inputs/0/dtype", "f8");
  refused("/stages/0/library", "../evil.so");
  refused("/stages/0/library", "/lib/evil.so");
  refused("/stages/0/library", "stages/other.so");
  refused("/stages/0/tensorParallel", 3);
  refused("/stages/0/buffers/0/name", "y");
  refused("/stages/0/buffers/1/shape/0", 0); // a weight of variable size
  refused("/stages/0/buffers/2/first", 5);   // after its last step
  refused("/stages/0/operations/0/collective/output", 2); // overwrites
  refused("/stages/0/operations/0/collective/output", 1); // a weight
  refused("/stages/0/operations/0/collective/reduction", "product");
  refused("/stages/0/operations/0/pool", json::object());
  refused("/stages/1/outputs/0/name", "other");
  refused("/stages/1/outputs", json::array());
  refused("/ranks/1/shard", 0);
  refused("/ranks/1/id", 5);
  refused("/ranks/0/stage", 2);
  refused("/ranks/0/weights", "");
  refused("/ranks/0/instructions", json::array());
  refused("/ranks/0/instructions/1/channel", 1);
  refused("/ranks/2/instructions/0/kind", "FREE");
  refused("/ranks/2/instructions/2/kind", "SEND");
  refused("/channels/0/depth", 0);
  refused("/channels/0/targetRank", 3);
  refused("/channels/0/targetRank", 1);
  refused("/channels/0/targetBuffer", 3);
  refused("/channels/0/sourceBuffer", -1);
}

/// Replaces each leaf by each of a list of awkward values.
void mutateAll(const json &good, json &node, const std::string &text,
               int &count) {
  static const json awkward[] = {-1,
                                 0,
                                 1,
                                 1000000,
                                 2147483648LL,
                                 -9223372036854775807LL,
                                 1e300,
                                 nullptr,
                                 true,
                                 "",
                                 "x",
                                 "-1",
                                 "9223372036854775807",
                                 json::array(),
                                 json::object(),
                                 json::array({nullptr}),
                                 std::string(1000, '(')};
  if (node.is_structured() && !node.empty()) {
    for (auto &child : node)
      mutateAll(good, child, text, count);
  }
  json saved = node;
  for (const json &value : awkward) {
    node = value;
    Result<Manifest> manifest = parseManifest(good.dump());
    count += manifest.ok();
  }
  node = saved;
}

TEST(Manifest, SurvivesHostileFields) {
  json manifest = makeManifest();
  int accepted = 0;
  mutateAll(manifest, manifest, "", accepted);
  // Harmless changes exist (typical sizes, names), but most are refused.
  EXPECT_GT(accepted, 0);
  EXPECT_TRUE(parseManifest(manifest.dump()).ok());
}

TEST(Manifest, RefusesWhatIsNoJson) {
  std::string text = makeManifest().dump();
  for (size_t length : {size_t(0), size_t(1), text.size() / 2, text.size() - 1})
    EXPECT_FALSE(parseManifest(text.substr(0, length)).ok());
  EXPECT_FALSE(parseManifest(std::string(100000, '[')).ok());
  EXPECT_FALSE(parseManifest("[]").ok());
}

} // namespace
} // namespace takt::runtime::test
