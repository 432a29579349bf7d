//===- PlanShardings.cpp - the sharding problem of a function -------------===//
#include "PlanShardings.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace takt;

//===----------------------------------------------------------------------===//
// Work at typical sizes
//===----------------------------------------------------------------------===//

OpWork takt::workOf(Operation *op, SizeAnalysis &sizes,
                    const TypicalSizes &typical) {
  OpWork work;
  auto tensorOp = dyn_cast<TensorOpInterface>(op);
  bool isView = tensorOp && tensorOp.getFusionKind() == FusionKind::View;
  double written = 0;
  for (Value result : op->getResults())
    work.resultBytes.push_back(isView ? 0 : typical.bytes(result, sizes));
  for (double bytes : work.resultBytes)
    written += bytes;
  if (tensorOp)
    work.flops = typical(
        tensorOp.getFlops(sizes.operandShapes(op), sizes.resultShapes(op)));
  bool isCopy = tensorOp && work.flops == 0;
  for (Value used : usedValues(op)) {
    double bytes = isView ? 0 : typical.bytes(used, sizes);
    work.operandBytes.push_back(isCopy ? std::min(bytes, written) : bytes);
  }
  return work;
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

State Shardings::stateOfSource(Operation *source) const {
  for (OpOperand &use : source->getUses())
    if (auto it = strategies.find(use.getOwner()); it != strategies.end())
      return it->second.operands[use.getOperandNumber()];
  return State::replicated();
}

namespace {

class Projection {
public:
  Projection(func::FuncOp function, const CostModel &model, SizeAnalysis &sizes,
             const TypicalSizes &typical)
      : function(function), model(model), sizes(sizes), typical(typical) {}

  LogicalResult build(int64_t ways);
  FailureOr<Shardings> solve();

private:
  int valueId(Value value, ShardingValue::Kind kind);
  LogicalResult addOp(Operation *op);
  LogicalResult checkSizes(Operation *op);
  SmallVector<Strategy> strategiesOf(Operation *op);
  void remark();

  func::FuncOp function;
  const CostModel &model;
  SizeAnalysis &sizes;
  const TypicalSizes &typical;
  ShardingProblem problem;
  SmallVector<Operation *> ops; // of the problem's ops
  SmallVector<Value> values;    // of the problem's values
  DenseMap<Value, int> ids;
  /// Why ops with no other strategy than to do all the work have none.
  llvm::MapVector<StringAttr, SmallVector<Operation *>> obstacles;
};

} // namespace

int Projection::valueId(Value value, ShardingValue::Kind kind) {
  auto [it, isNew] = ids.try_emplace(value, int(values.size()));
  if (!isNew)
    return it->second;
  values.push_back(value);
  ShardingValue entry;
  entry.name = "value " + std::to_string(it->second);
  entry.bytes = int64_t(typical.bytes(value, sizes));
  entry.kind = kind;
  problem.values.push_back(std::move(entry));
  return it->second;
}

LogicalResult Projection::checkSizes(Operation *op) {
  for (Value value : op->getResults())
    if (isa<RankedTensorType>(value.getType()) && !sizes.isKnown(value))
      return op->emitOpError("has a result whose sizes follow from nothing; "
                             "state them in a takt.shape");
  return success();
}

/// Whether collectives can add such values; the runtime adds these types only,
/// of which narrower floats would also lose digits at each addition.
static bool canBePartial(Value value) {
  Type element = getElementTypeOrSelf(value);
  return element.isF32() || element.isF64() || element.isSignlessInteger(32) ||
         element.isSignlessInteger(64);
}

/// Whether each value that `strategy` keeps partial can be.
static bool isSummable(Operation *op, const Strategy &strategy) {
  auto fits = [](auto values, ArrayRef<State> states) {
    return llvm::all_of(llvm::zip(values, states), [](auto pair) {
      auto [value, state] = pair;
      return !(state == State::partial()) || canBePartial(value);
    });
  };
  return fits(op->getOperands(), strategy.operands) &&
         fits(op->getResults(), strategy.results);
}

/// The strategies of the op's rule; what its regions use stays whole.
SmallVector<Strategy> Projection::strategiesOf(Operation *op) {
  ShardingRule rule;
  rule.operands.resize(op->getNumOperands());
  rule.results.resize(op->getNumResults());
  if (auto tensorOp = dyn_cast<TensorOpInterface>(op))
    rule = tensorOp.getShardingRule(sizes.operandShapes(op),
                                    sizes.resultShapes(op));
  SmallVector<UnusedFactor> unused;
  auto strategies = enumerateStrategies(rule, problem.ways, &unused);
  llvm::erase_if(strategies, [&](const Strategy &strategy) {
    return !isSummable(op, strategy);
  });
  bool isCut = llvm::any_of(strategies, [](const Strategy &strategy) {
    return strategy.factor >= 0;
  });
  auto indivisible = llvm::find_if(unused, [](const UnusedFactor &factor) {
    return StringRef(factor.reason).contains("divisible");
  });
  if (!isCut && indivisible != unused.end())
    obstacles[StringAttr::get(op->getContext(), indivisible->reason)].push_back(
        op);
  for (Strategy &strategy : strategies)
    strategy.operands.resize(usedValues(op).size(), State::replicated());
  return strategies;
}

LogicalResult Projection::addOp(Operation *op) {
  if (failed(checkSizes(op)))
    return failure();
  if (isSource(op)) {
    valueId(op->getResult(0), ShardingValue::Weight);
    return success();
  }
  ShardingOp entry;
  entry.name = op->getName().getStringRef().str();
  entry.strategies = strategiesOf(op);
  OpWork work = workOf(op, sizes, typical);
  auto tensorOp = dyn_cast<TensorOpInterface>(op);
  bool isView = tensorOp && tensorOp.getFusionKind() == FusionKind::View;
  // It joins the dispatch of a neighbour: what it reads and writes is there.
  if (tensorOp && tensorOp.getFusionKind() == FusionKind::Pointwise) {
    work.operandBytes.assign(work.operandBytes.size(), 0);
    work.resultBytes.assign(work.resultBytes.size(), 0);
  }
  for (const Strategy &strategy : entry.strategies)
    entry.costs.push_back(isView ? 0
                                 : strategyCost(model, strategy, problem.ways,
                                                work.flops, work.operandBytes,
                                                work.resultBytes));
  for (Value used : usedValues(op))
    entry.operands.push_back(valueId(used, ShardingValue::Input));
  for (Value result : op->getResults())
    entry.results.push_back(valueId(result, ShardingValue::Computed));
  problem.ops.push_back(std::move(entry));
  ops.push_back(op);
  return success();
}

LogicalResult Projection::build(int64_t ways) {
  problem.ways = ways;
  Block &body = function.getBody().front();
  for (BlockArgument argument : body.getArguments()) {
    if (!sizes.isKnown(argument))
      return function.emitOpError("argument ")
             << argument.getArgNumber() << " has open sizes and no '"
             << attr::shape << "'";
    valueId(argument, ShardingValue::Input);
  }
  for (Operation &op : body.without_terminator())
    if (failed(addOp(&op)))
      return failure();
  for (Value output : body.getTerminator()->getOperands())
    problem.values[valueId(output, ShardingValue::Input)].isOutput = true;
  return success();
}

/// One remark per size that does not divide.
void Projection::remark() {
  for (const auto &[reason, list] : obstacles) {
    auto remark = emitRemark(list.front()->getLoc());
    remark << reason.getValue()
           << " ranks of a stage: " << list.front()->getName();
    if (list.size() > 1)
      remark << " and " << list.size() - 1 << " more ops stay";
    else
      remark << " stays";
    remark << " replicated";
  }
}

FailureOr<Shardings> Projection::solve() {
  auto solution = solveSharding(problem, model);
  if (!solution)
    return function.emitOpError("has no sharding on ")
           << problem.ways
           << " ranks: " << llvm::toString(solution.takeError());
  if (!solution->proven)
    emitRemark(function.getLoc())
        << "the shardings on " << problem.ways
        << " ranks are the best found, not proven least";
  Shardings result;
  result.ways = problem.ways;
  for (auto [index, op] : llvm::enumerate(ops))
    result.strategies[op] =
        problem.ops[index].strategies[solution->strategies[index]];
  for (auto [index, value] : llvm::enumerate(values)) {
    Cost total = 0;
    for (const Conversion &conversion : solution->values[index].conversions)
      total = addCosts(total, conversion.cost);
    if (total > 0)
      result.conversions[value] = total;
  }
  remark();
  return result;
}

FailureOr<Shardings> takt::chooseShardings(func::FuncOp function, int64_t ways,
                                           const CostModel &model,
                                           SizeAnalysis &sizes,
                                           const TypicalSizes &typical) {
  Projection projection(function, model, sizes, typical);
  if (failed(projection.build(ways)))
    return failure();
  return projection.solve();
}
