// The description of a stage, its library calls and its forward function.
#include "StageRunner.h"

#include "gtest/gtest.h"

#include <limits>

using namespace takt;
using namespace takt::test;

static const char mlp[] = R"mlir(
module @stage1 attributes {takt.stage = 1 : i64, takt.tensor_parallel = 2 : i64} {
  takt.weight @w : tensor<3x2xf32> #takt.source<"w.bin", 0, 24>
  takt.weight @bias : tensor<2xf32> #takt.source<"w.bin", 24, 8>
  func.func @forward(%x: tensor<?x?x3xf32> {takt.channel = 3 : i64, takt.shape = #takt.shape<["b", "s", "3"]>})
      -> (tensor<?x?x2xf32> {takt.channel = 5 : i64}, tensor<?x2xf32> {takt.name = "output"}) {
    %w = takt.weight_read @w : tensor<3x2xf32>
    %c = takt.weight_read @bias : tensor<2xf32>
    %0 = takt.dispatch "library"(%x, %w, %c) sizes [#takt.shape<["b", "s", "3"]>, #takt.shape<["3", "2"]>, #takt.shape<["2"]>] -> [#takt.shape<["b", "s", "2"]>]
        : (tensor<?x?x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<?x?x2xf32> {
    ^bb0(%a: tensor<?x?x3xf32>, %m: tensor<3x2xf32>, %v: tensor<2xf32>):
      %1 = takt.matmul %a, %m : tensor<?x?x3xf32>, tensor<3x2xf32> -> tensor<?x?x2xf32>
      %2 = takt.broadcast %v dims [2] to <["b", "s", "2"]> : tensor<2xf32> -> tensor<?x?x2xf32>
      %3 = arith.addf %1, %2 : tensor<?x?x2xf32>
      %z = arith.constant dense<0.0> : tensor<f32>
      %y = takt.broadcast %z dims [] to <["b", "s", "2"]> : tensor<f32> -> tensor<?x?x2xf32>
      %4 = arith.maximumf %3, %y : tensor<?x?x2xf32>
      takt.yield %4 : tensor<?x?x2xf32>
    }
    %5 = takt.dispatch "collective"(%0) sizes [#takt.shape<["b", "s", "2"]>] -> [#takt.shape<["b", "s", "2"]>] : (tensor<?x?x2xf32>) -> tensor<?x?x2xf32> {
    ^bb0(%a: tensor<?x?x2xf32>):
      %1 = takt.all_reduce %a ways 2 : tensor<?x?x2xf32> -> tensor<?x?x2xf32>
      takt.yield %1 : tensor<?x?x2xf32>
    }
    %6 = takt.dispatch "view"(%5) sizes [#takt.shape<["b", "s", "2"]>] -> [#takt.shape<["b*s", "2"]>] : (tensor<?x?x2xf32>) -> tensor<?x2xf32> {
    ^bb0(%a: tensor<?x?x2xf32>):
      %1 = takt.reshape %a to <["b*s", "2"]> : tensor<?x?x2xf32> -> tensor<?x2xf32>
      takt.yield %1 : tensor<?x2xf32>
    }
    %7 = takt.dispatch "kernel"(%6) sizes [#takt.shape<["b*s", "2"]>] -> [#takt.shape<["b*s", "2"]>] : (tensor<?x2xf32>) -> tensor<?x2xf32> {
    ^bb0(%a: tensor<?x2xf32>):
      %1 = arith.addf %a, %a : tensor<?x2xf32>
      takt.yield %1 : tensor<?x2xf32>
    }
    %8 = takt.dispatch "kernel"(%7) sizes [#takt.shape<["b*s", "2"]>] -> [#takt.shape<["b*s", "2"]>] : (tensor<?x2xf32>) -> tensor<?x2xf32> {
    ^bb0(%a: tensor<?x2xf32>):
      %1 = arith.addf %a, %a : tensor<?x2xf32>
      takt.yield %1 : tensor<?x2xf32>
    }
    return %5, %8 : tensor<?x?x2xf32>, tensor<?x2xf32>
  }
}
)mlir";

static void fill(StageRunner &stage) {
  stage.set<float>(0, {1, 2, 3, -1, -1, -1});
  stage.set<float>("w", {1, 0, 0, 1, 1, 1});
  stage.set<float>("bias", {10, -1});
}

TEST(StageProgram, CallsLibraryAndCollective) {
  StageRunner stage(mlp, {{"b", 1}, {"s", 2}});
  ASSERT_EQ(stage.error(), "");
  fill(stage);
  ASSERT_EQ(stage.run(), 0);
  EXPECT_EQ(stage.calls,
            (std::vector<std::string>{"library 0", "start 1", "wait 1"}));
  EXPECT_EQ(stage.get<float>("output"), (std::vector<float>{56, 16, 32, 0}));
}

TEST(StageProgram, ReferenceTargetCallsNoLibrary) {
  StageRunner stage(mlp, {{"b", 1}, {"s", 2}}, /*reference=*/true);
  ASSERT_EQ(stage.error(), "");
  fill(stage);
  ASSERT_EQ(stage.run(), 0);
  EXPECT_EQ(stage.calls, (std::vector<std::string>{"start 0", "wait 0"}));
  EXPECT_EQ(stage.get<float>("output"), (std::vector<float>{56, 16, 32, 0}));
}

TEST(StageProgram, KernelsComputeWhatTheLibraryDoesNot) {
  StageRunner stage(oneDispatch("library",
                                {{"x", "tensor<2x3xf64>", R"("2", "3")"},
                                 {"w", "tensor<3x1xf64>", R"("3", "1")"}},
                                {{"y", "tensor<2x1xf64>", R"("2", "1")"}},
                                "%y = takt.matmul %x, %w : tensor<2x3xf64>, "
                                "tensor<3x1xf64> -> tensor<2x1xf64>"),
                    {});
  ASSERT_EQ(stage.error(), "");
  stage.set<double>("x", {1, 2, 3, -1, 0, 1});
  stage.set<double>("w", {1, 10, 100});
  ASSERT_EQ(stage.run(), 0);
  EXPECT_EQ(stage.calls, std::vector<std::string>{});
  EXPECT_EQ(stage.get<double>("y"), (std::vector<double>{321, 99}));
}

TEST(StageProgram, ReturnsAtOnceWhenACallFails) {
  StageRunner stage(mlp, {{"b", 1}, {"s", 2}});
  ASSERT_EQ(stage.error(), "");
  fill(stage);
  stage.injectedStatus = 7;
  EXPECT_EQ(stage.run(), 7);
  EXPECT_EQ(stage.calls.size(), 1u);
}

TEST(StageProgram, DescribesBuffersAndOperations) {
  StageRunner stage(mlp, {{"b", 1}, {"s", 2}});
  ASSERT_EQ(stage.error(), "");
  const proto::StageProgram &program = stage.stage().program;
  auto text = [&](int32_t index) { return stage.valueTexts()[index]; };
  EXPECT_EQ(program.name(), "stage1");
  EXPECT_EQ(program.entry(), "takt_stage1_forward");
  EXPECT_EQ(program.tensor_parallel(), 2);
  // x, w, bias, matmul, all-reduce (also the view), two kernels.
  ASSERT_EQ(program.buffers_size(), 7);
  EXPECT_EQ(program.buffers(0).kind(), proto::Buffer::CHANNEL);
  EXPECT_EQ(program.buffers(1).kind(), proto::Buffer::WEIGHT);
  EXPECT_EQ(program.buffers(1).name(), "w");
  EXPECT_EQ(program.buffers(3).first(), 0);
  EXPECT_EQ(program.buffers(3).last(), 1);
  EXPECT_EQ(program.buffers(4).first(), 1);
  EXPECT_EQ(program.buffers(4).last(), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(program.buffers(5).last(), 4);
  EXPECT_EQ(stage.stage().receivedBuffers.lookup(3), 0);
  EXPECT_EQ(stage.stage().sentBuffers.lookup(5), 4);

  ASSERT_EQ(program.operations_size(), 2);
  const proto::Contraction &c = program.operations(0).contraction();
  EXPECT_EQ(text(c.batch()), "1");
  EXPECT_EQ(text(c.m()), "b*s");
  EXPECT_EQ(text(c.n()), "2");
  EXPECT_EQ(text(c.k()), "3");
  EXPECT_TRUE(c.rhs_shared());
  ASSERT_EQ(c.epilogues_size(), 2);
  EXPECT_EQ(c.epilogues(0).kind(), proto::Epilogue::BIAS);
  EXPECT_EQ(c.epilogues(0).buffer(), 2);
  EXPECT_EQ(c.epilogues(1).kind(), proto::Epilogue::RELU);
  EXPECT_EQ(text(program.operations(1).collective().inner()), "2*b*s");
  ASSERT_EQ(program.outputs_size(), 1);
  EXPECT_EQ(program.outputs(0).buffer(), 6);
}

TEST(StageProgram, SameInputSameObject) {
  StageRunner first(mlp, {{"b", 1}, {"s", 2}}),
      second(mlp, {{"b", 1}, {"s", 2}});
  EXPECT_EQ(first.stage().object, second.stage().object);
}

TEST(StageProgram, BatchedMatmulWithTransposedOperand) {
  const char *body =
      "%y = takt.matmul %q, %k transpose_rhs : tensor<?x2x3xf32>, "
      "tensor<?x4x3xf32> -> tensor<?x2x4xf32>";
  for (bool reference : {false, true}) {
    StageRunner stage(
        oneDispatch("library",
                    {{"q", "tensor<?x2x3xf32>", "\"n\", \"2\", \"3\""},
                     {"k", "tensor<?x4x3xf32>", "\"n\", \"4\", \"3\""}},
                    {{"y", "tensor<?x2x4xf32>", "\"n\", \"2\", \"4\""}}, body),
        {{"n", 2}}, reference);
    ASSERT_EQ(stage.error(), "");
    std::vector<float> q(12), k(24), expected;
    for (int i = 0; i < 12; ++i)
      q[i] = float(i - 5);
    for (int i = 0; i < 24; ++i)
      k[i] = float(i % 7);
    for (int b = 0; b < 2; ++b)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j) {
          float sum = 0;
          for (int l = 0; l < 3; ++l)
            sum += q[(b * 2 + i) * 3 + l] * k[(b * 4 + j) * 3 + l];
          expected.push_back(sum);
        }
    stage.set<float>("q", q);
    stage.set<float>("k", k);
    ASSERT_EQ(stage.run(), 0);
    EXPECT_EQ(stage.get<float>("y"), expected) << reference;
  }
}

TEST(StageProgram, PoolAsLoops) {
  auto pooled = [](const std::string &kind, std::vector<float> x) {
    StageRunner stage(
        oneDispatch(
            "library",
            {{"x", "tensor<?x3x3x1xf32>", "\"n\", \"3\", \"3\", \"1\""}},
            {{"y", "tensor<?x2x2x1xf32>", "\"n\", \"2\", \"2\", \"1\""}},
            "%y = takt.pool \"" + kind +
                "\" %x kernel [2, 2] strides [2, 2] pads [0, 0]"
                ", [1, 1] : tensor<?x3x3x1xf32> -> tensor<?x2x2x1xf32>"),
        {{"n", 1}}, /*reference=*/true);
    EXPECT_EQ(stage.error(), "");
    stage.set<float>("x", x);
    EXPECT_EQ(stage.run(), 0);
    return stage.get<float>("y");
  };
  const std::vector<float> x = {-9, -8, -7, -6, -5, -4, -3, -2, -1};
  EXPECT_EQ(pooled("max", x), (std::vector<float>{-5, -4, -2, -1}));
  EXPECT_EQ(pooled("average", x), (std::vector<float>{-7, -5.5, -2.5, -1}));
  EXPECT_EQ(pooled("average_include_pad", x),
            (std::vector<float>{-7, -2.75, -1.25, -0.25}));
  EXPECT_EQ(pooled("max", {NAN, -8, NAN, -6, NAN, NAN, -3, -INFINITY, -1}),
            (std::vector<float>{-6, -INFINITY, -3, -1}));
}

/// Two groups: channel 0 by 1, 2 over a window of two, channel 1 by 10, 20.
TEST(StageProgram, ConvolutionAsLoops) {
  StageRunner stage(
      oneDispatch(
          "library",
          {{"x", "tensor<?x3x2xf32>", "\"n\", \"3\", \"2\""},
           {"w", "tensor<2x1x2xf32>", "\"2\", \"1\", \"2\""}},
          {{"y", "tensor<?x3x2xf32>", "\"n\", \"3\", \"2\""}},
          "%y = takt.conv %x, %w strides [1] dilations [1] pads [0], [1] "
          "groups 2 : tensor<?x3x2xf32>, tensor<2x1x2xf32> -> "
          "tensor<?x3x2xf32>"),
      {{"n", 1}}, /*reference=*/true);
  ASSERT_EQ(stage.error(), "");
  stage.set<float>("x", {1, 2, 3, 4, 5, 6});
  stage.set<float>("w", {1, 2, 10, 20});
  ASSERT_EQ(stage.run(), 0);
  EXPECT_EQ(stage.get<float>("y"),
            (std::vector<float>{7, 100, 13, 160, 5, 60}));
}

TEST(StageProgram, RefusesAnUnknownCpu) {
  TargetOptions options;
  options.cpu = "no-such-cpu";
  auto target = createTarget(options);
  ASSERT_FALSE(bool(target));
  EXPECT_NE(llvm::toString(target.takeError()).find("no-such-cpu"),
            std::string::npos);
}

TEST(StageProgram, RefusesAnUnknownEpilogue) {
  StageRunner stage(
      oneDispatch(
          "library",
          {{"q", "tensor<2x3xf32>", "\"2\", \"3\""},
           {"k", "tensor<3x2xf32>", "\"3\", \"2\""}},
          {{"y", "tensor<2x2xf32>", "\"2\", \"2\""}},
          "%p = takt.matmul %q, %k : tensor<2x3xf32>, tensor<3x2xf32> -> "
          "tensor<2x2xf32>\n%y = math.exp %p : tensor<2x2xf32>"),
      {});
  EXPECT_NE(stage.error().find("'math.exp' is no epilogue"), std::string::npos)
      << stage.error();
}
