// Bundles on disk: each kind of damage is named.
#include "runtime/core/Bundle.h"
#include "BundleBuilder.h"
#include "runtime/core/CpuFeatures.h"
#include "runtime/core/Engine.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace takt::runtime::test {
namespace {

class BundleTest : public ::testing::Test {
protected:
  std::string openError() {
    Result<std::unique_ptr<Bundle>> bundle = Bundle::open(directory.path());
    EXPECT_FALSE(bundle.ok());
    code = bundle.status().getCode();
    return bundle.status().getText();
  }
  std::string fileOf(const char *name) { return directory.path() + "/" + name; }
  static bool contains(const std::string &text, const char *part) {
    return text.find(part) != std::string::npos;
  }

  TemporaryDirectory directory;
  BundleBuilder builder;
  Code code = Code::Ok;
};

TEST_F(BundleTest, ChecksTheManifestsDigest) {
  builder.write(directory.path());
  writeFile(fileOf("manifest.json"), readFile(fileOf("manifest.json")) + " ");
  EXPECT_TRUE(contains(openError(), "manifest.json has digest"));
  EXPECT_EQ(code, Code::Bundle);
}

TEST_F(BundleTest, ChecksSizesDigestsAndPresence) {
  builder.write(directory.path());
  std::string path = fileOf("weights/0-1.safetensors");
  std::string good = readFile(path);
  writeFile(path, good.substr(0, good.size() - 1));
  EXPECT_TRUE(contains(openError(), "'weights/0-1.safetensors' has"));
  std::string bad = good;
  bad.back() ^= 1;
  writeFile(path, bad);
  EXPECT_TRUE(contains(openError(), "'weights/0-1.safetensors' has digest"));
  unlink(path.c_str());
  EXPECT_TRUE(contains(openError(), "cannot open"));
  EXPECT_EQ(code, Code::Bundle);
}

TEST_F(BundleTest, RefusesLibrariesOfAnotherVersion) {
  builder.stageLibrary = TAKT_TEST_STAGES_OTHER_ABI;
  builder.write(directory.path());
  EXPECT_TRUE(contains(openError(), "has ABI version 3, 2 expected"));
}

TEST_F(BundleTest, RefusesLibrariesWithoutTheEntry) {
  builder.manifest["stages"][0]["entry"] = "absent";
  builder.write(directory.path());
  EXPECT_TRUE(contains(openError(), "lacks absent"));
}

TEST_F(BundleTest, ChecksWeightsAgainstBuffers) {
  builder.manifest["stages"][0]["buffers"][1]["name"] = "v";
  builder.write(directory.path());
  Result<std::unique_ptr<Bundle>> bundle = Bundle::open(directory.path());
  ASSERT_TRUE(bundle.ok());
  EngineOptions options;
  options.quiet = true;
  Result<std::unique_ptr<Engine>> engine = Engine::create(**bundle, options);
  ASSERT_FALSE(engine.ok());
  EXPECT_TRUE(contains(engine.status().getText(), "weight 'v' is missing"))
      << engine.status().getText();
  EXPECT_EQ(engine.status().getCode(), Code::Bundle);
}

TEST(CpuFeatures, NamesWhatIsMissing) {
  EXPECT_TRUE(checkCpuFeatures("", "x").ok());
  EXPECT_TRUE(checkCpuFeatures("-avx512f,+some-new-thing,,+", "x").ok());
  EXPECT_TRUE(checkCpuFeatures("+sse3,+popcnt", "x").ok());
  // No processor has both: one is AMD's of 2011, one Intel's of 2023.
  Status status = checkCpuFeatures("+sse3,+fma4,+amx-tile", "x");
  EXPECT_EQ(status.getCode(), Code::Environment);
  EXPECT_NE(status.getText().find("this processor lacks"), std::string::npos);
  EXPECT_EQ(status.getText().find("sse3"), std::string::npos);
}

} // namespace
} // namespace takt::runtime::test
