//===- ScheduleMutants.h - random schedules, some with a planted fault ----===//
#ifndef TAKT_TEST_UNIT_ANALYSIS_SCHEDULEMUTANTS_H
#define TAKT_TEST_UNIT_ANALYSIS_SCHEDULEMUTANTS_H

#include "takt/Analysis/PipelineCosts.h"
#include "takt/Analysis/Schedule.h"

#include <random>
#include <string>

namespace takt::test {

struct RandomSchedule {
  Schedule schedule;
  PipelineCosts costs;
};

/// A pipeline schedule of any kind with random sizes and costs, spread over
/// tensor and data parallel ranks (groups and collectives), with some channels
/// deeper than needed, some rendezvous, some transfers grouped. A rendezvous
/// may make it stuck.
RandomSchedule randomSchedule(std::mt19937 &random);

/// Swaps, deletes, retags or slides an instruction, or shrinks a channel.
void mutate(Schedule &schedule, std::mt19937 &random);

/// How the prover's verdicts compare with those of simulated runs.
struct MutantCounts {
  int faulty = 0, correct = 0; // by the simulator
  int missed = 0, accused = 0; // wrong verdicts of the prover
  int stuck = 0;               // of the faulty: deadlocks
  int chains = 0;              // proofs that fail with a cycle of waits
  int groups = 0, collectives = 0, rendezvous = 0; // schedules with them
  double slowestProof = 0;                         // seconds
  std::string firstWrong;                          // the first wrong verdict

  bool isRight() const { return missed == 0 && accused == 0; }
};

/// Judges random lists until there are \p count faulty and as many correct.
MutantCounts judgeMutants(int count, unsigned seed);

} // namespace takt::test

#endif // TAKT_TEST_UNIT_ANALYSIS_SCHEDULEMUTANTS_H
