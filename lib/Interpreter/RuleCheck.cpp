//===- RuleCheck.cpp - an op's sharding rule against its values -----------===//
#include "takt/Interpreter/RuleCheck.h"
#include "takt/Dialect/Takt/SizeAnalysis.h"
#include "takt/Interpreter/Collectives.h"
#include "takt/Interpreter/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

#include <random>

using namespace mlir;
using namespace takt;

namespace {
class RuleChecker {
public:
  RuleChecker(Operation *op, int64_t ways, const RuleCheckOptions &options)
      : op(op), tensorOp(cast<TensorOpInterface>(op)), ways(ways),
        options(options), random(options.seed),
        symbols(shardSymbols(options.dims, ways)),
        operandShapes(sizes.operandShapes(op)),
        resultShapes(sizes.resultShapes(op)) {}

  llvm::Expected<int> run();

private:
  llvm::Expected<HostTensor> randomOperand(unsigned index);
  llvm::Error checkInferredShapes();
  llvm::Error checkStrategy(const Strategy &strategy);
  /// The parts of a value, one per rank.
  llvm::Expected<ShardedTensor> split(const HostTensor &value, State state);
  HostTensor randomLike(const HostTensor &value, int64_t low, int64_t high);
  llvm::Expected<OwningOpRef<ModuleOp>> localProgram(const Strategy &strategy);
  llvm::Error compareResult(const HostTensor &expected,
                            const ShardedTensor &parts, State state);

  Operation *op;
  TensorOpInterface tensorOp;
  int64_t ways;
  const RuleCheckOptions &options;
  std::mt19937_64 random;
  SizeAnalysis sizes;
  SmallVector<SymbolValues> symbols;
  SmallVector<SymbolicShape> operandShapes, resultShapes;
  SmallVector<HostTensor> operands, expected;
};
} // namespace

static llvm::Error inContext(const Twine &context, llvm::Error error) {
  return evaluationFailure(context + ": " + llvm::toString(std::move(error)));
}

/// The values of sizes under `symbols`.
static llvm::Expected<SmallVector<int64_t>>
evaluateShape(ArrayRef<SizeExpr> shape, const SymbolValues &symbols) {
  auto lookup = [&](StringRef name) -> std::optional<int64_t> {
    auto found = symbols.find(name);
    return found == symbols.end() ? std::nullopt : std::optional(found->second);
  };
  return EvaluationContext{lookup}.evaluate(shape);
}

HostTensor RuleChecker::randomLike(const HostTensor &value, int64_t low,
                                   int64_t high) {
  std::uniform_int_distribution<int64_t> number(low, high);
  HostTensor tensor = HostTensor::zeros(value.dtype, value.shape);
  for (int64_t i = 0, count = tensor.numElements(); i < count; ++i)
    tensor.setInt(i, number(random));
  return tensor;
}

llvm::Expected<HostTensor> RuleChecker::randomOperand(unsigned index) {
  auto type = cast<RankedTensorType>(op->getOperand(index).getType());
  auto shape = evaluateShape(operandShapes[index], options.dims);
  if (!shape)
    return shape.takeError();
  auto [low, high] = index < options.ranges.size()
                         ? options.ranges[index]
                         : std::pair(options.low, options.high);
  return randomLike(HostTensor::zeros(*dtypeOf(type.getElementType()), *shape),
                    low, high);
}

llvm::Error RuleChecker::checkInferredShapes() {
  auto inferred = tensorOp.inferShapes(operandShapes);
  for (auto [shape, value] : llvm::zip_equal(inferred, expected)) {
    auto evaluated = evaluateShape(shape, options.dims);
    if (!evaluated)
      return evaluated.takeError();
    if (ArrayRef(*evaluated) != ArrayRef(value.shape))
      return evaluationFailure("its shape function says " + shapeText(shape) +
                               ", its value is " + tensorText(value));
  }
  return llvm::Error::success();
}

llvm::Expected<ShardedTensor> RuleChecker::split(const HostTensor &value,
                                                 State state) {
  ShardedTensor parts;
  HostTensor rest = value;
  for (int64_t shard = 0; shard < ways; ++shard) {
    if (state.kind == State::Replicated) {
      parts.push_back(std::make_shared<const HostTensor>(value));
      continue;
    }
    if (state.kind == State::Split) {
      auto part = sliceTensor(value, state.dim, shard, ways);
      if (!part)
        return part.takeError();
      parts.push_back(std::make_shared<const HostTensor>(std::move(*part)));
      continue;
    }
    if (value.dtype == DType::Bool)
      return evaluationFailure("a partial sum of bool");
    HostTensor part = shard + 1 == ways ? rest : randomLike(value, -4, 4);
    for (int64_t i = 0, count = rest.numElements(); i < count; ++i)
      if (isFloat(value.dtype))
        rest.setFloat(i, rest.getFloat(i) - part.getFloat(i));
      else
        rest.setInt(i, rest.getInt(i) - part.getInt(i));
    parts.push_back(std::make_shared<const HostTensor>(std::move(part)));
  }
  return parts;
}

static SmallVector<Type> localTypes(ArrayRef<SymbolicShape> shapes,
                                    ValueRange values) {
  SmallVector<Type> types;
  for (auto [shape, value] : llvm::zip_equal(shapes, values))
    types.push_back(tensorType(shape, getElementTypeOrSelf(value.getType())));
  return types;
}

/// A function with the op as one rank's part under `strategy`.
llvm::Expected<OwningOpRef<ModuleOp>>
RuleChecker::localProgram(const Strategy &strategy) {
  SmallVector<SymbolicShape> localOperands, localResults;
  auto localize = [&](ArrayRef<SymbolicShape> shapes, ArrayRef<State> states,
                      SmallVector<SymbolicShape> &local) -> llvm::Error {
    for (auto [shape, state] : llvm::zip_equal(shapes, states)) {
      llvm::Expected<SymbolicShape> part = localShape(shape, state, ways);
      if (!part)
        return part.takeError();
      local.push_back(std::move(*part));
    }
    return llvm::Error::success();
  };
  if (auto error = localize(operandShapes, strategy.operands, localOperands))
    return error;
  if (auto error = localize(resultShapes, strategy.results, localResults))
    return error;
  SmallVector<Type> inputs = localTypes(localOperands, op->getOperands());
  SmallVector<Type> outputs = localTypes(localResults, op->getResults());
  OpBuilder builder(op->getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(op->getLoc());
  builder.setInsertionPointToStart(module->getBody());
  auto function = builder.create<func::FuncOp>(
      op->getLoc(), "local", builder.getFunctionType(inputs, outputs));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  Operation *local = builder.clone(*op);
  local->setOperands(body->getArguments());
  for (auto [result, type] : llvm::zip_equal(local->getResults(), outputs))
    result.setType(type);
  cast<TensorOpInterface>(local).localize(strategy, ways, localOperands,
                                          localResults);
  builder.create<func::ReturnOp>(op->getLoc(), local->getResults());
  if (failed(verify(*module)))
    return evaluationFailure("the part of one rank does not verify");
  return module;
}

llvm::Error RuleChecker::compareResult(const HostTensor &whole,
                                       const ShardedTensor &parts,
                                       State state) {
  double tolerance = options.ulps * 0x1p-23;
  SmallVector<const HostTensor *> tensors;
  for (const TensorRef &part : parts)
    tensors.push_back(part.get());
  if (state.kind == State::Replicated) {
    for (const HostTensor *tensor : tensors)
      if (llvm::Error error = compareTensors(whole, *tensor, tolerance))
        return error;
    return llvm::Error::success();
  }
  llvm::Expected<HostTensor> joined = state.kind == State::Split
                                          ? concatTensors(tensors, state.dim)
                                          : sumTensors(tensors);
  if (!joined)
    return joined.takeError();
  return compareTensors(whole, *joined, tolerance);
}

llvm::Error RuleChecker::checkStrategy(const Strategy &strategy) {
  auto module = localProgram(strategy);
  if (!module)
    return module.takeError();
  SmallVector<ShardedTensor> parts;
  for (auto [operand, state] : llvm::zip_equal(operands, strategy.operands)) {
    llvm::Expected<ShardedTensor> cut = split(operand, state);
    if (!cut)
      return cut.takeError();
    parts.push_back(std::move(*cut));
  }
  BlockEvaluator evaluator(symbols, {});
  auto function = cast<func::FuncOp>((*module)->getBody()->front());
  auto results = evaluator.run(function.getBody().front(), parts);
  if (!results)
    return results.takeError();
  for (auto [whole, part, state] :
       llvm::zip_equal(expected, *results, strategy.results))
    if (llvm::Error error = compareResult(whole, part, state))
      return error;
  return llvm::Error::success();
}

llvm::Expected<int> RuleChecker::run() {
  ShardingRule rule = tensorOp.getShardingRule(operandShapes, resultShapes);
  if (llvm::Error error = rule.verify(operandShapes, resultShapes))
    return inContext("rule " + rule.str(), std::move(error));
  SmallVector<const HostTensor *> pointers;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    llvm::Expected<HostTensor> operand = randomOperand(i);
    if (!operand)
      return operand.takeError();
    operands.push_back(std::move(*operand));
  }
  for (const HostTensor &operand : operands)
    pointers.push_back(&operand);
  auto lookup = [&](StringRef name) -> std::optional<int64_t> {
    auto found = options.dims.find(name);
    return found == options.dims.end() ? std::nullopt
                                       : std::optional(found->second);
  };
  auto values = tensorOp.evaluate(pointers, EvaluationContext{lookup});
  if (!values)
    return inContext("unsharded", values.takeError());
  expected = std::move(*values);
  if (llvm::Error error = checkInferredShapes())
    return error;
  SmallVector<Strategy> strategies = enumerateStrategies(rule, ways);
  for (const Strategy &strategy : strategies)
    if (llvm::Error error = checkStrategy(strategy))
      return inContext("strategy " + strategy.str() + " on " + Twine(ways) +
                           " ranks",
                       std::move(error));
  return int(strategies.size());
}

llvm::Expected<int> takt::checkRule(Operation *op, int64_t ways,
                                    const RuleCheckOptions &options) {
  return RuleChecker(op, ways, options).run();
}
