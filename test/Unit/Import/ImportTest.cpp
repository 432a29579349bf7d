//===- ImportTest.cpp - what a valid model becomes ------------------------===//
#include "ImportTestHelper.h"

using namespace takt;
using namespace takt::test;

using ImportTest = ImportFixture;

TEST_F(ImportTest, NodesKeepOperatorAttributesAndNames) {
  std::string text = importText(R"(
    g (float[batch, 8] x) => (float[batch, 8] y) {
      [soft] y = Softmax <axis = 1> (x)
    })");
  EXPECT_TRUE(has(text, "takt.dim @batch"));
  EXPECT_TRUE(has(text, "onnx.node \"Softmax\"(%arg0)"));
  EXPECT_TRUE(has(text, "attrs = {axis = 1 : i64}"));
  EXPECT_TRUE(has(text, "version = 20 : i64"));
  EXPECT_TRUE(has(text, "takt.name = \"x\""));
  EXPECT_TRUE(has(text, "#takt.shape<[\"batch\", \"8\"]>"));
  EXPECT_TRUE(has(text, "-> tensor<?x8xf32>"));
}

TEST_F(ImportTest, EmptyOptionalInputIsNone) {
  std::string text = importText(R"(
    g (float[4] x, float hi) => (float[4] y) { y = Clip (x, "", hi) })");
  EXPECT_TRUE(has(text, "onnx.none : none"));
  EXPECT_TRUE(has(text, "(tensor<4xf32>, none, tensor<f32>) -> tensor<4xf32>"));
}

TEST_F(ImportTest, ShapesFollowThroughConstants) {
  std::string text = importText(R"(
    g (float[2, 6] x) => (float[3, 4] y) <int64[2] s = {3, 4}> {
      y = Reshape (x, s)
    })");
  EXPECT_TRUE(has(text, "arith.constant dense<[3, 4]> : tensor<2xi64>"));
  EXPECT_TRUE(has(text, "-> tensor<3x4xf32>"));
}

TEST_F(ImportTest, SizeExpressionsOverNamesAreKept) {
  std::string text = importText(R"(
    g (float[seq] x, float[past] p, float["seq + past"] m) => (float["past + seq"] y) {
      c = Concat <axis = 0> (p, x)
      y = Add (c, m)
    })");
  EXPECT_TRUE(has(text, "takt.shape = #takt.shape<[\"past + seq\"]>}, %arg3") ||
              has(text, "#takt.shape<[\"past + seq\"]>"));
  EXPECT_EQ(text.find("takt.dim @seq_"), std::string::npos);
}

TEST_F(ImportTest, UnnamedAndOddDimensionsGetFreshNames) {
  auto model = parse(R"(
    g (float[N, 4] x) => (float[M, 4] y) { y = Relu (x) })");
  auto *shape = model.mutable_graph()
                    ->mutable_input(0)
                    ->mutable_type()
                    ->mutable_tensor_type()
                    ->mutable_shape();
  shape->mutable_dim(0)->set_dim_param("batch size");
  shape->mutable_dim(1)->clear_dim_value();
  std::string text = importModel(model);
  EXPECT_TRUE(has(text, "takt.dim @batch_size"));
  EXPECT_TRUE(has(text, "takt.dim @x_d1"));
  EXPECT_TRUE(has(text, "#takt.shape<[\"batch_size\", \"x_d1\"]>"));
}

TEST_F(ImportTest, MinusOneIsAnOpenDimension) {
  auto model = parse(R"(
    g (float[N, M] x) => (float[N, M] y) { y = Relu (x) })");
  for (auto *info : {model.mutable_graph()->mutable_input(0),
                     model.mutable_graph()->mutable_output(0)}) {
    auto *shape = info->mutable_type()->mutable_tensor_type()->mutable_shape();
    shape->mutable_dim(0)->set_dim_param("-1");
    shape->mutable_dim(1)->set_dim_value(-1);
  }
  EXPECT_TRUE(has(importModel(model), "#takt.shape<[\"x_d0\", \"x_d1\"]>"));
}

TEST_F(ImportTest, ReservedNameShardIsRenamed) {
  std::string text = importText(R"(
    g (float[shard] x) => (float[shard] y) { y = Relu (x) })");
  EXPECT_TRUE(has(text, "takt.dim @shard_1"));
}

TEST_F(ImportTest, BoundDimensionsAreConstants) {
  options.dims["batch"] = 8;
  std::string text = importText(R"(
    g (float[batch, seq] x, float["batch*2"] t) => (float[batch, seq] y) { y = Relu (x) })");
  EXPECT_EQ(text.find("takt.dim @batch"), std::string::npos);
  EXPECT_TRUE(has(text, "#takt.shape<[\"8\", \"seq\"]>"));
  EXPECT_TRUE(has(text, "tensor<16xf32>"));
}

TEST_F(ImportTest, SubgraphsAreRegionsThatCapture) {
  std::string text = importText(R"(
    g (bool c, float[4] x) => (float[4] y) {
      h = Relu (x)
      y = If (c) <
        then_branch = t () => (float[4] a) { a = Add (h, x) },
        else_branch = e () => (float[4] b) { b = Neg (h) }
      >
    })");
  EXPECT_TRUE(has(text, "region_names = [\"then_branch\", \"else_branch\"]"));
  EXPECT_TRUE(has(text, "onnx.node \"Add\"(%0, %arg1)"));
  EXPECT_TRUE(has(text, "onnx.yield"));
}

TEST_F(ImportTest, SubgraphInputsAreBlockArguments) {
  std::string text = importText(R"(
    g (int64 n, bool c, float[4] x) => (float[4] y) {
      y = Loop (n, c, x) <
        body = b (int64 i, bool go, float[4] s) => (bool go2, float[4] s2) {
          go2 = Identity (go)
          s2 = Add (s, s)
        }>
    })");
  EXPECT_TRUE(
      has(text,
          "^bb0(%arg3: tensor<i64>, %arg4: tensor<i1>, %arg5: tensor<4xf32>)"));
}

TEST_F(ImportTest, LocalFunctionsAreInlinedWithTheirAttributes) {
  std::string text = importFile(write("model.onnxtxt", R"(
    <ir_version: 10, opset_import: ["" : 20, "local" : 1]>
    g (float[4] x) => (float[4] y) { y = local.outer <a = 0.5> (x) }
    <domain: "local", opset_import: ["" : 18, "local" : 1]>
    outer <a> (X) => (Y) { t = local.inner <b: float = @a> (X)  Y = Add (t, X) }
    <domain: "local", opset_import: ["" : 20]>
    inner <b> (X) => (Y) { Y = LeakyRelu <alpha: float = @b> (X) }
    )"));
  EXPECT_TRUE(has(text, "\"LeakyRelu\""));
  EXPECT_TRUE(has(text, "alpha = 5.000000e-01 : f32"));
  EXPECT_EQ(text.find("\"local\""), std::string::npos);
}

TEST_F(ImportTest, BigTensorsGoToTheSpoolFileAligned) {
  options.smallTensorBytes = 8;
  std::string text = importText(R"(
    g (float[3] x) => (float[3] y)
    <float[3] w = {1, 2, 3}, float[3] v = {4, 5, 6}> {
      t = Add (x, w)  y = Mul (t, v)
    })");
  EXPECT_TRUE(has(text, "takt.weight @w : tensor<3xf32> #takt.source<\"" +
                            options.spoolFile + "\", 0, 12>"));
  EXPECT_TRUE(has(text, "takt.weight @v : tensor<3xf32> #takt.source<\"" +
                            options.spoolFile + "\", 64, 12>"));
  EXPECT_TRUE(has(text, "takt.weight_read @w : tensor<3xf32>"));
  std::ifstream spool(options.spoolFile, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(spool)), {});
  ASSERT_EQ(bytes.size(), 76u);
  float values[3];
  memcpy(values, bytes.data() + 64, sizeof(values));
  EXPECT_EQ(values[2], 6.0f);
}

TEST_F(ImportTest, BigConstantInTwiceInlinedFunctionIsOneWeight) {
  options.smallTensorBytes = 8;
  std::string text = importFile(write("model.onnxtxt", R"(
    <ir_version: 10, opset_import: ["" : 20, "local" : 1]>
    g (float[3] x) => (float[3] y) { t = local.f (x)  y = local.f (t) }
    <domain: "local", opset_import: ["" : 20]>
    f (X) => (Y) { k = Constant <value = float[3] {1, 2, 3}> ()  Y = Add (X, k) }
    )"));
  size_t first = text.find("takt.weight @");
  ASSERT_NE(first, std::string::npos) << messages;
  EXPECT_EQ(text.find("takt.weight @", first + 1), std::string::npos) << text;
}

TEST_F(ImportTest, OverridableInputBecomesConstantWithRemark) {
  std::string text = importText(R"(
    g (float[2] x, float[2] d) => (float[2] y) <float[2] d = {1, 2}> { y = Add (x, d) })");
  EXPECT_TRUE(has(messages, "input \"d\" has a default value"));
  EXPECT_TRUE(has(text, "@main(%arg0: tensor<2xf32> {takt.name = \"x\""));
  EXPECT_EQ(text.find("%arg1"), std::string::npos);
}

TEST_F(ImportTest, UnusedWeightsVanish) {
  options.smallTensorBytes = 0;
  std::string text = importText(R"(
    g (float[2] x) => (float[2] y) <float[2] unused = {1, 2}> { y = Relu (x) })");
  EXPECT_FALSE(text.empty()) << messages;
  EXPECT_EQ(text.find("unused"), std::string::npos);
}

TEST_F(ImportTest, UnknownContribOpHasUntypedResult) {
  std::string text = importFile(write("model.onnxtxt", R"(
    <ir_version: 10, opset_import: ["" : 20, "com.example" : 3]>
    g (float[2] x) => (float[2] y) { t = com.example.Odd (x)  y = Relu (t) })"));
  EXPECT_TRUE(has(text, "onnx.node \"Odd\"(%arg0) {domain = \"com.example\""));
  EXPECT_TRUE(has(text, "version = 3 : i64"));
  EXPECT_TRUE(has(text, "(tensor<2xf32>) -> none"));
}

TEST_F(ImportTest, GraphWithoutNodes) {
  std::string text = importText("g (float[2] x) => (float[2] x) {}");
  EXPECT_TRUE(has(text, "return %arg0 : tensor<2xf32>"));
}

TEST_F(ImportTest, OutputWithoutTypeGetsTheInferredOne) {
  auto model = parse("g (float[2] x) => (float[2] y) { y = Relu (x) }");
  model.mutable_graph()->mutable_output(0)->clear_type();
  EXPECT_TRUE(
      has(importModel(model), "-> (tensor<2xf32> {takt.name = \"y\"})"));
}
