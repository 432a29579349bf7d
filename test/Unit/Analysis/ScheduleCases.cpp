#include "ScheduleCases.h"

#include "takt/Analysis/DeadlockCheck.h"
#include "takt/Analysis/TrainingCheck.h"

#include <ctime>

using namespace takt;
using namespace takt::test;

static bool hasBackward(const ComputeOrder &order) {
  return order.ranks.front().back().kind != Instruction::Forward;
}

static int64_t countMicroBatches(const ComputeOrder &order) {
  int64_t count = 0;
  for (const Instruction &instruction : order.ranks.front())
    count = std::max(count, instruction.microBatch + 1);
  return count;
}

static llvm::Error judge(const ComputeOrder &order, const PipelineCosts &costs,
                         int64_t memoryLimit, CheckedSchedule &result) {
  if (llvm::Error error = proveNoDeadlock(result.schedule))
    return error;
  TrainingStep step{order.placement, countMicroBatches(order),
                    hasBackward(order), memoryLimit};
  if (llvm::Error error = checkTraining(result.schedule, step))
    return error;
  llvm::Expected<Timeline> timeline = simulate(result.schedule, costs);
  if (!timeline)
    return timeline.takeError();
  result.timeline = std::move(*timeline);
  result.report = analyzeTimeline(result.schedule, result.timeline);
  for (const ScheduleReport::Rank &rank : result.report.ranks)
    if (memoryLimit > 0 && rank.peakMemory > memoryLimit)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "the simulator finds more memory in use");
  return llvm::Error::success();
}

CheckedSchedule takt::test::checkedSchedule(const OrderGenerator &generate,
                                            const PipelineCosts &costs,
                                            int64_t memoryLimit) {
  CheckedSchedule result;
  std::clock_t begin = std::clock();
  llvm::Expected<ComputeOrder> order = generate();
  if (!order) {
    result.fault = llvm::toString(order.takeError());
    return result;
  }
  llvm::Expected<Schedule> schedule = makeSchedule(*order, costs);
  result.seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
  if (!schedule) {
    result.fault = llvm::toString(schedule.takeError());
    return result;
  }
  result.schedule = std::move(*schedule);
  if (llvm::Error error = judge(*order, costs, memoryLimit, result))
    result.fault = llvm::toString(std::move(error));
  return result;
}

CheckedSchedule takt::test::checkedSchedule(const ZeroBubbleProblem &problem,
                                            const ZeroBubbleOptions &options) {
  return checkedSchedule([&] { return zeroBubbleOrder(problem, options); },
                         problem.costs, problem.memoryLimit);
}

static std::string label(const char *name, int ranks, int64_t microBatches) {
  return std::string(name) + ", p " + std::to_string(ranks) + ", m " +
         std::to_string(microBatches);
}

static Figure spanFigure(std::string name, const CheckedSchedule &checked,
                         double known, bool mayBeLess) {
  return {std::move(name), "span",    double(checked.report.span),
          known,           mayBeLess, checked.seconds,
          checked.fault};
}

std::vector<Figure> takt::test::goldenFigures() {
  struct Row {
    int ranks;
    int64_t microBatches;
    ChunkCost cost;
    Cost transfer;
    double oneFOneB, limited, doubled; // memory p, memory 2p
  };
  const Row rows[] = {
      {4, 4, {1, 1, 1}, 0, 21, 15, 15},
      {4, 8, {1, 1, 1}, 0, 33, 27, 24},
      {8, 8, {1, 1, 1}, 0, 45, 31, 31},
      {8, 24, {1, 1, 1}, 0, 93, 79, 72},
      {8, 32, {1, 1, 1}, 0, 117, 103, 96},
      {8, 24, {10, 10, 10}, 1, 0, 818, 726},
  };
  std::vector<Figure> figures;
  for (const Row &row : rows) {
    auto [p, m, cost, transfer, oneFOneB, limited, doubled] = row;
    if (oneFOneB > 0)
      figures.push_back(spanFigure(
          label("1F1B", p, m),
          checkedSchedule([&, p = p, m = m] { return oneFOneBOrder(p, m); },
                          PipelineCosts::uniform({p}, cost)),
          oneFOneB, false));
    std::string name = "zero bubble, cost " + std::to_string(cost.forward) +
                       ", transfer " + std::to_string(transfer) + ", memory ";
    figures.push_back(spanFigure(
        label((name + "p").c_str(), p, m),
        checkedSchedule(zeroBubbleH1(p, m, cost, transfer)), limited, true));
    figures.push_back(spanFigure(
        label((name + "2p").c_str(), p, m),
        checkedSchedule(zeroBubbleH2(p, m, cost, transfer)), doubled, true));
  }
  return figures;
}

std::vector<Figure> takt::test::veeFigures() {
  std::vector<Figure> figures;
  for (int p = 1; p <= 16; ++p)
    for (int m : {2 * p, 2 * p + 1, 3 * p - 1, 3 * p, 4 * p, 6 * p})
      figures.push_back(spanFigure(
          label("ZB-V", p, m), checkedSchedule(zeroBubbleV(p, m, {1, 1, 1}, 0)),
          6 * m, false));
  return figures;
}
