//===- Function.cpp - runs a function on one shard ------------------------===//
#include "takt/Interpreter/Program.h"

using namespace mlir;
using namespace takt;

llvm::Error takt::checkArgument(func::FuncOp function, unsigned index,
                                const HostTensor &tensor,
                                const SymbolValues &dims) {
  auto fail = [&](const Twine &text) {
    return evaluationFailure("argument " + Twine(index) + " of '" +
                             function.getSymName() + "': " + text);
  };
  Type type = function.getArgument(index).getType();
  if (llvm::Error error = checkTensorType(tensor, type))
    return fail(llvm::toString(std::move(error)));
  auto shape = function.getArgAttrOfType<ShapeAttr>(index, attr::shape);
  if (!shape)
    return llvm::Error::success();
  for (auto [i, expr] : llvm::enumerate(shape.getExprs())) {
    std::optional<int64_t> size =
        expr.evaluate([&](StringRef name) -> std::optional<int64_t> {
          auto found = dims.find(name);
          return found == dims.end() ? std::nullopt
                                     : std::optional(found->second);
        });
    if (!size)
      return fail("size '" + expr.str() + "' names an unbound dimension");
    if (*size != tensor.shape[i])
      return fail("dimension " + Twine(i) + " of " + tensorText(tensor) +
                  " must be " + expr.str() + " = " + Twine(*size));
  }
  return llvm::Error::success();
}

static llvm::Expected<SmallVector<ShardedTensor>>
run(func::FuncOp function, ArrayRef<ShardedTensor> arguments,
    const SymbolValues &dims, const SourceReader &readSource) {
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    return evaluationFailure("function '" + function.getSymName() +
                             "' must have one block");
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (llvm::Error error = checkArgument(function, i, *argument.front(), dims))
      return error;
  SmallVector<SymbolValues> symbols = shardSymbols(dims, 1);
  BlockEvaluator evaluator(symbols,
                           [&](WeightOp weight, ArrayRef<SymbolValues> shards) {
                             return evaluateWeight(weight, shards, readSource);
                           });
  return evaluator.run(function.getBody().front(), arguments);
}

llvm::Expected<SmallVector<HostTensor>>
takt::evaluateFunction(func::FuncOp function, ArrayRef<HostTensor> inputs,
                       const SymbolValues &dims,
                       const SourceReader &readSource) {
  if (inputs.size() != function.getNumArguments())
    return evaluationFailure("function '" + function.getSymName() + "' takes " +
                             Twine(function.getNumArguments()) +
                             " inputs, found " + Twine(inputs.size()));
  SmallVector<ShardedTensor> arguments;
  for (const HostTensor &input : inputs)
    arguments.push_back({std::make_shared<const HostTensor>(input)});
  auto results = run(function, arguments, dims, readSource);
  if (!results)
    return results.takeError();
  SmallVector<HostTensor> outputs;
  for (const ShardedTensor &result : *results)
    outputs.push_back(*result.front());
  return outputs;
}

llvm::Expected<NamedTensors>
takt::evaluateModel(func::FuncOp function, const NamedTensors &inputs,
                    const SymbolValues &dims, const SourceReader &readSource) {
  SmallVector<HostTensor> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto name = function.getArgAttrOfType<StringAttr>(i, attr::name);
    auto found = name ? inputs.find(name.getValue()) : inputs.end();
    if (found == inputs.end())
      return evaluationFailure("no input for argument " + Twine(i) + " of '" +
                               function.getSymName() + "'");
    arguments.push_back(found->second);
  }
  auto results = evaluateFunction(function, arguments, dims, readSource);
  if (!results)
    return results.takeError();
  NamedTensors outputs;
  for (auto [i, result] : llvm::enumerate(*results))
    if (auto name = function.getResultAttrOfType<StringAttr>(i, attr::name))
      outputs[name.getValue()] = std::move(result);
  return outputs;
}
