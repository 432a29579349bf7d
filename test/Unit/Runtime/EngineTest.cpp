// Ranks as threads: values, pipelining, replicas, allocations, failures.
#include "runtime/core/Engine.h"
#include "BundleBuilder.h"
#include "runtime/core/ShapePlan.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <new>

namespace {
std::atomic<bool> countsAllocations{false};
std::atomic<int> allocations{0};
} // namespace

// ThreadSanitizer brings its own operators.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TAKT_KEEP_OPERATOR_NEW
#endif
#endif

#ifndef TAKT_KEEP_OPERATOR_NEW
// Count what any thread of the process allocates.
void *operator new(size_t bytes) {
  if (countsAllocations.load())
    allocations.fetch_add(1);
  if (void *memory = std::malloc(bytes ? bytes : 1))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
#endif

namespace takt::runtime::test {
namespace {

class EngineTest : public ::testing::Test {
protected:
  void start(BundleBuilder &builder, double deadline = 30) {
    builder.write(directory.path());
    Result<std::unique_ptr<Bundle>> opened = Bundle::open(directory.path());
    ASSERT_TRUE(opened.ok()) << opened.status().getText();
    bundle = std::move(*opened);
    EngineOptions options;
    options.quiet = true;
    options.deadline = deadline;
    options.queueLength = 4;
    Result<std::unique_ptr<Engine>> made = Engine::create(*bundle, options);
    ASSERT_TRUE(made.ok()) << made.status().getText();
    engine = std::move(*made);
  }

  Status prepare(Request &request, const std::vector<float> &x) {
    TAKT_RETURN_IF_ERROR(
        request.setInput(0, x.data(), Dtype::F32, {int64_t(x.size() / 4), 4}));
    return request.prepare();
  }

  std::vector<float> outputOf(const Request &request) {
    std::vector<float> output(size_t(request.getOutputBytes(0)) / 4);
    std::memcpy(output.data(), request.getOutput(0), output.size() * 4);
    return output;
  }

  static std::vector<float> makeInput(int rows, int seed) {
    std::vector<float> x;
    for (int i = 0; i < rows * 4; ++i)
      x.push_back(float((i * 7 + seed) % 13));
    return x;
  }

  Status runOnce(const std::vector<float> &x) {
    requests.push_back(std::make_unique<Request>(bundle->getManifest()));
    Request &request = *requests.back();
    inputs.push_back(x);
    TAKT_RETURN_IF_ERROR(prepare(request, inputs.back()));
    TAKT_RETURN_IF_ERROR(engine->submit(request));
    return engine->wait(request);
  }

  TemporaryDirectory directory;
  std::unique_ptr<Bundle> bundle;
  // After a failure, ranks may use them until the engine is gone.
  std::deque<std::vector<float>> inputs;
  std::deque<std::unique_ptr<Request>> requests;
  std::unique_ptr<Engine> engine;
};

TEST_F(EngineTest, ComputesOverStagesAndShards) {
  BundleBuilder builder;
  start(builder);
  Request request(bundle->getManifest());
  for (int rows : {1, 3, 1000, 2, 3}) {
    std::vector<float> x = makeInput(rows, rows);
    ASSERT_TRUE(prepare(request, x).ok());
    ASSERT_TRUE(engine->submit(request).ok());
    ASSERT_TRUE(engine->wait(request).ok());
    EXPECT_EQ(request.getOutputShape(0), (std::vector<int64_t>{rows, 2, 4}));
    EXPECT_EQ(outputOf(request), expectedOutput(x)) << rows;
  }
}

TEST_F(EngineTest, KeepsManyRequestsOfManyShapesApart) {
  BundleBuilder builder(/*replicas=*/2);
  start(builder);
  std::vector<std::unique_ptr<Request>> requests;
  std::vector<std::vector<float>> inputs;
  for (int i = 0; i < 8; ++i) {
    requests.push_back(std::make_unique<Request>(bundle->getManifest()));
    inputs.emplace_back();
  }
  for (int i = 0; i < 408; ++i) {
    Request &request = *requests[i % 8];
    if (i >= 8) {
      ASSERT_TRUE(engine->wait(request).ok());
      EXPECT_EQ(outputOf(request), expectedOutput(inputs[i % 8])) << i;
    }
    if (i < 400) {
      // More shapes than a rank keeps plans for.
      inputs[i % 8] = makeInput(1 + i % 45, i);
      ASSERT_TRUE(prepare(request, inputs[i % 8]).ok());
      ASSERT_TRUE(engine->submit(request).ok());
      EXPECT_EQ(request.replica, i % 2);
    }
  }
}

TEST_F(EngineTest, HandsOverABufferThatGoesOutTwice) {
  BundleBuilder builder;
  nlohmann::json port = builder.manifest["outputs"][0];
  port["name"] = "again";
  builder.manifest["outputs"].push_back(port);
  builder.manifest["stages"][1]["outputs"].push_back(
      {{"name", "again"}, {"buffer", 3}});
  start(builder);
  Request request(bundle->getManifest());
  std::vector<float> x = makeInput(3, 1);
  ASSERT_TRUE(prepare(request, x).ok());
  ASSERT_TRUE(engine->submit(request).ok());
  ASSERT_TRUE(engine->wait(request).ok());
  EXPECT_EQ(outputOf(request), expectedOutput(x));
  ASSERT_EQ(request.getOutputBytes(1), request.getOutputBytes(0));
  EXPECT_EQ(std::memcmp(request.getOutput(0), request.getOutput(1),
                        size_t(request.getOutputBytes(0))),
            0);
}

TEST_F(EngineTest, OutputsLieInTheRequestOfTheFirstShard) {
  BundleBuilder builder;
  start(builder);
  const Manifest &manifest = bundle->getManifest();
  Request request(manifest);
  std::vector<float> x = makeInput(3, 1);
  ASSERT_TRUE(prepare(request, x).ok());
  for (int shard : {0, 1}) {
    Result<ShapePlan> plan =
        makeShapePlan(manifest, manifest.ranks[size_t(2 + shard)],
                      request.getDims(), request.getValues());
    ASSERT_TRUE(plan.ok()) << plan.status().getText();
    EXPECT_EQ(plan->outputs[3], shard == 0 ? 0 : -1);
    EXPECT_EQ(plan->arenaOffsets[3] < 0, shard == 0);
    EXPECT_EQ(plan->arenaBytes, shard == 0 ? 64 : 64 + 128);
  }
}

TEST_F(EngineTest, AllocatesNothingForAKnownShape) {
#ifdef TAKT_KEEP_OPERATOR_NEW
  GTEST_SKIP() << "allocations are not counted in this build";
#endif
  BundleBuilder builder;
  start(builder);
  Request request(bundle->getManifest());
  std::vector<int64_t> shape = {3, 4};
  std::vector<float> x = makeInput(3, 0);
  auto run = [&] {
    Status status = request.setInput(0, x.data(), Dtype::F32, shape);
    if (status.ok())
      status = request.prepare();
    if (status.ok())
      status = engine->submit(request);
    return status.ok() ? engine->wait(request) : status;
  };
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(run().ok());
  allocations.store(0);
  countsAllocations.store(true);
  bool fine = true;
  for (int i = 0; i < 1000; ++i)
    fine &= run().ok();
  countsAllocations.store(false);
  EXPECT_TRUE(fine);
  EXPECT_EQ(allocations.load(), 0);
}

TEST_F(EngineTest, SaysWhichRankFailed) {
  BundleBuilder builder;
  builder.manifest["stages"][1]["entry"] = "shift_fail";
  start(builder);
  auto begin = std::chrono::steady_clock::now();
  Status status = runOnce(makeInput(1, 0));
  EXPECT_EQ(status.getCode(), Code::Rank);
  EXPECT_NE(status.getText().find("rank 3 (stage 1, shard 1, micro-batch 0)"),
            std::string::npos)
      << status.getText();
  // The other shard waits in its collective; it is woken, not timed out.
  engine.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST_F(EngineTest, NamesTheLaggardAfterTheDeadline) {
  BundleBuilder builder;
  builder.manifest["stages"][1]["entry"] = "shift_sleep";
  start(builder, /*deadline=*/0.3);
  Status status = runOnce(makeInput(1, 0));
  EXPECT_EQ(status.getCode(), Code::Rank);
  EXPECT_NE(status.getText().find("rank 3 (stage 1 'second', shard 1) made no "
                                  "progress for 0.3 s at instruction 1 "
                                  "(FORWARD) of micro-batch 0"),
            std::string::npos)
      << status.getText();
}

TEST_F(EngineTest, WaitsLongerThanTheDeadlineBetweenRequests) {
  BundleBuilder builder;
  start(builder, /*deadline=*/0.3);
  EXPECT_TRUE(runOnce(makeInput(1, 0)).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  Status status = runOnce(makeInput(1, 0));
  EXPECT_TRUE(status.ok()) << status.getText();
}

TEST_F(EngineTest, RefusesStrayOperations) {
  BundleBuilder builder;
  builder.manifest["stages"][1]["entry"] = "shift_stray";
  start(builder);
  Status status = runOnce(makeInput(1, 0));
  EXPECT_NE(status.getText().find("calls operation 99 of 1"), std::string::npos)
      << status.getText();
}

TEST_F(EngineTest, RefusesWrongShapesAndDtypes) {
  BundleBuilder builder;
  start(builder);
  Request request(bundle->getManifest());
  std::vector<float> x = makeInput(4, 0);
  EXPECT_EQ(request.prepare().getText(),
            "input 'x' is missing (float32 [batch, 4])");
  EXPECT_EQ(request.setInput(0, x.data(), Dtype::I64, {1, 4}).getText(),
            "input 'x' is int64 [1, 4]; float32 [batch, 4] expected");
  EXPECT_FALSE(request.setInput(0, x.data(), Dtype::F32, {4}).ok());
  ASSERT_TRUE(request.setInput(0, x.data(), Dtype::F32, {3, 5}).ok());
  EXPECT_EQ(request.prepare().getText(),
            "input 'x' has shape [3, 5]: axis 1 ('4') must be 4");
  ASSERT_TRUE(request.setInput(0, x.data(), Dtype::F32, {0, 4}).ok());
  EXPECT_EQ(request.prepare().getText(),
            "dimension 'batch' is 0, at least 1 expected");
  alignas(64) float aligned[4] = {};
  ASSERT_TRUE(
      request.setInput(0, aligned, Dtype::F32, {int64_t(1) << 62, 4}).ok());
  EXPECT_EQ(request.prepare().getText(),
            "output 'out/0': a tensor's size exceeds 2^62 bytes");
}

TEST_F(EngineTest, RunsEmptyTensors) {
  BundleBuilder builder;
  builder.manifest["dims"][0]["minimum"] = "0";
  start(builder);
  Status status = runOnce({});
  EXPECT_TRUE(status.ok()) << status.getText();
}

} // namespace
} // namespace takt::runtime::test
