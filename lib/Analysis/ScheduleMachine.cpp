//===- ScheduleMachine.cpp - simulated time and the progress of ranks -----===//
#include "ScheduleMachine.h"

#include "llvm/ADT/STLExtras.h"

using namespace takt;

ScheduleMachine::ScheduleMachine(const Schedule &schedule,
                                 const PipelineCosts &costs,
                                 const SimulationOptions &options)
    : schedule(schedule), costs(costs), options(options),
      ranks(schedule.ranks.size()), fifos(schedule.channels.size()),
      groupOf(schedule.ranks.size(), -1), groupPresent(schedule.groups.size()),
      collectivePresent(schedule.collectives.size()) {
  for (auto [rank, list] : llvm::enumerate(schedule.ranks)) {
    timeline.ranks.emplace_back(list.size());
    ranks[rank].isStarted.resize(list.size());
    ranks[rank].isDone.resize(list.size());
  }
}

std::string ScheduleMachine::text(Position position) const {
  return "rank " + std::to_string(position.rank) + " #" +
         std::to_string(position.index) + " " + at(position).str();
}

/// The first fault is kept.
void ScheduleMachine::blame(Position position, const std::string &what) {
  if (fault.empty())
    fault = "mismatch at " + text(position) + ": " + what;
}

std::string ScheduleMachine::checkDefinitions() const {
  int count = ranks.size();
  auto isRank = [&](int rank) { return rank >= 0 && rank < count; };
  for (const ScheduleChannel &channel : schedule.channels)
    if (!isRank(channel.source) || !isRank(channel.target) ||
        channel.source == channel.target || channel.depth < 0)
      return "mismatch: a channel joins no two ranks or has a negative depth";
  std::vector<int> uses(count, 0);
  for (const auto *sets : {&schedule.groups, &schedule.collectives})
    for (const auto &set : *sets)
      for (int rank : set)
        if (!isRank(rank) || (sets == &schedule.groups && uses[rank]++ > 0))
          return "mismatch: a rank does not exist or is in two groups";
  if (costs.chunks.size() != size_t(count))
    return "mismatch: there are costs for another number of ranks";
  if (!options.links.empty() &&
      options.links.size() != schedule.channels.size())
    return "mismatch: there are links for another number of channels";
  return "";
}

std::string ScheduleMachine::run() {
  if (std::string error = checkDefinitions(); !error.empty())
    return error;
  for (auto [id, group] : llvm::enumerate(schedule.groups))
    for (int rank : group)
      groupOf[rank] = id;
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    awake.push_back(rank);
  for (;;) {
    while (!awake.empty() && fault.empty()) {
      int rank = awake.front();
      awake.pop_front();
      advance(rank);
    }
    if (!fault.empty() || events.empty())
      break;
    Event event = events.top();
    events.pop();
    now = event.time;
    if (event.channel < 0) {
      finish(event.position);
      continue;
    }
    fifos[event.channel].arrived.push_back(event.microBatch);
    awake.push_back(schedule.channels[event.channel].target);
  }
  return fault.empty() ? verdict() : fault;
}

/// Starts what can start, batch after batch.
void ScheduleMachine::advance(int rank) {
  RankState &state = ranks[rank];
  for (;;) {
    bool isComplete = true;
    for (size_t index = state.begin; index < state.end; ++index) {
      if (!state.isStarted[index])
        tryStart({rank, index});
      if (!fault.empty())
        return;
      isComplete &= state.isDone[index];
    }
    if (!isComplete || !openBatch(rank))
      return;
  }
}

/// The next instruction and those that join it; false at the end of the list.
bool ScheduleMachine::openBatch(int rank) {
  const std::vector<Instruction> &list = schedule.ranks[rank];
  RankState &state = ranks[rank];
  state.begin = state.end;
  if (state.begin == list.size())
    return false;
  auto mayJoin = [](const Instruction &instruction) {
    return instruction.kind == Instruction::Send ||
           instruction.kind == Instruction::Receive;
  };
  if (list[state.begin].joinsPrevious)
    blame({rank, state.begin}, "there is nothing to join");
  for (++state.end; state.end < list.size() && list[state.end].joinsPrevious;
       ++state.end)
    if (!mayJoin(list[state.end]) || !mayJoin(list[state.begin]))
      blame({rank, state.end}, "only sends and receives can be grouped");
  return true;
}

void ScheduleMachine::start(Position position) {
  ranks[position.rank].isStarted[position.index] = true;
  timeline.ranks[position.rank][position.index].start = now;
}

/// Done for the rank, though a send's transfer may still go on.
void ScheduleMachine::finish(Position position) {
  ranks[position.rank].isDone[position.index] = true;
  Timeline::Step &step = timeline.ranks[position.rank][position.index];
  step.end = std::max(step.end, now);
  awake.push_back(position.rank);
}

void ScheduleMachine::endAt(Position position, Cost end) {
  events.push({end, eventCount++, -1, 0, position});
}

/// All lists must be at their ends and all channels empty.
std::string ScheduleMachine::verdict() const {
  std::string waits;
  for (auto [rank, state] : llvm::enumerate(ranks))
    for (size_t index = state.begin; index < state.end; ++index)
      if (!state.isDone[index])
        waits += "; " + text({int(rank), index}) + " waits";
  if (!waits.empty())
    return "stuck at time " + std::to_string(now) + waits;
  for (auto [id, fifo] : llvm::enumerate(fifos))
    if (!fifo.arrived.empty() || !fifo.held.empty())
      return "mismatch: channel " + std::to_string(id) +
             " is left with messages that nobody receives or frees";
  return "";
}

llvm::Expected<Timeline> takt::simulate(const Schedule &schedule,
                                        const PipelineCosts &costs,
                                        const SimulationOptions &options) {
  ScheduleMachine machine(schedule, costs, options);
  std::string fault = machine.run();
  if (fault.empty())
    return machine.takeTimeline();
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "simulation: " + fault);
}
