//===- ZeroBubble.cpp - hill climbing over list schedules -----------------===//
#include "ZeroBubbleList.h"

#include <random>
#include <tuple>

using namespace takt;

static llvm::Error fail(const char *message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "zero-bubble schedule: %s", message);
}

llvm::Error ZeroBubbleProblem::check() const {
  bool isLoop = placement.shape == Placement::Loop && placement.chunks == 1;
  bool isVee = placement.shape == Placement::Vee && placement.chunks == 2;
  if (placement.ranks < 1 || !(isLoop || isVee))
    return fail("expected one chunk per rank, or two there and back");
  if (microBatches < 1)
    return fail("expected at least one micro-batch");
  if (costs.chunks.size() != size_t(placement.ranks) || costs.transfer < 0)
    return fail("expected the costs of each rank and a transfer time >= 0");
  for (const std::vector<ChunkCost> &chunks : costs.chunks) {
    if (chunks.size() != size_t(placement.chunks))
      return fail("expected the costs of each chunk");
    for (const ChunkCost &cost : chunks)
      if (cost.forward < 0 || cost.backwardInput < 0 || cost.backwardWeight < 0)
        return fail("expected costs >= 0");
  }
  if (memoryLimit < memoryOfForward * placement.chunks)
    return fail("the memory limit has no room for one micro-batch");
  return llvm::Error::success();
}

namespace {

/// Less is better; the sum of the ranks' spans guides where the span is level.
struct Score {
  Cost span = infiniteCost, sum = 0;

  bool operator<=(const Score &rhs) const {
    return std::tie(span, sum) <= std::tie(rhs.span, rhs.sum);
  }
};

class HillClimbing {
public:
  HillClimbing(const ZeroBubbleProblem &problem,
               const ZeroBubbleOptions &options)
      : problem(problem), trialsLeft(trialsIn(problem, options)),
        random(options.seed), idealSpan(idealOf(problem)),
        bestParameters(uniform(0, noCap())) {}

  ComputeOrder run();

private:
  static int64_t trialsIn(const ZeroBubbleProblem &problem,
                          const ZeroBubbleOptions &options);
  static Cost idealOf(const ZeroBubbleProblem &problem);
  /// So many forwards in flight as the memory allows anyway.
  int64_t noCap() const { return problem.memoryLimit / memoryOfForward; }
  bool isDone() const { return trialsLeft <= 0 || best.span == idealSpan; }
  ListParameters uniform(int64_t tenths, int64_t inFlight) const;
  Cost toleranceOf(int rank, int64_t tenths) const;
  Score evaluate(const ListParameters &parameters);
  void change(ListParameters &parameters);
  void climb(ListParameters parameters, int64_t patience);

  const ZeroBubbleProblem &problem;
  int64_t trialsLeft;
  std::mt19937 random;
  Cost idealSpan;
  ListParameters bestParameters;
  Score best;
};

} // namespace

int64_t HillClimbing::trialsIn(const ZeroBubbleProblem &problem,
                               const ZeroBubbleOptions &options) {
  return options.placements /
         (3 * problem.placement.stages() * problem.microBatches);
}

/// No rank can be faster than its own work.
Cost HillClimbing::idealOf(const ZeroBubbleProblem &problem) {
  Cost ideal = 0;
  for (const std::vector<ChunkCost> &chunks : problem.costs.chunks) {
    Cost sum = 0;
    for (const ChunkCost &cost : chunks)
      sum += cost.sum() * problem.microBatches;
    ideal = std::max(ideal, sum);
  }
  return ideal;
}

/// A multiple of a tenth of the weight gradient's time.
Cost HillClimbing::toleranceOf(int rank, int64_t tenths) const {
  return problem.costs.chunks[rank].front().backwardWeight * tenths / 10;
}

ListParameters HillClimbing::uniform(int64_t tenths, int64_t inFlight) const {
  ListParameters parameters;
  for (int rank = 0; rank < problem.placement.ranks; ++rank) {
    parameters.tolerance.push_back(toleranceOf(rank, tenths));
    parameters.inFlight.push_back(inFlight);
  }
  return parameters;
}

Score HillClimbing::evaluate(const ListParameters &parameters) {
  --trialsLeft;
  ListScheduler scheduler(problem, parameters);
  scheduler.run();
  Score score{scheduler.span(), scheduler.sumOfSpans()};
  if (score <= best) {
    best = score;
    bestParameters = parameters;
  }
  return score;
}

void HillClimbing::change(ListParameters &parameters) {
  for (int count = 1 + random() % 3; count > 0; --count) {
    int rank = random() % problem.placement.ranks;
    if (random() % 2)
      parameters.tolerance[rank] = toleranceOf(rank, random() % 11);
    else
      parameters.inFlight[rank] =
          problem.placement.chunks + random() % (noCap() + 1);
  }
}

/// Until \p patience trials in a row were no better.
void HillClimbing::climb(ListParameters parameters, int64_t patience) {
  Score score = evaluate(parameters);
  for (int64_t vain = 0; vain < patience && !isDone(); ++vain) {
    ListParameters changed = parameters;
    change(changed);
    Score found = evaluate(changed);
    if (!(found <= score))
      continue;
    if (!(score <= found))
      vain = 0; // strictly better
    score = found;
    parameters = std::move(changed);
  }
}

ComputeOrder HillClimbing::run() {
  evaluate(bestParameters);
  constexpr int64_t patience = 400;
  for (bool again = false; !isDone(); again = !again)
    climb(again ? bestParameters : uniform(random() % 11, noCap()), patience);
  ListScheduler scheduler(problem, bestParameters);
  scheduler.run();
  return scheduler.takeOrder();
}

llvm::Expected<ComputeOrder>
takt::zeroBubbleOrder(const ZeroBubbleProblem &problem,
                      const ZeroBubbleOptions &options) {
  if (llvm::Error error = problem.check())
    return error;
  return HillClimbing(problem, options).run();
}

/// Room for \p memory micro-batches on each rank.
static ZeroBubbleProblem makeProblem(Placement placement, int64_t microBatches,
                                     ChunkCost cost, Cost transfer,
                                     int64_t memory) {
  return {placement, microBatches,
          PipelineCosts::uniform(placement, cost, transfer),
          memory * memoryOfForward * placement.chunks};
}

ZeroBubbleProblem takt::zeroBubbleH1(int ranks, int64_t microBatches,
                                     ChunkCost cost, Cost transfer) {
  return makeProblem({ranks}, microBatches, cost, transfer, ranks);
}

ZeroBubbleProblem takt::zeroBubbleH2(int ranks, int64_t microBatches,
                                     ChunkCost cost, Cost transfer) {
  return makeProblem({ranks}, microBatches, cost, transfer, 2 * ranks);
}

ZeroBubbleProblem takt::zeroBubbleV(int ranks, int64_t microBatches,
                                    ChunkCost cost, Cost transfer) {
  return makeProblem({ranks, 2, Placement::Vee}, microBatches, cost, transfer,
                     ranks);
}
