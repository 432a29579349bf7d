//===- ZeroBubbleList.cpp - a greedy list scheduler -----------------------===//
#include "ZeroBubbleList.h"

using namespace takt;

ListScheduler::ListScheduler(const ZeroBubbleProblem &problem,
                             const ListParameters &parameters)
    : problem(problem), parameters(parameters), placement(problem.placement),
      ranks(placement.ranks), forwardEnds(placement.stages()),
      backwardEnds(placement.stages()), weightsPlaced(placement.stages(), 0),
      order(placement.ranks) {
  for (auto *ends : {&forwardEnds, &backwardEnds})
    for (std::vector<Cost> &list : *ends)
      list.reserve(problem.microBatches);
  for (std::vector<Instruction> &list : order)
    list.reserve(3 * placement.chunks * problem.microBatches);
}

Cost ListScheduler::arrival(int from, int to, Cost end) const {
  bool crosses = placement.rankOf(from) != placement.rankOf(to);
  return end + (crosses ? problem.costs.transfer : 0);
}

/// Keeps the option offered first among those of equal start.
void ListScheduler::offer(std::optional<Option> &best, Cost start,
                          Instruction::Kind kind, int chunk) const {
  if (!best || start < best->start)
    best = {start, kind, chunk};
}

void ListScheduler::offerForward(std::optional<Option> &best, int rank,
                                 int chunk) const {
  int stage = placement.stageOf(rank, chunk);
  size_t k = forwardEnds[stage].size();
  const Rank &state = ranks[rank];
  // Leaves room for the forwards of the chunks behind, without which the oldest
  // micro-batch could not go on.
  int64_t needed = placement.chunks - chunk;
  if (k == size_t(problem.microBatches) ||
      state.memory + needed * memoryOfForward > problem.memoryLimit ||
      state.inFlight + needed > parameters.inFlight[rank])
    return;
  Cost start = state.free;
  if (stage > 0) {
    if (k >= forwardEnds[stage - 1].size())
      return;
    start =
        std::max(start, arrival(stage - 1, stage, forwardEnds[stage - 1][k]));
  }
  offer(best, start, Instruction::Forward, chunk);
}

void ListScheduler::offerBackward(std::optional<Option> &best, int rank,
                                  int chunk) const {
  int stage = placement.stageOf(rank, chunk);
  size_t k = backwardEnds[stage].size();
  bool isLast = stage + 1 == placement.stages();
  const std::vector<Cost> &before =
      isLast ? forwardEnds[stage] : backwardEnds[stage + 1];
  if (k >= before.size())
    return;
  Cost ready = isLast ? before[k] : arrival(stage + 1, stage, before[k]);
  offer(best, std::max(ranks[rank].free, ready), Instruction::BackwardInput,
        chunk);
}

void ListScheduler::refresh(int rank) {
  Rank &state = ranks[rank];
  state.isStale = false;
  std::optional<Option> best;
  bool forwardFirst = placement.chunks > 1;
  for (bool forward : {forwardFirst, !forwardFirst})
    for (int chunk = placement.chunks - 1; chunk >= 0; --chunk)
      forward ? offerForward(best, rank, chunk)
              : offerBackward(best, rank, chunk);
  for (int chunk = placement.chunks - 1; chunk >= 0; --chunk) {
    int stage = placement.stageOf(rank, chunk);
    if (weightsPlaced[stage] == int64_t(backwardEnds[stage].size()))
      continue;
    Cost end = state.free + problem.costs.chunks[rank][chunk].backwardWeight;
    if (best && end > best->start + parameters.tolerance[rank])
      continue;
    best = {state.free, Instruction::BackwardWeight, chunk};
    break;
  }
  state.next = best;
}

void ListScheduler::commit(int rank) {
  Rank &state = ranks[rank];
  auto [start, kind, chunk] = *state.next;
  int stage = placement.stageOf(rank, chunk);
  const ChunkCost &cost = problem.costs.chunks[rank][chunk];
  if (order[rank].empty())
    state.firstStart = start;
  int64_t microBatch;
  if (kind == Instruction::Forward) {
    microBatch = forwardEnds[stage].size();
    state.free = start + cost.forward;
    forwardEnds[stage].push_back(state.free);
    state.memory += memoryOfForward;
    ++state.inFlight;
    if (stage + 1 < placement.stages())
      ranks[placement.rankOf(stage + 1)].isStale = true;
  } else if (kind == Instruction::BackwardInput) {
    microBatch = backwardEnds[stage].size();
    state.free = start + cost.backwardInput;
    backwardEnds[stage].push_back(state.free);
    state.memory += memoryOfBackwardInput;
    --state.inFlight;
    if (stage > 0)
      ranks[placement.rankOf(stage - 1)].isStale = true;
  } else {
    microBatch = weightsPlaced[stage]++;
    state.free = start + cost.backwardWeight;
    state.memory += memoryOfBackwardWeight;
  }
  state.isStale = true;
  order[rank].push_back({kind, -1, microBatch, chunk});
}

void ListScheduler::run() {
  for (;;) {
    int first = -1;
    for (int rank = 0; rank < placement.ranks; ++rank) {
      if (ranks[rank].isStale)
        refresh(rank);
      const std::optional<Option> &next = ranks[rank].next;
      if (next && (first < 0 || next->start < ranks[first].next->start))
        first = rank;
    }
    if (first < 0)
      return;
    commit(first);
  }
}

Cost ListScheduler::span() const {
  Cost span = 0;
  for (const Rank &rank : ranks)
    span = std::max(span, rank.free - rank.firstStart);
  return span;
}

Cost ListScheduler::sumOfSpans() const {
  Cost sum = 0;
  for (const Rank &rank : ranks)
    sum += rank.free - rank.firstStart;
  return sum;
}
