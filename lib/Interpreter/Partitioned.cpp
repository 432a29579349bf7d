//===- Partitioned.cpp - runs all ranks of a partitioned program ----------===//
#include "Simulation.h"

using namespace mlir;
using namespace takt;

Simulation::Simulation(const RankPrograms &programs,
                       ArrayRef<MicroBatch> microBatches,
                       const SourceReader &readSource, int64_t replica)
    : programs(programs), microBatches(microBatches), readSource(readSource),
      states(programs.ranks.size()), channels(programs.channels.size()),
      outputs(microBatches.size()) {
  for (const RankPrograms::Rank &rank : programs.ranks)
    if (rank.stage >= 0 && rank.replica == replica)
      ranks.push_back(&rank);
}

llvm::Expected<SmallVector<NamedTensors>> Simulation::run() {
  if (ranks.empty())
    return evaluationFailure("no rank of this replica does anything");
  for (bool moved = true; moved;) {
    moved = false;
    for (const RankPrograms::Rank *rank : ranks)
      while (!isDone(*rank)) {
        llvm::Expected<bool> stepped = step(*rank);
        if (!stepped)
          return stepped.takeError();
        if (!*stepped)
          break;
        moved = true;
      }
  }
  if (llvm::Error error = checkFinished())
    return error;
  return std::move(outputs);
}

void Simulation::advance(const RankPrograms::Rank &rank) {
  RankState &state = states[rank.id];
  if (++state.next < rank.instructions.size())
    return;
  state.next = 0;
  ++state.microBatch;
  state.made.clear();
}

llvm::Expected<bool> Simulation::step(const RankPrograms::Rank &rank) {
  const RankInstruction &instruction = current(rank);
  if (instruction.kind == RankInstruction::Forward)
    return forward(rank);
  RankState &state = states[rank.id];
  ChannelState &channel = channels[instruction.channel];
  const RankPrograms::Channel &spec = programs.channels[instruction.channel];
  switch (instruction.kind) {
  case RankInstruction::Receive:
    if (channel.queue.empty())
      return false;
    if (!state.received.try_emplace(spec.id, channel.queue.front()).second)
      return fail(rank, "receives a value before it has freed the last one");
    channel.queue.pop_front();
    break;
  case RankInstruction::Free:
    if (!state.received.erase(spec.id))
      return fail(rank, "frees what it has not received");
    --channel.occupied;
    break;
  default: {
    if (channel.occupied == spec.depth)
      return false;
    auto value = state.made.find(spec.value);
    if (value == state.made.end())
      return fail(rank, "sends value " + Twine(spec.value) +
                            ", which its stage has not made");
    channel.queue.push_back(value->second);
    ++channel.occupied;
  }
  }
  advance(rank);
  return true;
}

llvm::Error Simulation::fail(const RankPrograms::Rank &rank,
                             const Twine &text) const {
  return evaluationFailure("rank " + Twine(rank.id) + " at '" +
                           current(rank).str() + "' of micro-batch " +
                           Twine(states[rank.id].microBatch) + " " + text);
}

llvm::Error Simulation::checkFinished() const {
  std::string waiting;
  for (const RankPrograms::Rank *rank : ranks)
    if (!isDone(*rank))
      waiting += (waiting.empty() ? "rank " : "; rank ") +
                 std::to_string(rank->id) + " waits at '" +
                 current(*rank).str() + "' of micro-batch " +
                 std::to_string(states[rank->id].microBatch);
  if (!waiting.empty())
    return evaluationFailure("the ranks are stuck: " + waiting);
  for (auto [i, channel] : llvm::enumerate(channels))
    if (channel.occupied != 0)
      return evaluationFailure("channel " + Twine(i) + " still holds " +
                               Twine(channel.occupied) + " values at the end");
  return llvm::Error::success();
}

llvm::Expected<SmallVector<NamedTensors>>
takt::evaluatePartitioned(ModuleOp module, ArrayRef<MicroBatch> microBatches,
                          const SourceReader &readSource, int64_t replica) {
  llvm::Expected<RankPrograms> programs = RankPrograms::read(module);
  if (!programs)
    return programs.takeError();
  return Simulation(*programs, microBatches, readSource, replica).run();
}
