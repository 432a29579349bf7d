//===- PartitionedTest.cpp - ranks, channels, micro-batches ---------------===//
//
// y = relu(x * w0) * w1 + x on two stages: the first cuts its matrix by columns
// over two ranks, the second by rows, so that a sum over ranks follows.
//
//===----------------------------------------------------------------------===//
#include "../TestContext.h"
#include "PartitionedProgram.h"

#include "takt/Interpreter/Program.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace takt;

static SmallVector<MicroBatch> microBatches(int count) {
  SmallVector<MicroBatch> batches(count);
  for (int b = 0; b < count; ++b) {
    int64_t rows = b + 1; // each micro-batch has sizes of its own
    HostTensor x = HostTensor::zeros(DType::F32, {rows, 2});
    for (int64_t i = 0; i < x.numElements(); ++i)
      x.setFloat(i, (i + b) % 5 - 2);
    batches[b].inputs["x"] = std::move(x);
    batches[b].dims["n"] = rows;
  }
  return batches;
}

static std::string replaced(std::string text, StringRef from, StringRef to) {
  size_t position = text.find(from);
  EXPECT_NE(position, std::string::npos) << from.str();
  return text.replace(position, from.size(), to.str());
}

/// The text of the comparison's error; empty if the programs agree.
static std::string compare(StringRef partitioned, int batches = 4) {
  TestContext test;
  OwningOpRef<ModuleOp> original = test.parse(originalProgram);
  OwningOpRef<ModuleOp> module = test.parse(partitioned);
  EXPECT_TRUE(original && module);
  if (!original || !module)
    return "does not parse";
  return llvm::toString(
      comparePartitioned(*original, *module, microBatches(batches), 0));
}

TEST(InterpreterPartitioned, GivesTheModelsValues) {
  EXPECT_EQ(compare(partitionedProgram(1)), "");
  EXPECT_EQ(compare(partitionedProgram(2)), "");
}

TEST(InterpreterPartitioned, FindsAWrongShard) {
  std::string wrong =
      replaced(partitionedProgram(1), R"("2*shard")", R"("2 - 2*shard")");
  std::string text = compare(wrong);
  EXPECT_EQ(text.find("micro-batch 0, output 'y': element "), 0u) << text;
}

TEST(InterpreterPartitioned, FindsAMissingAllReduce) {
  std::string text = compare(
      replaced(partitionedProgram(1),
               "takt.all_reduce %1 ways 2 : tensor<?x2xf32> -> tensor<?x2xf32>",
               "takt.reshape %1 to <[\"n\", \"2\"]> : tensor<?x2xf32> -> "
               "tensor<?x2xf32>"));
  EXPECT_EQ(text, "rank 2 at 'forward' of micro-batch 0 makes output 'y', on "
                  "which its shards differ");
}

TEST(InterpreterPartitioned, ReportsStuckRanks) {
  // Rank 2 waits for rank 1's value, which rank 1 never sends.
  std::string text = compare(replaced(partitionedProgram(1),
                                      R"(["forward", "send 1", "send 3"])",
                                      R"(["forward", "send 3"])"));
  EXPECT_EQ(text.find("the ranks are stuck: "), 0u) << text;
  EXPECT_NE(text.find("rank 3 waits at 'receive 1' of micro-batch 0"),
            std::string::npos)
      << text;
}

TEST(InterpreterPartitioned, NeedsASlotFreedBeforeTheNextValue) {
  std::string text = compare(
      replaced(partitionedProgram(1),
               R"(["receive 0", "receive 2", "forward", "free 0", "free 2"])",
               R"(["receive 0", "receive 2", "forward", "free 2"])"));
  EXPECT_NE(text.find("rank 2 waits at 'receive 0' of micro-batch 1"),
            std::string::npos)
      << text;
  EXPECT_EQ(
      compare(replaced(partitionedProgram(1), "\"free 2\"]",
                       "\"free 2\", \"free 2\"]")),
      "rank 2 at 'free 2' of micro-batch 0 frees what it has not received");
}

TEST(InterpreterPartitioned, RefusesForeignChannels) {
  std::string text = compare(replaced(partitionedProgram(1),
                                      R"(["forward", "send 0", "send 2"])",
                                      R"(["forward", "send 1", "send 2"])"));
  EXPECT_EQ(text, "rank 0 has 'send 1', but the channel leads from 1 to 3");
  text = compare(replaced(partitionedProgram(1), R"(["forward", "send 0")",
                          R"(["fromward", "send 0")"));
  EXPECT_EQ(text, "rank 0: instruction 'fromward'; expected 'receive N', "
                  "'forward', 'free N' or 'send N'");
}
