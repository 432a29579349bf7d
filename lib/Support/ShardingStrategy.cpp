//===- ShardingStrategy.cpp - strategies that a rule allows ---------------===//
#include "takt/Support/ShardingRule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace takt;

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

std::string State::str() const {
  switch (kind) {
  case Replicated:
    return "replicated";
  case Split:
    return "split " + std::to_string(dim);
  case Partial:
    return "partial";
  }
  return "";
}

llvm::Expected<State> State::parse(llvm::StringRef text) {
  llvm::StringRef rest = text.trim();
  if (rest == "replicated")
    return replicated();
  if (rest == "partial")
    return partial();
  int dim = 0;
  if (rest.consume_front("split ") && !rest.trim().getAsInteger(10, dim) &&
      dim >= 0)
    return split(dim);
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      "sharding state '" + text +
          "' is not known; expected replicated, partial or split DIM");
}

llvm::raw_ostream &takt::operator<<(llvm::raw_ostream &os, const State &state) {
  return os << state.str();
}

std::string Strategy::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '(';
  llvm::interleaveComma(operands, os);
  os << ") -> (";
  llvm::interleaveComma(results, os);
  os << ')';
  return text;
}

//===----------------------------------------------------------------------===//
// Strategies
//===----------------------------------------------------------------------===//

/// Where the factor stands in a tensor.
struct Position {
  int dim = -1;
  bool isMajor = true;
};

static Position find(const ShardingRule &rule, const TensorFactors &tensor,
                     int factor) {
  for (auto [dim, factors] : llvm::enumerate(tensor)) {
    bool isMajor = true;
    for (int id : factors) {
      if (id == factor)
        return {int(dim), isMajor};
      isMajor &= rule.factors[id].size.isConstant(1);
    }
  }
  return {};
}

/// Why the factor cannot be cut into \p ways parts; empty if it can.
static std::string obstacle(const ShardingRule &rule, int id, int64_t ways) {
  const Factor &factor = rule.factors[id];
  std::optional<int64_t> size = factor.size.constant();
  if (!size)
    return "size " + factor.size.str() + " is not constant";
  if (*size <= 0 || *size % ways != 0)
    return "size " + std::to_string(*size) + " is not divisible by " +
           std::to_string(ways);
  for (const auto &tensors : {llvm::ArrayRef<TensorFactors>(rule.operands),
                              llvm::ArrayRef<TensorFactors>(rule.results)})
    for (const TensorFactors &tensor : tensors)
      if (!find(rule, tensor, id).isMajor)
        return "not the major factor of its dimension";
  return "";
}

static State stateFor(const ShardingRule &rule, const TensorFactors &tensor,
                      int id) {
  int dim = find(rule, tensor, id).dim;
  return dim < 0 ? State::replicated() : State::split(dim);
}

static Strategy cutFactor(const ShardingRule &rule, int id) {
  Strategy strategy;
  strategy.factor = id;
  for (const TensorFactors &operand : rule.operands)
    strategy.operands.push_back(stateFor(rule, operand, id));
  for (const TensorFactors &result : rule.results)
    strategy.results.push_back(rule.factors[id].kind == FactorKind::Sum
                                   ? State::partial()
                                   : stateFor(rule, result, id));
  return strategy;
}

static Strategy keepPartial(const ShardingRule &rule,
                            llvm::ArrayRef<int> group) {
  Strategy strategy;
  strategy.factor = Strategy::linear;
  strategy.operands.assign(rule.operands.size(), State::replicated());
  for (int operand : group)
    strategy.operands[operand] = State::partial();
  strategy.results.assign(rule.results.size(), State::partial());
  return strategy;
}

llvm::SmallVector<Strategy>
takt::enumerateStrategies(const ShardingRule &rule, int64_t ways,
                          llvm::SmallVectorImpl<UnusedFactor> *unused) {
  llvm::SmallVector<Strategy> strategies(1);
  strategies[0].operands.assign(rule.operands.size(), State::replicated());
  strategies[0].results.assign(rule.results.size(), State::replicated());
  if (ways <= 1)
    return strategies;
  for (int id = 0, end = rule.factors.size(); id < end; ++id) {
    FactorKind kind = rule.factors[id].kind;
    // A partial state means a sum, so other reductions stay whole.
    if (kind != FactorKind::Parallel && kind != FactorKind::Sum)
      continue;
    std::string reason = obstacle(rule, id, ways);
    if (reason.empty())
      strategies.push_back(cutFactor(rule, id));
    else if (unused)
      unused->push_back({id, std::move(reason)});
  }
  for (const auto &group : rule.linearGroups)
    strategies.push_back(keepPartial(rule, group));
  return strategies;
}

llvm::Expected<SymbolicShape> takt::localShape(llvm::ArrayRef<SizeExpr> shape,
                                               const State &state,
                                               int64_t ways) {
  SymbolicShape local(shape);
  if (state.kind != State::Split)
    return local;
  if (state.dim < 0 || state.dim >= int(shape.size()))
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "state '" + state.str() + "' of a tensor of shape " + shapeText(shape) +
            ": expected a dimension below " + std::to_string(shape.size()));
  std::optional<SizeExpr> part = shape[state.dim].exactDiv(ways);
  if (!part)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "state '" + state.str() + "' of a tensor of shape " + shapeText(shape) +
            ": size " + shape[state.dim].str() + " is not divisible by " +
            std::to_string(ways));
  local[state.dim] = *part;
  return local;
}
