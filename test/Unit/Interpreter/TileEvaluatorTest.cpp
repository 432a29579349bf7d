//===- TileEvaluatorTest.cpp - parts of weights are parts of their value --===//
#include "../TestContext.h"

#include "takt/Interpreter/TileEvaluator.h"
#include "takt/Interpreter/WeightEvaluator.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace takt;

/// The elements of a source are its position.
static llvm::Expected<HostTensor> readWhole(WeightOp weight) {
  auto type = cast<RankedTensorType>(weight.getType());
  HostTensor tensor =
      HostTensor::zeros(*dtypeOf(type.getElementType()), type.getShape());
  for (int64_t i = 0; i < tensor.numElements(); ++i)
    tensor.setFloat(i, double(i % 97));
  return tensor;
}

namespace {
class TileEvaluation : public ::testing::Test {
protected:
  /// Cuts @w, of `text`, into bands of all sizes on 2 shards and compares with
  /// the whole; returns the most elements that one read asked for.
  int64_t check(const std::string &text) {
    OwningOpRef<ModuleOp> module = test.parse(text);
    EXPECT_TRUE(module) << text;
    auto weight = module->lookupSymbol<WeightOp>("w");
    EXPECT_TRUE(canEvaluateInTiles(weight));
    auto symbols = shardSymbols({}, 2);
    auto whole = evaluateWeight(weight, symbols, readWhole);
    EXPECT_TRUE(bool(whole)) << llvm::toString(whole.takeError());
    int64_t most = 0;
    WindowReader read = [&](WeightOp source, const TensorWindow &window) {
      most = std::max(most, window.numElements());
      return cutWindow(llvm::cantFail(readWhole(source)), window);
    };
    for (int64_t shard : {0, 1})
      for (int64_t limit : {1, 5, 16, 1 << 20}) {
        if (limit == 1 << 20)
          most = 0;
        std::vector<uint8_t> bytes;
        llvm::cantFail(forEachBand(
            (*whole)[shard]->shape, limit, [&](const TensorWindow &band) {
              auto tile = evaluateTile(weight, band, symbols[shard], read);
              EXPECT_TRUE(bool(tile)) << llvm::toString(tile.takeError());
              bytes.insert(bytes.end(), tile->data.begin(), tile->data.end());
              return llvm::Error::success();
            }));
        EXPECT_EQ(bytes, (*whole)[shard]->data) << text;
      }
    return most;
  }

  TestContext test;
};
} // namespace

TEST_F(TileEvaluation, CutsTransposes) {
  EXPECT_EQ(check(R"(
    takt.weight @a : tensor<12x10xf32> #takt.source<"f", 0, 480>
    takt.weight @t : tensor<10x12xf32> {
      %0 = takt.weight_read @a : tensor<12x10xf32>
      %1 = takt.transpose %0 [1, 0] : tensor<12x10xf32> -> tensor<10x12xf32>
      takt.yield %1 : tensor<10x12xf32>
    }
    takt.weight @w : tensor<10x6xf32> {
      %0 = takt.weight_read @t : tensor<10x12xf32>
      %1 = takt.slice %0 from <["0", "6*shard"]> sizes <["10", "6"]> strides [1, 1] : tensor<10x12xf32> -> tensor<10x6xf32>
      takt.yield %1 : tensor<10x6xf32>
    })"),
            60)
      << "a shard reads its half only";
}

TEST_F(TileEvaluation, JoinsAndComputes) {
  check(R"(
    takt.weight @a : tensor<6x4xf32> #takt.source<"f", 0, 96>
    takt.weight @b : tensor<6x3xf32> #takt.source<"f", 96, 72>
    takt.weight @s : tensor<7xf32> #takt.source<"f", 168, 28>
    takt.weight @w : tensor<6x7xf32> {
      %0 = takt.weight_read @a : tensor<6x4xf32>
      %1 = takt.weight_read @b : tensor<6x3xf32>
      %2 = takt.concat %0, %1 axis 1 : tensor<6x4xf32>, tensor<6x3xf32> -> tensor<6x7xf32>
      %3 = takt.weight_read @s : tensor<7xf32>
      %4 = takt.broadcast %3 dims [1] to <["6", "7"]> : tensor<7xf32> -> tensor<6x7xf32>
      %5 = arith.mulf %2, %4 : tensor<6x7xf32>
      takt.yield %5 : tensor<6x7xf32>
    })");
}

TEST_F(TileEvaluation, RegroupsElements) {
  for (const char *shape :
       {"[\"24\", \"5\"]", "[\"4\", \"3\", \"2\", \"5\", \"1\"]", "[\"120\"]",
        "[\"2\", \"2\", \"30\"]", "[\"1\", \"8\", \"15\"]"}) {
    std::string sizes, list = shape;
    for (char c : list)
      if (isdigit(c))
        sizes += c;
      else if (c == ',')
        sizes += 'x';
    std::string type = "tensor<" + sizes + "xf32>";
    check(R"(
    takt.weight @a : tensor<4x6x5xf32> #takt.source<"f", 0, 480>
    takt.weight @w : )" +
          type + R"( {
      %0 = takt.weight_read @a : tensor<4x6x5xf32>
      %1 = takt.reshape %0 to <)" +
          list + R"(> : tensor<4x6x5xf32> -> )" + type + R"(
      takt.yield %1 : )" +
          type + R"(
    })");
  }
}

TEST_F(TileEvaluation, LeavesWhatMixesElements) {
  OwningOpRef<ModuleOp> module = test.parse(R"(
    takt.weight @a : tensor<4x6xf32> #takt.source<"f", 0, 96>
    takt.weight @w : tensor<4xf32> {
      %0 = takt.weight_read @a : tensor<4x6xf32>
      %1 = takt.reduce "sum" %0 axes [1] : tensor<4x6xf32> -> tensor<4xf32>
      takt.yield %1 : tensor<4xf32>
    })");
  EXPECT_FALSE(canEvaluateInTiles(module->lookupSymbol<WeightOp>("w")));
}

/// A value that is used twice is computed twice: a chain of such values would
/// take for ever.
TEST_F(TileEvaluation, LeavesWhatWouldBeComputedTooOften) {
  auto chain = [](int length) {
    std::string text = R"(
      takt.weight @a : tensor<4xf32> #takt.source<"f", 0, 16>
      takt.weight @w : tensor<4xf32> {
        %0 = takt.weight_read @a : tensor<4xf32>)";
    for (int i = 1; i <= length; ++i) {
      std::string before = "%" + std::to_string(i - 1);
      text += "\n%" + std::to_string(i) + " = arith.addf " + before + ", " +
              before + " : tensor<4xf32>";
    }
    return text + "\ntakt.yield %" + std::to_string(length) +
           " : tensor<4xf32>\n}";
  };
  check(chain(5));
  OwningOpRef<ModuleOp> module = test.parse(chain(100));
  auto weight = module->lookupSymbol<WeightOp>("w");
  EXPECT_FALSE(canEvaluateInTiles(weight));
  EXPECT_TRUE(bool(evaluateWeight(weight, shardSymbols({}, 1), readWhole)));
}
