//===- StageCut.h - cutting an op graph into pipeline stages --------------===//
#ifndef TAKT_ANALYSIS_STAGECUT_H
#define TAKT_ANALYSIS_STAGECUT_H

#include "takt/Analysis/Cost.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace takt {

/// Units (dispatches) and the tensors between them are to be put on stages
/// 0, 1, ..., so that no tensor flows backwards and the largest load is least.
///
/// The load of a stage is the time of its units plus the transfers it takes
/// part in, which are not overlapped: each tensor that leaves it once, however
/// many stages consume it, and each that enters it once; stages that a tensor
/// passes by pay nothing (Tarnawski et al., "Efficient Algorithms for Device
/// Placement of DNN Graph Operators", NeurIPS 2020).
struct StageCutProblem {
  struct Unit {
    /// By option (kind of stage, such as its tensor degree); all of one length.
    llvm::SmallVector<Cost, 2> times;
    /// Bytes that a rank of the stage holds for it, by option; empty for 0.
    llvm::SmallVector<int64_t, 2> memory;
  };
  struct Tensor {
    int source; // unit
    llvm::SmallVector<int, 4> consumers;
    Cost transfer;
    /// False for a gradient, which flows against the order of stages: it costs
    /// its transfer and orders nothing.
    bool isOrdered = true;
  };
  std::vector<Unit> units;
  std::vector<Tensor> tensors;
  /// Sets of units that must share a stage.
  std::vector<llvm::SmallVector<int, 2>> together;
  /// Pairs of units, the first on no later stage than the second.
  std::vector<std::pair<int, int>> precedes;
  /// The option of each stage that may be used; some may stay without units.
  std::vector<int> stageOptions;
  /// The stages may follow each other in any order, not only the given one.
  bool isAnyOrder = false;
  /// Options whose stages pay no transfers and have no memory limit.
  std::vector<int> hostOptions;
  /// Per stage, in bytes; 0 means none.
  int64_t memoryLimit = 0;

  bool isHost(int option) const {
    return llvm::is_contained(hostOptions, option);
  }
  /// Ids, counts and signs.
  llvm::Error check() const;
};

struct StageCutOptions {
  /// Bounds of the exact search: sets of units that may lie before a cut, and
  /// stages looked at. Beyond them the best cut of linear orders is returned.
  int64_t idealLimit = 200000;
  int64_t pairLimit = 5000000;
  unsigned seed = 1; // of the random orders
};

struct StageCut {
  /// Stage of each unit; never decreases along a tensor. Stages without units
  /// come last if all stages have the same option.
  std::vector<int> stageOf;
  /// Of each stage: the problem's, but for their order where that is free.
  std::vector<int> options;
  std::vector<Cost> loads;  // by stage; 0 for one without units
  Cost takt = infiniteCost; // the largest load
  Cost lowerBound = 0;
  /// `takt` is the least possible; of cuts with that one, this has the fewest
  /// stages.
  bool proven = false;
};

/// Exact by dynamic programming over downsets of the unit graph, in the window
/// that the best known cut leaves. Fails if the problem
/// does not pass check(), or no cut meets the memory limit.
llvm::Expected<StageCut> cutStages(const StageCutProblem &problem,
                                   const StageCutOptions &options = {});

/// The loads of a given cut, from the definition. \p options: of the stages, if
/// not those of the problem. Fails if the cut is not valid: a tensor flows
/// backwards, a set is torn apart, memory exceeds the limit.
llvm::Expected<std::vector<Cost>>
evaluateStageCut(const StageCutProblem &problem, llvm::ArrayRef<int> stageOf,
                 llvm::ArrayRef<int> options = {});

} // namespace takt

#endif // TAKT_ANALYSIS_STAGECUT_H
