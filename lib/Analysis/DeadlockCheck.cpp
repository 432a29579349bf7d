//===- DeadlockCheck.cpp - proof that a schedule ends ---------------------===//
#include "takt/Analysis/DeadlockCheck.h"

#include "CompletionGraph.h"

using namespace takt;

llvm::Error takt::proveNoDeadlock(const Schedule &schedule) {
  if (llvm::Error error = checkPairing(schedule))
    return error;
  CompletionGraph graph(schedule);
  std::vector<CompletionGraph::Edge> cycle = graph.shortestCycle();
  if (cycle.empty())
    return llvm::Error::success();
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      "schedule: ranks wait for each other for ever: " + graph.describe(cycle) +
          "; reorder the instructions or deepen the channels");
}

llvm::Error takt::proveStream(const Schedule &step) {
  int depth = 0;
  for (const ScheduleChannel &channel : step.channels)
    depth = std::max(depth, channel.depth);
  // Edges lead from a micro-batch to itself or `depth` ahead, so a cycle, which
  // must come back, stays within one; the rest shows that credits return.
  return proveNoDeadlock(repeatSteps(step, int64_t(depth) + 2));
}
