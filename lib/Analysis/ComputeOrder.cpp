//===- ComputeOrder.cpp - pipeline schedules given by formulas ------------===//
#include "takt/Analysis/ComputeOrder.h"

#include "llvm/ADT/STLFunctionalExtras.h"

using namespace takt;

static Instruction compute(Instruction::Kind kind, int64_t microBatch,
                           int chunk = 0) {
  return {kind, -1, microBatch, chunk};
}

ComputeOrder takt::streamOrder(int ranks, int64_t microBatches) {
  ComputeOrder order{{ranks}, {}};
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<Instruction> &list = order.ranks.emplace_back();
    for (int64_t k = 0; k < microBatches; ++k)
      list.push_back(compute(Instruction::Forward, k));
  }
  return order;
}

ComputeOrder takt::gpipeOrder(int ranks, int64_t microBatches) {
  ComputeOrder order = streamOrder(ranks, microBatches);
  for (std::vector<Instruction> &list : order.ranks)
    for (int64_t k = 0; k < microBatches; ++k)
      list.push_back(compute(Instruction::Backward, k));
  return order;
}

/// \p warmUp forwards, then forwards and backwards in turn, then the backwards
/// that are left.
static std::vector<Instruction>
alternate(int64_t warmUp, int64_t count,
          llvm::function_ref<Instruction(int64_t)> forward,
          llvm::function_ref<Instruction(int64_t)> backward) {
  std::vector<Instruction> list;
  warmUp = std::min(warmUp, count);
  for (int64_t i = 0; i < warmUp; ++i)
    list.push_back(forward(i));
  for (int64_t i = warmUp; i < count; ++i) {
    list.push_back(forward(i));
    list.push_back(backward(i - warmUp));
  }
  for (int64_t i = count - warmUp; i < count; ++i)
    list.push_back(backward(i));
  return list;
}

ComputeOrder takt::oneFOneBOrder(int ranks, int64_t microBatches) {
  ComputeOrder order{{ranks}, {}};
  for (int rank = 0; rank < ranks; ++rank)
    order.ranks.push_back(alternate(
        ranks - 1 - rank, microBatches,
        [](int64_t i) { return compute(Instruction::Forward, i); },
        [](int64_t i) { return compute(Instruction::Backward, i); }));
  return order;
}

llvm::Expected<ComputeOrder> takt::interleavedOrder(int ranks, int chunks,
                                                    int64_t microBatches) {
  if (microBatches % ranks != 0)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "the interleaved schedule needs a multiple of %d micro-batches (one "
        "per rank), found %lld; choose another number or 1F1B",
        ranks, static_cast<long long>(microBatches));
  ComputeOrder order{{ranks, chunks}, {}};
  auto step = [&](Instruction::Kind kind, int64_t i) {
    int64_t round = int64_t(ranks) * chunks;
    int chunk = i % round / ranks;
    if (kind == Instruction::Backward)
      chunk = chunks - 1 - chunk;
    return compute(kind, i / round * ranks + i % ranks, chunk);
  };
  for (int rank = 0; rank < ranks; ++rank) {
    // The first backward of this rank comes after the first micro-batch has
    // gone through all chunks and back to this rank.
    int64_t warmUp = 2 * (ranks - 1 - rank) + (chunks - 1) * int64_t(ranks);
    if (chunks == 1)
      warmUp = ranks - 1 - rank;
    order.ranks.push_back(alternate(
        warmUp, microBatches * chunks,
        [&](int64_t i) { return step(Instruction::Forward, i); },
        [&](int64_t i) { return step(Instruction::Backward, i); }));
  }
  return order;
}
