//===- Compare.cpp - the partitioned program against the model ------------===//
#include "takt/Interpreter/Program.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace takt;

static double largestMagnitude(const HostTensor &tensor) {
  double largest = 0;
  for (int64_t i = 0, count = tensor.numElements(); i < count; ++i)
    if (std::isfinite(tensor.getFloat(i)))
      largest = std::max(largest, std::fabs(tensor.getFloat(i)));
  return largest;
}

llvm::Error takt::compareTensors(const HostTensor &expected,
                                 const HostTensor &actual, double tolerance) {
  if (expected.dtype != actual.dtype || expected.shape != actual.shape)
    return evaluationFailure("found " + tensorText(actual) + ", expected " +
                             tensorText(expected));
  if (!isFloat(expected.dtype)) {
    for (int64_t i = 0, count = expected.numElements(); i < count; ++i)
      if (expected.getInt(i) != actual.getInt(i))
        return evaluationFailure(
            llvm::formatv("element {0} is {1}, expected {2}", i,
                          actual.getInt(i), expected.getInt(i))
                .str());
    return llvm::Error::success();
  }
  double bound = tolerance * largestMagnitude(expected);
  for (int64_t i = 0, count = expected.numElements(); i < count; ++i) {
    double left = expected.getFloat(i), right = actual.getFloat(i);
    bool agrees = left == right || (std::isnan(left) && std::isnan(right)) ||
                  std::fabs(left - right) <= bound;
    if (!agrees)
      return evaluationFailure(
          llvm::formatv("element {0} is {1:e9}, expected {2:e9} within {3:e2}",
                        i, right, left, bound)
              .str());
  }
  return llvm::Error::success();
}

static llvm::Error compareOutputs(const NamedTensors &expected,
                                  const NamedTensors &actual,
                                  double tolerance) {
  if (expected.size() != actual.size())
    return evaluationFailure("found " + Twine(actual.size()) +
                             " outputs, expected " + Twine(expected.size()));
  // In the order of names, so that the first difference is always the same.
  SmallVector<StringRef> names(expected.keys());
  llvm::sort(names);
  for (StringRef name : names) {
    auto found = actual.find(name);
    if (found == actual.end())
      return evaluationFailure("output '" + name + "' is missing");
    if (llvm::Error error = compareTensors(expected.find(name)->second,
                                           found->second, tolerance))
      return evaluationFailure("output '" + name +
                               "': " + llvm::toString(std::move(error)));
  }
  return llvm::Error::success();
}

llvm::Error takt::comparePartitioned(ModuleOp original, ModuleOp partitioned,
                                     ArrayRef<MicroBatch> microBatches,
                                     double tolerance,
                                     const SourceReader &readSource) {
  auto main = original.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return evaluationFailure("the original program has no function 'main'");
  auto actual = evaluatePartitioned(partitioned, microBatches, readSource);
  if (!actual)
    return actual.takeError();
  for (auto [i, microBatch] : llvm::enumerate(microBatches)) {
    llvm::Expected<NamedTensors> expected =
        evaluateModel(main, microBatch.inputs, microBatch.dims, readSource);
    if (!expected)
      return expected.takeError();
    if (llvm::Error error = compareOutputs(*expected, (*actual)[i], tolerance))
      return evaluationFailure("micro-batch " + Twine(i) + ", " +
                               llvm::toString(std::move(error)));
  }
  return llvm::Error::success();
}
