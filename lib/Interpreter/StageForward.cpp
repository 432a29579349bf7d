//===- StageForward.cpp - a stage's forward on all of its shards ----------===//
#include "Simulation.h"

using namespace mlir;
using namespace takt;

SmallVector<const RankPrograms::Rank *>
Simulation::gather(const RankPrograms::Rank &rank) const {
  SmallVector<const RankPrograms::Rank *> shards(
      tensorParallelOf(programs.stages[rank.stage]), nullptr);
  for (const RankPrograms::Rank *other : ranks)
    if (other->stage == rank.stage && !isDone(*other) &&
        current(*other).kind == RankInstruction::Forward &&
        states[other->id].microBatch == states[rank.id].microBatch)
      shards[other->shard] = other;
  if (llvm::is_contained(shards, nullptr))
    return {};
  return shards;
}

llvm::Expected<TensorRef> Simulation::argument(func::FuncOp function,
                                               unsigned index,
                                               const RankPrograms::Rank &rank) {
  RankState &state = states[rank.id];
  if (auto number =
          function.getArgAttrOfType<IntegerAttr>(index, attr::channel)) {
    for (const auto &[channel, tensor] : state.received)
      if (programs.channels[channel].value == number.getInt())
        return tensor;
    return fail(rank, "reads value " + Twine(number.getInt()) +
                          ", which it has not received or has freed");
  }
  auto name = function.getArgAttrOfType<StringAttr>(index, attr::name);
  const NamedTensors &inputs = microBatches[state.microBatch].inputs;
  auto found = name ? inputs.find(name.getValue()) : inputs.end();
  if (found == inputs.end())
    return fail(rank, "has no input for argument " + Twine(index));
  return std::make_shared<const HostTensor>(found->second);
}

llvm::Expected<SmallVector<ShardedTensor>>
Simulation::bindArguments(func::FuncOp function,
                          ArrayRef<const RankPrograms::Rank *> shards) {
  const SymbolValues &dims =
      microBatches[states[shards[0]->id].microBatch].dims;
  SmallVector<ShardedTensor> arguments(function.getNumArguments());
  for (auto [i, tensor] : llvm::enumerate(arguments))
    for (const RankPrograms::Rank *rank : shards) {
      // Model inputs are the same on all shards.
      if (!tensor.empty() && function.getArgAttr(i, attr::name)) {
        tensor.push_back(tensor.front());
        continue;
      }
      llvm::Expected<TensorRef> value = argument(function, i, *rank);
      if (!value)
        return value.takeError();
      if (llvm::Error error = checkArgument(function, i, **value, dims))
        return fail(*rank, "gets " + llvm::toString(std::move(error)));
      tensor.push_back(std::move(*value));
    }
  return arguments;
}

llvm::Error
Simulation::storeResults(func::FuncOp function,
                         ArrayRef<const RankPrograms::Rank *> shards,
                         ArrayRef<ShardedTensor> results) {
  size_t microBatch = states[shards[0]->id].microBatch;
  for (auto [i, result] : llvm::enumerate(results)) {
    if (auto number =
            function.getResultAttrOfType<IntegerAttr>(i, attr::channel))
      for (auto [rank, tensor] : llvm::zip_equal(shards, result))
        states[rank->id].made[number.getInt()] = tensor;
    auto name = function.getResultAttrOfType<StringAttr>(i, attr::name);
    if (!name)
      continue;
    for (const TensorRef &tensor : result)
      if (*tensor != *result.front())
        return fail(*shards[0], "makes output '" + name.getValue() +
                                    "', on which its shards differ");
    if (!outputs[microBatch]
             .try_emplace(name.getValue(), *result.front())
             .second)
      return fail(*shards[0],
                  "makes output '" + name.getValue() + "' for the second time");
  }
  return llvm::Error::success();
}

llvm::Expected<bool> Simulation::forward(const RankPrograms::Rank &rank) {
  SmallVector<const RankPrograms::Rank *> shards = gather(rank);
  if (shards.empty())
    return false;
  ModuleOp stage = programs.stages[rank.stage];
  auto function = stage.lookupSymbol<func::FuncOp>("forward");
  if (!function)
    return fail(rank, "finds no function 'forward' in its stage");
  auto arguments = bindArguments(function, shards);
  if (!arguments)
    return arguments.takeError();
  SmallVector<SymbolValues> symbols = shardSymbols(
      microBatches[states[rank.id].microBatch].dims, shards.size());
  BlockEvaluator evaluator(symbols,
                           [&](WeightOp weight, ArrayRef<SymbolValues> tables) {
                             return evaluateWeight(weight, tables, readSource);
                           });
  auto results = evaluator.run(function.getBody().front(), *arguments);
  if (!results)
    return evaluationFailure("stage " + Twine(rank.stage) + ": " +
                             llvm::toString(results.takeError()));
  if (llvm::Error error = storeResults(function, shards, *results))
    return error;
  for (const RankPrograms::Rank *shard : shards)
    advance(*shard);
  return true;
}
