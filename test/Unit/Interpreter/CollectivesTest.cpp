//===- CollectivesTest.cpp - tensors across shards ------------------------===//
#include "../TestContext.h"

#include "takt/Interpreter/BlockEvaluator.h"
#include "takt/Interpreter/Collectives.h"
#include "takt/Interpreter/WeightEvaluator.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace takt;

static TensorRef ints(ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
  return std::make_shared<const HostTensor>(
      HostTensor::fromInts(DType::I32, shape, values));
}

static std::string errorOf(llvm::Error error) {
  return llvm::toString(std::move(error));
}

/// The results of the program's function on shards.
static llvm::Expected<SmallVector<ShardedTensor>>
run(ModuleOp module, ArrayRef<ShardedTensor> arguments) {
  auto function = module.lookupSymbol<func::FuncOp>("f");
  SmallVector<SymbolValues> shards = shardSymbols({}, arguments.front().size());
  BlockEvaluator evaluator(shards,
                           [](WeightOp weight, ArrayRef<SymbolValues> tables) {
                             return evaluateWeight(weight, tables, noSources);
                           });
  return evaluator.run(function.getBody().front(), arguments);
}

TEST(InterpreterCollectives, CombineTheShards) {
  TestContext test;
  OwningOpRef<ModuleOp> module = test.parse(R"(
    func.func @f(%a: tensor<2x2xi32>) -> (tensor<2x2xi32>, tensor<4x2xi32>,
                                          tensor<2x4xi32>, tensor<2x1xi32>) {
      %0 = takt.all_reduce %a ways 2 : tensor<2x2xi32> -> tensor<2x2xi32>
      %1 = takt.all_gather %a axis 0 ways 2 : tensor<2x2xi32> -> tensor<4x2xi32>
      %2 = takt.all_gather %a axis 1 ways 2 : tensor<2x2xi32> -> tensor<2x4xi32>
      %3 = takt.reduce_scatter %a axis 1 ways 2 : tensor<2x2xi32> -> tensor<2x1xi32>
      return %0, %1, %2, %3 : tensor<2x2xi32>, tensor<4x2xi32>, tensor<2x4xi32>, tensor<2x1xi32>
    })");
  ASSERT_TRUE(module);
  ShardedTensor argument = {ints({2, 2}, {1, 2, 3, 4}),
                            ints({2, 2}, {10, 20, 30, 40})};
  auto results = run(*module, {argument});
  ASSERT_TRUE(bool(results)) << errorOf(results.takeError());
  for (int shard = 0; shard < 2; ++shard) {
    EXPECT_EQ(*(*results)[0][shard], *ints({2, 2}, {11, 22, 33, 44}));
    EXPECT_EQ(*(*results)[1][shard],
              *ints({4, 2}, {1, 2, 3, 4, 10, 20, 30, 40}));
    EXPECT_EQ(*(*results)[2][shard],
              *ints({2, 4}, {1, 2, 10, 20, 3, 4, 30, 40}));
  }
  EXPECT_EQ(*(*results)[3][0], *ints({2, 1}, {11, 33}));
  EXPECT_EQ(*(*results)[3][1], *ints({2, 1}, {22, 44}));
}

TEST(InterpreterCollectives, RefuseAnotherNumberOfRanks) {
  TestContext test;
  OwningOpRef<ModuleOp> module = test.parse(R"(
    func.func @f(%a: tensor<2xi32>) -> tensor<2xi32> {
      %0 = takt.all_reduce %a ways 3 : tensor<2xi32> -> tensor<2xi32>
      return %0 : tensor<2xi32>
    })");
  ShardedTensor argument = {ints({2}, {1, 2}), ints({2}, {3, 4})};
  auto results = run(*module, {argument});
  ASSERT_FALSE(bool(results));
  EXPECT_EQ(errorOf(results.takeError()),
            "op 'takt.all_reduce': the collective is among 3 ranks, its stage "
            "has 2");
}

TEST(InterpreterCollectives, BoolHasNoSum) {
  HostTensor flags = HostTensor::fromInts(DType::Bool, {2}, {1, 0});
  EXPECT_EQ(errorOf(sumTensors({&flags, &flags}).takeError()),
            "a sum over ranks of bool; a number expected");
}

TEST(InterpreterCollectives, IntegersWrap) {
  HostTensor bytes = HostTensor::fromInts(DType::I8, {1}, {100});
  auto sum = sumTensors({&bytes, &bytes});
  ASSERT_TRUE(bool(sum));
  EXPECT_EQ(sum->getInt(0), -56);
}

TEST(InterpreterCollectives, PartsMustComeOutEqual) {
  HostTensor tensor = HostTensor::zeros(DType::F32, {2, 3});
  EXPECT_EQ(errorOf(sliceTensor(tensor, 1, 0, 2).takeError()),
            "dimension 1 of [2, 3]xf32 in 2 equal parts");
}

// The shards of a weight: the transposed source, cut by the rank's coordinate.
TEST(InterpreterWeights, AreCutByTheShardSymbol) {
  TestContext test;
  OwningOpRef<ModuleOp> module = test.parse(R"(
    takt.weight @base : tensor<2x4xi32> {
      %0 = arith.constant dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi32>
      takt.yield %0 : tensor<2x4xi32>
    }
    takt.weight @w : tensor<2x2xi32> {
      %0 = takt.weight_read @base : tensor<2x4xi32>
      %1 = takt.transpose %0 [1, 0] : tensor<2x4xi32> -> tensor<4x2xi32>
      %2 = takt.slice %1 from <["2*shard", "0"]> sizes <["2", "2"]> strides [1, 1]
        : tensor<4x2xi32> -> tensor<2x2xi32>
      takt.yield %2 : tensor<2x2xi32>
    })");
  ASSERT_TRUE(module);
  auto value = evaluateWeight(module->lookupSymbol<WeightOp>("w"),
                              shardSymbols({}, 2), noSources);
  ASSERT_TRUE(bool(value)) << errorOf(value.takeError());
  EXPECT_EQ(*(*value)[0], *ints({2, 2}, {0, 4, 1, 5}));
  EXPECT_EQ(*(*value)[1], *ints({2, 2}, {2, 6, 3, 7}));
  auto base = evaluateWeight(module->lookupSymbol<WeightOp>("base"),
                             shardSymbols({}, 2), noSources);
  ASSERT_TRUE(bool(base));
  EXPECT_EQ((*base)[0].get(), (*base)[1].get()) << "evaluated twice";
}

TEST(InterpreterWeights, MustNotNeedThemselves) {
  TestContext test;
  OwningOpRef<ModuleOp> module = test.parse(R"(
    takt.weight @a : tensor<1xi32> {
      %0 = takt.weight_read @b : tensor<1xi32>
      takt.yield %0 : tensor<1xi32>
    }
    takt.weight @b : tensor<1xi32> {
      %0 = takt.weight_read @a : tensor<1xi32>
      takt.yield %0 : tensor<1xi32>
    })");
  ASSERT_TRUE(module);
  auto value = evaluateWeight(module->lookupSymbol<WeightOp>("a"),
                              shardSymbols({}, 1), noSources);
  ASSERT_FALSE(bool(value));
  EXPECT_NE(errorOf(value.takeError()).find("weight 'a' needs its own value"),
            std::string::npos);
}
