#include "ScheduleCases.h"

using namespace takt;
using namespace takt::test;

namespace {

/// The figures of one schedule.
class Formulas {
public:
  Formulas(std::string name, const CheckedSchedule &checked,
           std::vector<Figure> &figures)
      : name(std::move(name)), checked(checked), figures(figures) {}

  void add(const char *quantity, double measured, double known,
           bool mayBeLess = false) {
    figures.push_back({name, quantity, measured, known, mayBeLess,
                       checked.seconds, checked.fault});
  }
  /// Of every rank.
  void addBubbles(double known) {
    for (size_t rank = 0; rank < checked.report.ranks.size(); ++rank)
      add("bubble", double(checked.report.bubble(rank)), known);
  }
  /// In micro-batches, of the rank.
  void addHeld(int rank, double known, int chunks = 1) {
    if (checked.fault.empty())
      add("micro-batches held",
          double(checked.report.ranks[rank].peakMemory) /
              double(memoryOfForward * chunks),
          known);
  }

private:
  std::string name;
  const CheckedSchedule &checked;
  std::vector<Figure> &figures;
};

} // namespace

static std::string label(const char *name, int p, int64_t m) {
  return std::string(name) + ", p " + std::to_string(p) + ", m " +
         std::to_string(m);
}

static void addInference(int p, int m, std::vector<Figure> &figures) {
  const Cost forward = 7, transfer = 2;
  PipelineCosts costs = PipelineCosts::uniform({p}, {forward, 0, 0});
  auto stream = [&] { return streamOrder(p, m); };
  CheckedSchedule checked = checkedSchedule(stream, costs);
  Formulas formulas(label("stream", p, m), checked, figures);
  formulas.add("wall", double(checked.report.wall), (m + p - 1) * forward);
  formulas.addBubbles((p - 1) * forward);
  formulas.addHeld(0, 1);
  formulas.add("latency", double(checked.report.latency), p * forward);
  if (m > 1)
    formulas.add("takt", checked.report.takt, forward);
  costs.transfer = transfer;
  CheckedSchedule slower = checkedSchedule(stream, costs);
  Formulas(label("stream with transfers", p, m), slower, figures)
      .add("latency", double(slower.report.latency),
           p * forward + (p - 1) * transfer);
}

static void addNaive(int p, std::vector<Figure> &figures) {
  CheckedSchedule naive =
      checkedSchedule([&] { return streamOrder(p, 1); },
                      PipelineCosts::uniform({p}, {5, 0, 0}));
  Formulas(label("naive", p, 1), naive, figures)
      .add("bubble rate",
           double(naive.report.bubble(0)) / double(naive.report.wall),
           double(p - 1) / p);
}

static void addTraining(int p, int m, std::vector<Figure> &figures) {
  const ChunkCost cost{3, 4, 2};
  PipelineCosts costs = PipelineCosts::uniform({p}, cost);
  CheckedSchedule gpipe =
      checkedSchedule([&] { return gpipeOrder(p, m); }, costs);
  Formulas gpipeFormulas(label("GPipe", p, m), gpipe, figures);
  gpipeFormulas.addBubbles((p - 1) * double(cost.sum()));
  gpipeFormulas.addHeld(0, m);
  gpipeFormulas.addHeld(p - 1, m);
  CheckedSchedule oneFOneB =
      checkedSchedule([&] { return oneFOneBOrder(p, m); }, costs);
  Formulas formulas(label("1F1B", p, m), oneFOneB, figures);
  formulas.addBubbles((p - 1) * double(cost.sum()));
  formulas.addHeld(0, std::min(p, m));
  formulas.addHeld(p - 1, 1);
}

/// The costs are of one of \p v chunks, so (F + B + W) / v of the stage.
static void addInterleaved(int p, int v, int m, std::vector<Figure> &figures) {
  const ChunkCost chunk{3, 4, 2};
  CheckedSchedule checked =
      checkedSchedule([&] { return interleavedOrder(p, v, m); },
                      PipelineCosts::uniform({p, v}, chunk));
  std::string name =
      label(("interleaved, v " + std::to_string(v)).c_str(), p, m);
  Formulas formulas(name, checked, figures);
  formulas.addBubbles((p - 1) * double(chunk.sum()));
  if (v > 1 && m >= 2 * p)
    formulas.addHeld(0, (p * (v + 1) - 1) / double(v), v);
}

/// The formulas hold where the micro-batches suffice; less is better.
static void addZeroBubble(int p, int m, ChunkCost cost,
                          std::vector<Figure> &figures) {
  auto add = [&](const char *name, const ZeroBubbleProblem &problem,
                 Cost bubble) {
    CheckedSchedule checked = checkedSchedule(problem, {0});
    Formulas(label(name, p, m), checked, figures)
        .add("span's bubble", double(checked.report.span - m * cost.sum()),
             double((p - 1) * std::max<Cost>(bubble, 0)), true);
  };
  Cost filled = cost.forward + cost.backwardInput;
  add("ZB-H1", zeroBubbleH1(p, m, cost, 0), filled - cost.backwardWeight);
  add("ZB-H2", zeroBubbleH2(p, m, cost, 0), filled - 2 * cost.backwardWeight);
}

std::vector<Figure> takt::test::formulaFigures() {
  std::vector<Figure> figures;
  for (int p : {1, 2, 4, 8}) {
    addNaive(p, figures);
    for (int m : {p, 2 * p + 1, 4 * p}) {
      addInference(p, m, figures);
      addTraining(p, m, figures);
    }
    for (int m : {p, 2 * p, 4 * p})
      for (int v : {1, 2, 4})
        addInterleaved(p, v, m, figures);
    for (int m : {2 * p, 4 * p})
      addZeroBubble(p, m, {1, 1, 1}, figures);
  }
  return figures;
}
