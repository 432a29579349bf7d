//===- GridTest.cpp - plans of many grids against the model ---------------===//
//
// A transformer block with an embedding, planned, split, partitioned and formed
// into dispatches for several numbers of stages and ranks; the interpreter runs
// all ranks and compares with the program as it was.
//
//===----------------------------------------------------------------------===//
#include "../TestContext.h"

#include "takt/Interpreter/Program.h"
#include "takt/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;
using namespace takt;

/// Projection of %from by weight %w, split into 12 heads of size 2.
static std::string heads(const std::string &name, const std::string &weight) {
  auto line = [&](const std::string &suffix, const std::string &text) {
    return "    %" + name + suffix + " = " + text + "\n";
  };
  return line("0", "takt.matmul %n, %" + weight +
                       " : tensor<?x?x24xf32>, tensor<24x24xf32> -> "
                       "tensor<?x?x24xf32>") +
         line("1", "arith.addf %" + name + "0, %biases : tensor<?x?x24xf32>") +
         line("2", "takt.reshape %" + name +
                       R"(1 to <["batch", "seq", "12", "2"]> : )"
                       "tensor<?x?x24xf32> -> tensor<?x?x12x2xf32>") +
         line("", "takt.transpose %" + name +
                      "2 [0, 2, 1, 3] : tensor<?x?x12x2xf32> -> "
                      "tensor<?x12x?x2xf32>");
}

static std::string program() {
  std::string text = R"(
  takt.dim @batch {typical = 2 : i64}
  takt.dim @seq {typical = 8 : i64}
  takt.weight @embedding : tensor<24x24xf32> #takt.source<"w", 0, 2304>
  takt.weight @scale : tensor<24xf32> #takt.source<"w", 3000, 96>
  takt.weight @bias : tensor<24xf32> #takt.source<"w", 4000, 96>
  takt.weight @wq : tensor<24x24xf32> #takt.source<"w", 5000, 2304>
  takt.weight @wk : tensor<24x24xf32> #takt.source<"w", 8000, 2304>
  takt.weight @wv : tensor<24x24xf32> #takt.source<"w", 11000, 2304>
  takt.weight @wo : tensor<24x24xf32> #takt.source<"w", 14000, 2304>
  takt.weight @up : tensor<24x48xf32> #takt.source<"w", 17000, 4608>
  takt.weight @down : tensor<48x24xf32> #takt.source<"w", 22000, 4608>
  func.func @main(%ids: tensor<?x?xi64> {takt.name = "ids", takt.shape = #takt.shape<["batch", "seq"]>},
                  %mask: tensor<?x?xi64> {takt.name = "mask", takt.shape = #takt.shape<["batch", "seq"]>})
      -> (tensor<?x?x24xf32> {takt.name = "hidden"}, tensor<?x24xf32> {takt.name = "pooled"}) {
    %embedding = takt.weight_read @embedding : tensor<24x24xf32>
    %scale = takt.weight_read @scale : tensor<24xf32>
    %bias = takt.weight_read @bias : tensor<24xf32>
    %wq = takt.weight_read @wq : tensor<24x24xf32>
    %wk = takt.weight_read @wk : tensor<24x24xf32>
    %wv = takt.weight_read @wv : tensor<24x24xf32>
    %wo = takt.weight_read @wo : tensor<24x24xf32>
    %up = takt.weight_read @up : tensor<24x48xf32>
    %down = takt.weight_read @down : tensor<48x24xf32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %large = arith.constant dense<1.0e4> : tensor<f32>
    %ones = takt.broadcast %one dims [] to <["batch", "seq"]> : tensor<f32> -> tensor<?x?xf32>
    %larges = takt.broadcast %large dims [] to <["batch", "seq"]> : tensor<f32> -> tensor<?x?xf32>
    %m0 = arith.sitofp %mask : tensor<?x?xi64> to tensor<?x?xf32>
    %m1 = arith.subf %m0, %ones : tensor<?x?xf32>
    %m2 = arith.mulf %m1, %larges : tensor<?x?xf32>
    %m = takt.reshape %m2 to <["batch", "1", "1", "seq"]> : tensor<?x?xf32> -> tensor<?x1x1x?xf32>
    %e = takt.gather %embedding[%ids] axis 0 : tensor<24x24xf32>, tensor<?x?xi64> -> tensor<?x?x24xf32>
    %biases = takt.broadcast %bias dims [2] to <["batch", "seq", "24"]> : tensor<24xf32> -> tensor<?x?x24xf32>
    %n = takt.layer_norm %e scale %scale bias %bias epsilon 1.0e-5
      : tensor<?x?x24xf32>, tensor<24xf32>, tensor<24xf32> -> tensor<?x?x24xf32>
)";
  text += heads("q", "wq") + heads("k", "wk") + heads("v", "wv");
  return text + R"(
    %a0 = takt.attention %q, %k, %v mask %m : tensor<?x1x1x?xf32> scale 0.5
      : tensor<?x12x?x2xf32>, tensor<?x12x?x2xf32>, tensor<?x12x?x2xf32> -> tensor<?x12x?x2xf32>
    %a1 = takt.transpose %a0 [0, 2, 1, 3] : tensor<?x12x?x2xf32> -> tensor<?x?x12x2xf32>
    %a2 = takt.reshape %a1 to <["batch", "seq", "24"]> : tensor<?x?x12x2xf32> -> tensor<?x?x24xf32>
    %a3 = takt.matmul %a2, %wo : tensor<?x?x24xf32>, tensor<24x24xf32> -> tensor<?x?x24xf32>
    %r = arith.addf %a3, %e : tensor<?x?x24xf32>
    %f0 = takt.layer_norm %r scale %scale epsilon 1.0e-5
      : tensor<?x?x24xf32>, tensor<24xf32> -> tensor<?x?x24xf32>
    %f1 = takt.matmul %f0, %up : tensor<?x?x24xf32>, tensor<24x48xf32> -> tensor<?x?x48xf32>
    %f2 = takt.gelu %f1 : tensor<?x?x48xf32> -> tensor<?x?x48xf32>
    %f3 = takt.matmul %f2, %down : tensor<?x?x48xf32>, tensor<48x24xf32> -> tensor<?x?x24xf32>
    %hidden = arith.addf %f3, %r : tensor<?x?x24xf32>
    %pooled = takt.reduce "sum" %hidden axes [1] : tensor<?x?x24xf32> -> tensor<?x24xf32>
    return %hidden, %pooled : tensor<?x?x24xf32>, tensor<?x24xf32>
  })";
}

/// Numbers that follow from the range in the file, as a file's would.
static llvm::Expected<HostTensor> readSource(WeightOp weight) {
  auto type = cast<RankedTensorType>(weight.getType());
  HostTensor tensor = HostTensor::zeros(DType::F32, type.getShape());
  std::mt19937 random(unsigned(weight.getSource()->getOffset()));
  std::uniform_real_distribution<float> number(-0.5f, 0.5f);
  for (int64_t i = 0, count = tensor.numElements(); i < count; ++i)
    tensor.as<float>()[i] = number(random);
  return tensor;
}

static SmallVector<MicroBatch> microBatches() {
  SmallVector<MicroBatch> batches(3);
  std::mt19937 random(7);
  for (auto [i, batch] : llvm::enumerate(batches)) {
    int64_t rows = 1 + i, seq = 5 - i;
    batch.dims["batch"] = rows;
    batch.dims["seq"] = seq;
    HostTensor ids = HostTensor::zeros(DType::I64, {rows, seq}), mask = ids;
    for (int64_t k = 0; k < rows * seq; ++k) {
      ids.setInt(k, int64_t(random() % 24));
      mask.setInt(k, k % seq < 3);
    }
    batch.inputs["ids"] = std::move(ids);
    batch.inputs["mask"] = std::move(mask);
  }
  return batches;
}

namespace {
struct Grid {
  int64_t pipeline;
  std::vector<int64_t> tensor;
};

class PlannedGrid : public ::testing::TestWithParam<Grid> {
protected:
  void SetUp() override {
    original = test.parse(program());
    ASSERT_TRUE(original);
    module = OwningOpRef<ModuleOp>(cast<ModuleOp>((*original)->clone()));
    PlanPassOptions options;
    options.pipeline = GetParam().pipeline;
    options.tensor = GetParam().tensor;
    run([&](PassManager &passes) {
      passes.addPass(createPlanPass(options));
      passes.addPass(createVerifyPlanPass());
      passes.addPass(createSplitStagesPass());
      passes.addPass(createVerifyStagesPass());
      passes.addPass(createPartitionPass());
      passes.addPass(createVerifyPartitionPass());
    });
  }

  void run(llvm::function_ref<void(PassManager &)> add) {
    PassManager passes(&test.context);
    add(passes);
    ASSERT_TRUE(succeeded(passes.run(*module)));
  }

  std::string compare() {
    return llvm::toString(comparePartitioned(*original, *module, microBatches(),
                                             1e-5, readSource));
  }

  TestContext test;
  OwningOpRef<ModuleOp> original, module;
};
} // namespace

TEST_P(PlannedGrid, GivesTheModelsValues) {
  ASSERT_EQ(compare(), "");
  run([](PassManager &passes) {
    passes.addPass(createDecomposeAttentionPass());
    passes.addPass(createFormDispatchesPass());
    passes.addPass(createVerifyDispatchesPass());
  });
  EXPECT_EQ(compare(), "") << "after the dispatch phase";
}

static const Grid grids[] = {{1, {1}}, {1, {2}}, {1, {3}},      {1, {4}},
                             {2, {1}}, {2, {2}}, {2, {1, 2}},   {2, {4, 2}},
                             {3, {1}}, {3, {3}}, {3, {2, 1, 3}}};

INSTANTIATE_TEST_SUITE_P(Grids, PlannedGrid, ::testing::ValuesIn(grids),
                         [](const auto &info) {
                           std::string name =
                               "pp" + std::to_string(info.param.pipeline);
                           for (int64_t ways : info.param.tensor)
                             name += "_tp" + std::to_string(ways);
                           return name;
                         });
