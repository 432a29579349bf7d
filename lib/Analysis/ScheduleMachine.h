//===- ScheduleMachine.h - the state of a simulated run -------------------===//
#ifndef TAKT_LIB_ANALYSIS_SCHEDULEMACHINE_H
#define TAKT_LIB_ANALYSIS_SCHEDULEMACHINE_H

#include "takt/Analysis/ScheduleSimulator.h"

#include <deque>
#include <map>
#include <queue>

namespace takt {

/// Discrete events: the end of an instruction, the arrival of a message. A rank
/// works on a batch of instructions that start together (mostly one) and goes
/// on when all are done.
class ScheduleMachine {
public:
  ScheduleMachine(const Schedule &schedule, const PipelineCosts &costs,
                  const SimulationOptions &options);

  /// What went wrong, or nothing.
  std::string run();
  Timeline takeTimeline() { return std::move(timeline); }

private:
  struct Position {
    int rank;
    size_t index;
  };
  struct Event {
    Cost time;
    int64_t number; // events at one time happen in the order of their making
    int channel;    // of a message that arrives; -1: an instruction ends
    int64_t microBatch;
    Position position;

    bool operator>(const Event &rhs) const {
      return std::tie(time, number) > std::tie(rhs.time, rhs.number);
    }
  };
  struct RankState {
    size_t begin = 0, end = 0; // the batch
    std::vector<bool> isStarted, isDone;
  };
  struct Fifo {
    int64_t sent = 0, freed = 0;
    std::deque<int64_t> arrived;            // micro-batches, not yet received
    std::deque<int64_t> held;               // received, not yet freed
    std::vector<Position> sender, receiver; // waiting at a rendezvous
  };

  const Instruction &at(Position position) const {
    return schedule.ranks[position.rank][position.index];
  }
  std::string text(Position position) const;
  void blame(Position position, const std::string &what);

  // ScheduleMachine.cpp: time and ranks.
  std::string checkDefinitions() const;
  void advance(int rank);
  bool openBatch(int rank);
  void start(Position position);
  void finish(Position position);
  void endAt(Position position, Cost end);
  std::string verdict() const;

  // ScheduleMachineSteps.cpp: what the instructions do.
  void tryStart(Position position);
  bool isChannelLegal(Position position);
  void trySend(Position position, Fifo &fifo);
  void tryReceive(Position position, Fifo &fifo);
  void tryFree(Position position, Fifo &fifo);
  void tryRendezvous(int channel, Fifo &fifo);
  void tryCompute(Position position);
  void tryCollective(Position position);
  void meet(Position position, std::vector<Position> &present, size_t expected,
            Cost duration);
  Cost durationOf(Position position) const;
  Cost transferEnd(int channel);

  const Schedule &schedule;
  const PipelineCosts &costs;
  const SimulationOptions &options;
  Timeline timeline;
  Cost now = 0;
  int64_t eventCount = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<Event>> events;
  std::deque<int> awake; // ranks that may go on
  std::vector<RankState> ranks;
  std::vector<Fifo> fifos;
  std::map<std::pair<int, int>, Cost> linkFree; // by link, or pair of ranks
  std::vector<int> groupOf;                     // by rank; -1: none
  std::vector<std::vector<Position>> groupPresent, collectivePresent;
  std::string fault;
};

} // namespace takt

#endif // TAKT_LIB_ANALYSIS_SCHEDULEMACHINE_H
