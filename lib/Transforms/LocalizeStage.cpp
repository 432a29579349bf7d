//===- LocalizeStage.cpp - a stage becomes the program of one rank --------===//
#include "LocalizeStage.h"

#include "StateConversion.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace takt;

//===----------------------------------------------------------------------===//
// Crossings
//===----------------------------------------------------------------------===//

/// The one state in which all uses want the argument; replicated if they
/// differ. A use by a return or in a nested region wants the whole value.
static FailureOr<State> commonState(BlockArgument argument) {
  std::optional<State> common;
  for (OpOperand &use : argument.getUses()) {
    State state;
    Operation *user = use.getOwner();
    if (user->getBlock() == argument.getOwner() &&
        !user->hasTrait<OpTrait::IsTerminator>()) {
      auto strategy = statesOf(user);
      if (failed(strategy))
        return failure();
      state = strategy->operands[use.getOperandNumber()];
    }
    if (common && *common != state)
      return State::replicated();
    common = state;
  }
  return common.value_or(State::replicated());
}

FailureOr<CrossingStates> takt::chooseCrossingStates(const StagePorts &ports) {
  CrossingStates states;
  for (const auto &[number, channel] : ports.channels) {
    StagePorts::Stage target = ports.stages[channel.target->stage];
    auto state = commonState(target.forward.getArgument(channel.target->index));
    if (failed(state))
      return failure();
    bool isEqual = ports.stages[channel.source->stage].tensorParallel ==
                   target.tensorParallel;
    states[number] =
        isEqual && state->kind == State::Split ? *state : State::replicated();
  }
  return states;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

namespace {
class Localizer {
public:
  Localizer(StagePorts::Stage &stage, const CrossingStates &crossings)
      : stage(stage), crossings(crossings), global(stage.forward),
        converter(stage.module, stage.tensorParallel, sizes),
        builder(stage.module.getContext()) {}

  LogicalResult run();

private:
  State portState(unsigned index, bool isArgument);
  FailureOr<Strategy> findStrategy(Operation *op);
  LogicalResult announce();
  LogicalResult createForward();
  LogicalResult localize(Operation *op);
  LogicalResult createReturn(Operation *op);
  LogicalResult makeLocal(Operation *op, Operation *copy,
                          const Strategy &strategy);

  StagePorts::Stage &stage;
  const CrossingStates &crossings;
  func::FuncOp global, local;
  SizeAnalysis sizes;
  StateConverter converter;
  OpBuilder builder;
  DenseMap<Operation *, Strategy> strategies;
};
} // namespace

State Localizer::portState(unsigned index, bool isArgument) {
  auto number =
      isArgument
          ? global.getArgAttrOfType<IntegerAttr>(index, attr::channel)
          : global.getResultAttrOfType<IntegerAttr>(index, attr::channel);
  return number ? crossings.at(number.getInt()) : State::replicated();
}

/// The strategy of the op's rule that its states name.
FailureOr<Strategy> Localizer::findStrategy(Operation *op) {
  auto states = statesOf(op);
  if (failed(states))
    return failure();
  auto isWhole = [](State state) { return state == State::replicated(); };
  // Ops without a rule, and those of a stage with one rank, do all the work.
  if (stage.tensorParallel == 1 || (llvm::all_of(states->operands, isWhole) &&
                                    llvm::all_of(states->results, isWhole))) {
    states->operands.assign(states->operands.size(), State::replicated());
    states->results.assign(states->results.size(), State::replicated());
    return states;
  }
  if (auto tensorOp = dyn_cast<TensorOpInterface>(op)) {
    ShardingRule rule = tensorOp.getShardingRule(sizes.operandShapes(op),
                                                 sizes.resultShapes(op));
    for (const Strategy &strategy :
         enumerateStrategies(rule, stage.tensorParallel))
      if (strategy.operands == states->operands &&
          strategy.results == states->results)
        return strategy;
  }
  return op->emitOpError("has states ")
         << states->str() << ", which its sharding rule does not allow on "
         << stage.tensorParallel << " ranks; run takt-plan anew";
}

/// Tells the converter all uses of all values.
LogicalResult Localizer::announce() {
  for (Operation &op : global.getBody().front()) {
    if (isSource(&op))
      continue;
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      for (OpOperand &operand : op.getOpOperands())
        converter.want(operand.get(),
                       portState(operand.getOperandNumber(), false));
      continue;
    }
    auto strategy = findStrategy(&op);
    if (failed(strategy))
      return failure();
    SmallVector<Value> used = usedValues(&op);
    for (auto [index, value] : llvm::enumerate(used))
      converter.want(value, index < strategy->operands.size()
                                ? strategy->operands[index]
                                : State::replicated());
    strategies[&op] = std::move(*strategy);
  }
  return success();
}

/// The function of one rank: local argument types, shapes and states.
LogicalResult Localizer::createForward() {
  SmallVector<Type> arguments;
  SmallVector<DictionaryAttr> attrs;
  SmallVector<SymbolicShape> shapes;
  for (BlockArgument argument : global.getArguments()) {
    State state = portState(argument.getArgNumber(), true);
    auto shape = converter.localShapeOf(argument, state);
    if (failed(shape))
      return failure();
    arguments.push_back(converter.localTypeOf(argument.getType(), state));
    NamedAttrList list(global.getArgAttrDict(argument.getArgNumber()));
    list.set(attr::shape, ShapeAttr::get(builder.getContext(), *shape));
    list.set(attr::sharding, ShardingAttr::get(builder.getContext(), state));
    attrs.push_back(list.getDictionary(builder.getContext()));
    shapes.push_back(std::move(*shape));
  }
  builder.setInsertionPoint(global);
  local = builder.create<func::FuncOp>(
      global.getLoc(), global.getName(),
      builder.getFunctionType(arguments, global.getResultTypes()));
  local.setAllArgAttrs(attrs);
  Block *body = local.addEntryBlock();
  for (auto [argument, part, shape] :
       llvm::zip(global.getArguments(), body->getArguments(), shapes)) {
    sizes.set(part, shape);
    converter.define(argument, portState(argument.getArgNumber(), true), part);
  }
  builder.setInsertionPointToEnd(body);
  return success();
}

/// Gives the copy, whose operands are local already, local results.
LogicalResult Localizer::makeLocal(Operation *op, Operation *copy,
                                   const Strategy &strategy) {
  SmallVector<SymbolicShape> results;
  for (auto [result, part, state] :
       llvm::zip(op->getResults(), copy->getResults(), strategy.results)) {
    converter.define(result, state, part);
    if (!isa<RankedTensorType>(result.getType()))
      continue;
    auto shape = converter.localShapeOf(result, state);
    if (failed(shape))
      return failure();
    part.setType(converter.localTypeOf(result.getType(), state));
    sizes.set(part, *shape);
    results.push_back(std::move(*shape));
  }
  if (auto tensorOp = dyn_cast<TensorOpInterface>(copy))
    tensorOp.localize(strategy, stage.tensorParallel, sizes.operandShapes(copy),
                      results);
  return success();
}

LogicalResult Localizer::localize(Operation *op) {
  const Strategy &strategy = strategies[op];
  IRMapping mapping;
  SmallVector<Value> used = usedValues(op), operands;
  for (auto [index, value] : llvm::enumerate(used)) {
    bool isOperand = index < op->getNumOperands();
    auto part = converter.get(
        value, isOperand ? strategy.operands[index] : State::replicated(),
        builder);
    if (failed(part))
      return failure();
    if (isOperand)
      operands.push_back(*part);
    else
      mapping.map(value, *part);
  }
  Operation *copy = builder.clone(*op, mapping);
  copy->setOperands(operands);
  copy->removeAttr(attr::operandStates);
  copy->removeAttr(attr::resultStates);
  return makeLocal(op, copy, strategy);
}

LogicalResult Localizer::createReturn(Operation *op) {
  SmallVector<Value> results;
  SmallVector<DictionaryAttr> attrs;
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    State state = portState(index, false);
    auto part = converter.get(operand.get(), state, builder);
    if (failed(part))
      return failure();
    results.push_back(*part);
    NamedAttrList list(global.getResultAttrDict(index));
    list.set(attr::sharding, ShardingAttr::get(builder.getContext(), state));
    attrs.push_back(list.getDictionary(builder.getContext()));
  }
  builder.create<func::ReturnOp>(op->getLoc(), results);
  local.setFunctionType(builder.getFunctionType(
      local.getArgumentTypes(), TypeRange(ValueRange(results))));
  local.setAllResultAttrs(attrs);
  return success();
}

LogicalResult Localizer::run() {
  if (failed(announce()) || failed(createForward()))
    return failure();
  for (Operation &op : global.getBody().front())
    if (!isSource(&op))
      if (failed(op.hasTrait<OpTrait::IsTerminator>() ? createReturn(&op)
                                                      : localize(&op)))
        return failure();
  global.erase();
  stage.forward = local;
  return success();
}

LogicalResult takt::localizeStage(StagePorts::Stage &stage,
                                  const CrossingStates &crossings) {
  return Localizer(stage, crossings).run();
}
