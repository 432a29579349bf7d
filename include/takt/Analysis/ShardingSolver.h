//===- ShardingSolver.h - shardings of a stage at least cost --------------===//
#ifndef TAKT_ANALYSIS_SHARDINGSOLVER_H
#define TAKT_ANALYSIS_SHARDINGSOLVER_H

#include "takt/Analysis/CostModel.h"
#include "takt/Analysis/CostNetwork.h"
#include "takt/Support/ShardingRule.h"

#include <string>

namespace takt {

/// An op of the stage. `costs[i]` is its time on one rank under `strategies[i]`
/// (see strategyCost).
struct ShardingOp {
  std::string name;
  llvm::SmallVector<Strategy> strategies;
  llvm::SmallVector<Cost> costs;
  llvm::SmallVector<int> operands, results; // value ids
};

struct ShardingValue {
  /// Computed values are results of one op; inputs arrive replicated; a weight
  /// may be stored in any split or replicated state.
  enum Kind { Computed, Input, Weight };
  std::string name;
  int64_t bytes = 0; // of the whole tensor
  Kind kind = Computed;
  bool isOutput = false; // must be available replicated
};

struct ShardingProblem {
  int64_t ways = 1; // ranks of the stage
  std::vector<ShardingOp> ops;
  std::vector<ShardingValue> values;

  /// Ids, counts of states, and that each computed value has one producer.
  llvm::Error check() const;
};

/// A change of state that the partition must put in, in this order.
struct Conversion {
  State from, to;
  Cost cost;
};

struct ShardingSolution {
  Cost cost = infiniteCost;
  bool proven = true;
  std::vector<int> strategies; // per op: index into its strategies
  struct Value {
    State produced; // of weights: the first stored state
    /// All states in which it is used; `produced` is not among them if no one
    /// uses it.
    llvm::SmallVector<State> used;
    /// How the used states arise from `produced`, each state once; empty for
    /// weights, which are stored in all used states.
    llvm::SmallVector<Conversion> conversions;
  };
  std::vector<Value> values;
};

/// The time of an op on one rank: flops and bytes divided by `ways` where the
/// strategy cuts them, on the roofline. \p operandBytes, \p resultBytes: whole
/// tensors.
Cost strategyCost(const CostModel &model, const Strategy &strategy,
                  int64_t ways, double flops,
                  llvm::ArrayRef<double> operandBytes,
                  llvm::ArrayRef<double> resultBytes);

/// Partial to replicated: all-reduce; partial to split: reduce-scatter; split
/// to replicated or another split: all-gather (and a local slice); each with
/// one launch and the bytes that it reads and writes locally. Replicated to
/// split: 1 ps, since a slice fuses with its consumer; to partial: infinite.
Cost conversionCost(const CostModel &model, const State &from, const State &to,
                    int64_t bytes, int64_t ways);

/// What storing a weight costs beside the time to read it, which is part of the
/// ops' costs: one more read of a rank's bytes per stored state, so that
/// weights are cut wherever that is nearly free.
Cost weightCost(const CostModel &model, const State &state, int64_t bytes,
                int64_t ways);

/// Chooses a strategy per op and the states of all values so that the sum of
/// op, conversion and weight costs is least. A state that several consumers use
/// is made once. Exact but for what local slices cost (1 ps each). Fails if the
/// problem does not pass check() or has no answer.
llvm::Expected<ShardingSolution>
solveSharding(const ShardingProblem &problem, const CostModel &model,
              const CostNetworkOptions &options = {});

/// The cost of given strategies (one index per op), computed without the
/// solver's tables; infiniteCost if they do not fit together.
Cost evaluateSharding(const ShardingProblem &problem, const CostModel &model,
                      llvm::ArrayRef<int> strategies);

} // namespace takt

#endif // TAKT_ANALYSIS_SHARDINGSOLVER_H
