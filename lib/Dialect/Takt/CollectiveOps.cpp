//===- CollectiveOps.cpp - communication among the ranks of a stage -------===//
#include "takt/Dialect/Takt/Takt.h"

using namespace mlir;
using namespace takt;

// What is alike in all of them is in TaktPartitionOps.td.

SmallVector<SymbolicShape>
AllReduceOp::inferShapes(ArrayRef<SymbolicShape> operands) {
  return {operands[0]};
}

SmallVector<SymbolicShape>
AllGatherOp::inferShapes(ArrayRef<SymbolicShape> operands) {
  SymbolicShape result = operands[0];
  result[getAxis()] = result[getAxis()] * SizeExpr(int64_t(getWays()));
  return {result};
}

SmallVector<SymbolicShape>
ReduceScatterOp::inferShapes(ArrayRef<SymbolicShape> operands) {
  SymbolicShape result = operands[0];
  SizeExpr ways{int64_t(getWays())};
  result[getAxis()] = result[getAxis()].exactDiv(ways).value_or(
      result[getAxis()].floorDiv(ways));
  return {result};
}
