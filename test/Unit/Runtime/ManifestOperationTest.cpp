// Convolutions and pools of a manifest: tampered fields are refused.
#include "BundleBuilder.h"
#include "runtime/core/Manifest.h"

#include <gtest/gtest.h>

namespace takt::runtime::test {
namespace {

using nlohmann::json;

/// A manifest whose first stage also pools and convolves: operations 1 and 2,
/// from buffer 4 to 5 to 6 with weight 7. Values: "batch", 4, 1, 2.
json makeManifest() {
  TemporaryDirectory directory;
  BundleBuilder builder;
  builder.write(directory.path()); // gives the files their digests
  json manifest = builder.manifest;
  json &stage = manifest["stages"][0];
  auto arena = [](std::vector<int> shape) {
    return json{
        {"kind", "ARENA"}, {"dtype", "f32"}, {"shape", shape}, {"last", 1}};
  };
  std::vector<int> plane = {0, 1, 1, 3}, pooled = {0, 3, 3, 3};
  stage["buffers"].push_back(arena(plane));
  stage["buffers"].push_back(arena(pooled));
  stage["buffers"].push_back(arena(pooled));
  stage["buffers"].push_back({{"kind", "WEIGHT"},
                              {"name", "kernel"},
                              {"dtype", "f32"},
                              {"shape", {3, 3, 2, 2}}});
  json window = {{"inputShape", plane},
                 {"outputShape", pooled},
                 {"kernel", {"2", "2"}},
                 {"strides", {"2", "2"}},
                 {"padsBegin", {"0", "0"}},
                 {"padsEnd", {"0", "0"}},
                 {"input", 4},
                 {"output", 5}};
  json convolution = window;
  convolution.update({{"inputShape", pooled},
                      {"strides", {"1", "1"}},
                      {"dilations", {"1", "1"}},
                      {"padsEnd", {"1", "1"}},
                      {"weight", 7},
                      {"groups", "1"},
                      {"input", 5},
                      {"output", 6}});
  convolution["epilogues"] = {{{"kind", "RELU"}},
                              {{"kind", "ADD"}, {"buffer", 5}}};
  stage["operations"].push_back({{"name", "pool"}, {"pool", window}});
  stage["operations"].push_back(
      {{"name", "conv"}, {"convolution", convolution}});
  return manifest;
}

class ManifestOperation : public ::testing::Test {
protected:
  void refused(const std::string &pointer, const json &value) {
    json bad = good;
    bad[json::json_pointer("/stages/0/operations/" + pointer)] = value;
    Result<Manifest> manifest = parseManifest(bad.dump());
    EXPECT_FALSE(manifest.ok()) << pointer << " = " << value;
    EXPECT_EQ(manifest.status().getCode(), Code::Bundle);
  }
  /// What holds for the window of both; `at` ends in `/`.
  void refusesTamperedWindow(const std::string &at) {
    for (const char *name : {"input", "output"})
      for (int buffer : {-1, 99})
        refused(at + name, buffer);
    refused(at + "output", good.at(json::json_pointer("/stages/0/operations/" +
                                                      at + "input")));
    refused(at + "output", 1); // a weight
    refused(at + "output", 0); // an input
    for (const char *name : {"inputShape", "outputShape"}) {
      refused(at + name, {0, 3, 3});          // another rank
      refused(at + name, {0, 3});             // no spatial dimension
      refused(at + name, {0, 3, 3, 3, 3, 3}); // four
      refused(at + name, {0, 3, 99, 3});
      refused(at + name, {0, 3, -1, 3});
    }
    for (const char *name : {"kernel", "strides", "padsBegin", "padsEnd"}) {
      refused(at + name, {"1"});
      refused(at + name, {"1", "1", "1"});
      refused(at + name, {"1", "-1"});
      refused(at + name, {"1", "1048576"});
      refused(at + name, {"1", "9223372036854775807"});
      refused(at + name, "1");
    }
    refused(at + "kernel", {"0", "1"});
    refused(at + "strides", {"0", "1"});
  }

  json good = makeManifest();
};

TEST_F(ManifestOperation, IsRead) {
  Result<Manifest> manifest = parseManifest(good.dump());
  ASSERT_TRUE(manifest.ok()) << manifest.status().getText();
  const std::vector<OperationSpec> &all = manifest->stages[0].operations;
  EXPECT_EQ(all[1].kind, OperationKind::Pool);
  EXPECT_EQ(all[1].pool.dilations, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(all[2].kind, OperationKind::Convolution);
  EXPECT_EQ(all[2].getReads(), (std::vector<int32_t>{5, 7, 5}));
  EXPECT_EQ(all[2].getOutput(), 6);
}

TEST_F(ManifestOperation, RefusesTamperedPools) {
  refusesTamperedWindow("1/pool/");
  refused("1/pool/kind", "MEDIAN");
  refused("1/pool/dilations", {"1", "1"}); // pools have none
  refused("1/pool/weight", 7);
}

TEST_F(ManifestOperation, RefusesTamperedConvolutions) {
  refusesTamperedWindow("2/convolution/");
  refused("2/convolution/weight", 99);
  refused("2/convolution/weight", 6); // the output
  refused("2/convolution/dilations", {"0", "1"});
  refused("2/convolution/dilations", json::array());
  for (const char *groups : {"0", "-1", "1048576"})
    refused("2/convolution/groups", groups);
  refused("2/convolution/kind", "MAX");
  refused("2/convolution/epilogues/0/kind", "SINE");
  refused("2/convolution/epilogues/1/buffer", 99);
  refused("2/convolution/epilogues/1/buffer", -1);
  refused("2/convolution/epilogues/0/high", 1e300);
  refused("2/convolution/epilogues", json::array_t(17, json{{"kind", "RELU"}}));
}

TEST_F(ManifestOperation, RefusesOtherElementTypes) {
  for (int buffer : {4, 5, 6, 7}) {
    json bad = good;
    bad["stages"][0]["buffers"][buffer]["dtype"] = "f16";
    EXPECT_FALSE(parseManifest(bad.dump()).ok()) << buffer;
  }
}

} // namespace
} // namespace takt::runtime::test
