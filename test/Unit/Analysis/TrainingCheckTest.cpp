#include "takt/Analysis/TrainingCheck.h"
#include "takt/Analysis/ComputeOrder.h"

#include "gtest/gtest.h"

using namespace takt;

namespace {

const TrainingStep step{{2}, 2, true, 0};

/// Rank 0: forward 0, send, forward 1, send, then for each micro-batch
/// receive, backward-input, free, and the weights' gradients.
Schedule schedule() {
  ComputeOrder order = oneFOneBOrder(2, 2);
  for (std::vector<Instruction> &list : order.ranks) {
    std::vector<Instruction> split;
    for (Instruction instruction : list) {
      bool isWhole = instruction.kind == Instruction::Backward;
      if (isWhole)
        instruction.kind = Instruction::BackwardInput;
      split.push_back(instruction);
      if (isWhole) {
        instruction.kind = Instruction::BackwardWeight;
        split.push_back(instruction);
      }
    }
    list = std::move(split);
  }
  return llvm::cantFail(makeSchedule(order, PipelineCosts::uniform({2}, {})));
}

std::string faultOf(const Schedule &schedule, const TrainingStep &step) {
  llvm::Error error = checkTraining(schedule, step);
  return error ? llvm::toString(std::move(error)) : "";
}

TEST(TrainingCheck, AcceptsAWholeStep) {
  EXPECT_EQ(faultOf(schedule(), step), "");
  TrainingStep limited = step;
  limited.memoryLimit = 4;
  EXPECT_EQ(faultOf(schedule(), limited), "");
  limited.memoryLimit = 3;
  EXPECT_EQ(faultOf(schedule(), limited),
            "training step: rank 0 #2 forward micro-batch 1: the memory limit "
            "is exceeded");
}

TEST(TrainingCheck, NamesWhatIsMissing) {
  auto faultAfter = [](auto change) {
    Schedule changed = schedule();
    change(changed.ranks);
    return faultOf(changed, step);
  };
  EXPECT_EQ(faultAfter([](auto &ranks) { ranks[0].pop_back(); }),
            "training step: rank 0 leaves out some of the chunks' "
            "micro-batches");
  EXPECT_EQ(
      faultAfter([](auto &ranks) { std::swap(ranks[0][0], ranks[0][1]); }),
      "training step: rank 0 #0 send channel 0 micro-batch 0: it has not "
      "been computed");
  EXPECT_EQ(
      faultAfter([](auto &ranks) { std::swap(ranks[0][4], ranks[0][5]); }),
      "training step: rank 0 #4 backward-input micro-batch 0: the "
      "gradient of its output is not there");
  EXPECT_EQ(
      faultAfter([](auto &ranks) { std::swap(ranks[1][0], ranks[1][1]); }),
      "training step: rank 1 #0 forward micro-batch 0: its input is not "
      "there");
  EXPECT_EQ(faultAfter([](auto &ranks) { ranks[0][2] = ranks[0][0]; }),
            "training step: rank 0 #2 forward micro-batch 0: it runs twice");
  EXPECT_EQ(faultAfter([](auto &ranks) {
              ranks[0][0].kind = Instruction::BackwardWeight;
            }),
            "training step: rank 0 #0 backward-weight micro-batch 0: the "
            "gradient of its input has not run");
  EXPECT_EQ(faultAfter([](auto &ranks) { ranks[0][0].chunk = 1; }),
            "training step: rank 0 #0 forward chunk 1 micro-batch 0: there is "
            "no such chunk or micro-batch");
}

} // namespace
