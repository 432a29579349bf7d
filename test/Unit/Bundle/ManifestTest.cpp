//===- ManifestTest.cpp - what the manifest says --------------------------===//
#include "ExampleBundle.h"

#include "runtime/abi/Abi.h"
#include "runtime/core/Manifest.h"

#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>

using namespace takt;

TEST(BundleManifest, NumbersSizesAndPorts) {
  ExampleBundle example;
  auto manifest = buildManifest(example.input);
  ASSERT_TRUE(bool(manifest)) << describeError(manifest.takeError()).second;
  EXPECT_EQ(manifest->abi_version(), unsigned(TAKT_ABI_VERSION));
  EXPECT_EQ(manifest->model(), "example.onnx");
  EXPECT_EQ(manifest->target_features(), "+avx2");
  ASSERT_EQ(manifest->dims_size(), 1);
  EXPECT_EQ(manifest->dims(0).ShortDebugString(),
            "name: \"n\" typical: 1 minimum: 1 multiple: 1");
  ASSERT_EQ(manifest->values_size(), 2);
  EXPECT_EQ(manifest->values(0), "n");
  EXPECT_EQ(manifest->values(1), "2");
  EXPECT_EQ(manifest->inputs(0).ShortDebugString(),
            "name: \"x\" dtype: \"f32\" shape: 0 shape: 1");
  EXPECT_EQ(manifest->guards(0).ShortDebugString(), "text: \"the rows agree\"");
  EXPECT_EQ(manifest->plan().data_parallel(), 1);
}

TEST(BundleManifest, DescribesRanksAndChannels) {
  ExampleBundle example;
  auto manifest = buildManifest(example.input);
  ASSERT_TRUE(bool(manifest)) << describeError(manifest.takeError()).second;
  ASSERT_EQ(manifest->ranks_size(), 5);
  EXPECT_EQ(manifest->ranks(3).ShortDebugString(),
            "id: 3 stage: 1 shard: 1 weights: "
            "\"weights/stage1.shard1.safetensors\" instructions { channel: 1 } "
            "instructions { channel: 3 } instructions { kind: FORWARD } "
            "instructions { kind: FREE channel: 1 } "
            "instructions { kind: FREE channel: 3 }");
  EXPECT_EQ(manifest->ranks(4).ShortDebugString(), "id: 4 stage: -1");
  ASSERT_EQ(manifest->channels_size(), 4);
  EXPECT_EQ(manifest->channels(1).ShortDebugString(),
            "source_rank: 1 target_rank: 3 depth: 2 source_buffer: 2 "
            "dtype: \"f32\" shape: 0 shape: 1");
  EXPECT_EQ(manifest->channels(2).ShortDebugString(),
            "target_rank: 2 depth: 2 target_buffer: 1 dtype: \"f32\" shape: 0 "
            "shape: 1");
  EXPECT_EQ(manifest->stages(1).library(), "stages/stage1.so");
}

TEST(BundleManifest, RefusesPartsThatDoNotAgree) {
  auto errorAfter = [](auto change) {
    ExampleBundle example;
    change(example.input);
    auto manifest = buildManifest(example.input);
    EXPECT_FALSE(bool(manifest));
    auto [code, text] = describeError(manifest.takeError());
    EXPECT_EQ(int(code), int(ExitCode::BadInput));
    return text;
  };
  EXPECT_EQ(errorAfter([](BundleInput &input) { input.stages.pop_back(); }),
            "the program has 2 stages, but 1 were compiled");
  EXPECT_EQ(errorAfter([](BundleInput &input) {
              input.stages[0].sentBuffers.erase(8);
            }),
            "channel 2 carries value 8, which stage 0 does not send or stage 1 "
            "does not receive");
  EXPECT_EQ(errorAfter([](BundleInput &input) {
              input.stages[1].program.mutable_buffers(0)->set_shape(0, 9);
            }),
            "stage 1 names size 9 of a table of 2");
}

// The two sides of the format: what the compiler writes, the runtime accepts.
TEST(BundleManifest, IsReadByTheRuntime) {
  ExampleBundle example;
  std::string output = example.folder / "b";
  if (llvm::Error error = writeBundle(example.input, output))
    FAIL() << describeError(std::move(error)).second;
  std::string text = TemporaryFolder::read(output + "/manifest.json");
  auto manifest = runtime::parseManifest(text);
  ASSERT_TRUE(manifest.ok()) << manifest.status().getText() << "\n" << text;
  EXPECT_EQ(manifest->ranks.size(), 5u);
  EXPECT_EQ(manifest->channels.size(), 4u);
}
