//===- ScheduleMachineSteps.cpp - the semantics of instructions -----------===//
#include "ScheduleMachine.h"

#include "llvm/ADT/STLExtras.h"

using namespace takt;

void ScheduleMachine::tryStart(Position position) {
  const Instruction &instruction = at(position);
  if (instruction.usesChannel() && !isChannelLegal(position))
    return;
  switch (instruction.kind) {
  case Instruction::Send:
    return trySend(position, fifos[instruction.channel]);
  case Instruction::Receive:
    return tryReceive(position, fifos[instruction.channel]);
  case Instruction::Free:
    return tryFree(position, fifos[instruction.channel]);
  case Instruction::Collective:
    return tryCollective(position);
  case Instruction::Forward:
  case Instruction::Backward:
  case Instruction::BackwardInput:
  case Instruction::BackwardWeight:
    return tryCompute(position);
  }
}

bool ScheduleMachine::isChannelLegal(Position position) {
  const Instruction &instruction = at(position);
  int id = instruction.channel;
  if (id < 0 || id >= int(fifos.size())) {
    blame(position, "there is no such channel");
    return false;
  }
  const ScheduleChannel &channel = schedule.channels[id];
  bool isSend = instruction.kind == Instruction::Send;
  if ((isSend ? channel.source : channel.target) != position.rank) {
    blame(position, "the rank is not at this end of the channel");
    return false;
  }
  return true;
}

/// When a message that is ready now has passed the channel's link.
Cost ScheduleMachine::transferEnd(int id) {
  const ScheduleChannel &channel = schedule.channels[id];
  std::pair<int, int> link = options.links.empty()
                                 ? std::pair(channel.source, channel.target)
                                 : std::pair(options.links[id], -1);
  Cost &free = linkFree[link];
  free = std::max(free, now) + costs.transfer;
  return free;
}

void ScheduleMachine::trySend(Position position, Fifo &fifo) {
  const Instruction &instruction = at(position);
  int id = instruction.channel;
  int depth = schedule.channels[id].depth;
  if (depth == 0) {
    if (fifo.sender.empty())
      fifo.sender.push_back(position);
    return tryRendezvous(id, fifo);
  }
  if (fifo.sent - fifo.freed >= depth)
    return;
  ++fifo.sent;
  start(position);
  Cost end = transferEnd(id);
  timeline.ranks[position.rank][position.index].end = end;
  events.push({end, eventCount++, id, instruction.microBatch, position});
  finish(position);
}

void ScheduleMachine::tryReceive(Position position, Fifo &fifo) {
  const Instruction &instruction = at(position);
  if (schedule.channels[instruction.channel].depth == 0) {
    if (fifo.receiver.empty())
      fifo.receiver.push_back(position);
    return tryRendezvous(instruction.channel, fifo);
  }
  if (fifo.arrived.empty())
    return;
  int64_t microBatch = fifo.arrived.front();
  if (microBatch != instruction.microBatch)
    return blame(position,
                 "the message is of micro-batch " + std::to_string(microBatch));
  fifo.arrived.pop_front();
  fifo.held.push_back(microBatch);
  start(position);
  finish(position);
}

void ScheduleMachine::tryFree(Position position, Fifo &fifo) {
  const Instruction &instruction = at(position);
  if (fifo.held.empty() || fifo.held.front() != instruction.microBatch)
    return blame(position, "this is not the oldest message that is held");
  fifo.held.pop_front();
  ++fifo.freed;
  start(position);
  finish(position);
  awake.push_back(schedule.channels[instruction.channel].source);
}

void ScheduleMachine::tryRendezvous(int id, Fifo &fifo) {
  if (fifo.sender.empty() || fifo.receiver.empty())
    return;
  Position sender = fifo.sender.front(), receiver = fifo.receiver.front();
  if (at(sender).microBatch != at(receiver).microBatch)
    return blame(receiver, "meets " + text(sender));
  fifo.sender.clear();
  fifo.receiver.clear();
  Cost end = transferEnd(id);
  for (Position position : {sender, receiver}) {
    start(position);
    endAt(position, end);
    // Another one of the same batch may be next on the channel.
    awake.push_back(position.rank);
  }
}

Cost ScheduleMachine::durationOf(Position position) const {
  const Instruction &instruction = at(position);
  // Others than these need not name a chunk that exists.
  auto cost = [&]() -> const ChunkCost & {
    return costs.chunks[position.rank][instruction.chunk];
  };
  switch (instruction.kind) {
  case Instruction::Forward:
    return cost().forward;
  case Instruction::BackwardInput:
    return cost().backwardInput;
  case Instruction::BackwardWeight:
    return cost().backwardWeight;
  case Instruction::Backward:
    return addCosts(cost().backwardInput, cost().backwardWeight);
  case Instruction::Collective:
    return costs.collective;
  case Instruction::Receive:
  case Instruction::Free:
  case Instruction::Send:
    return 0;
  }
  llvm_unreachable("all kinds are covered");
}

void ScheduleMachine::tryCompute(Position position) {
  const Instruction &instruction = at(position);
  if (instruction.chunk < 0 ||
      instruction.chunk >= int(costs.chunks[position.rank].size()))
    return blame(position, "the rank has no such chunk");
  int group = groupOf[position.rank];
  if (group >= 0)
    return meet(position, groupPresent[group], schedule.groups[group].size(),
                durationOf(position));
  start(position);
  endAt(position, now + durationOf(position));
}

void ScheduleMachine::tryCollective(Position position) {
  int set = at(position).channel;
  if (set < 0 || set >= int(schedule.collectives.size()) ||
      !llvm::is_contained(schedule.collectives[set], position.rank))
    return blame(position, "the rank is in no such set");
  meet(position, collectivePresent[set], schedule.collectives[set].size(),
       durationOf(position));
}

/// Adds the rank to those present; the last one starts all, and the slowest
/// decides when they end.
void ScheduleMachine::meet(Position position, std::vector<Position> &present,
                           size_t expected, Cost duration) {
  for (Position other : present)
    if (other.rank == position.rank)
      return;
  present.push_back(position);
  const Instruction &first = at(present.front());
  const Instruction &instruction = at(position);
  if (!(instruction == first))
    return blame(position, "meets " + text(present.front()));
  if (present.size() < expected)
    return;
  for (Position other : present)
    duration = std::max(duration, durationOf(other));
  for (Position other : present) {
    start(other);
    endAt(other, now + duration);
  }
  present.clear();
}
