//===- PlacementFile.h - device-placement inputs --------------------------===//
// The format of the artifact of Tarnawski et al., "Efficient Algorithms for
// Device Placement of DNN Graph Operators", NeurIPS 2020.
#ifndef TAKT_TEST_BENCH_PLANNER_PLACEMENTFILE_H
#define TAKT_TEST_BENCH_PLANNER_PLACEMENTFILE_H

#include "takt/Analysis/StageCut.h"

namespace takt {

struct PlacementFile {
  struct Node {
    bool isSupported = true; // on an accelerator
    bool isBackward = false;
    double hostTime = 0, acceleratorTime = 0, bytes = 0;
    int color = 0; // nodes of one colour share a device; 0, 1, ...
  };
  /// `cost` is the time to move the source's output, equal on all its edges.
  struct Edge {
    int source, target; // indices of nodes
    double cost;
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  int colors = 0;
  int accelerators = 0, hosts = 0;
  double memoryLimit = 0; // bytes of an accelerator

  static llvm::Expected<PlacementFile> read(llvm::StringRef path);

  /// A unit for each colour; option 0 is an accelerator, option 1 the host.
  /// Only edges between forward nodes order stages; a colour of backward nodes
  /// alone is ordered by their edges, reversed. A cost of 1 is 1e-9 of the
  /// file's unit of time.
  StageCutProblem makeProblem() const;
};

/// How many costs a unit of the file's time is.
constexpr double costsPerUnit = 1e9;

struct Placement {
  enum Device { Host = -1 };
  /// Of each colour: an accelerator, 0, 1, ..., or the host.
  std::vector<int> deviceOf;
};

/// The largest load of an accelerator or host, from the definition on the
/// file's own nodes and edges. Fails if the placement is not allowed.
llvm::Expected<double> evaluatePlacement(const PlacementFile &file,
                                         const Placement &placement);

} // namespace takt

#endif // TAKT_TEST_BENCH_PLANNER_PLACEMENTFILE_H
