//===- CollectiveOps.cpp - communication among the ranks of a stage -------===//
#include "OpHelpers.h"

using namespace mlir;
using namespace takt;

// Collectives appear after sharding has been decided: nothing is left to cut,
// and one rank alone cannot evaluate them (the interpreter runs all in step).

static Evaluated needsAllRanks() {
  return evaluationError("a collective has no value on one rank alone");
}

SmallVector<SymbolicShape>
AllReduceOp::inferShapes(ArrayRef<SymbolicShape> operands) {
  return {operands[0]};
}
ShardingRule AllReduceOp::getShardingRule(ArrayRef<SymbolicShape> operands,
                                          ArrayRef<SymbolicShape> results) {
  return ShardingRule::replicated(operands, results);
}
SizeExpr AllReduceOp::getFlops(ArrayRef<SymbolicShape>,
                               ArrayRef<SymbolicShape>) {
  return 0;
}
Evaluated AllReduceOp::evaluate(ArrayRef<const HostTensor *>,
                                const EvaluationContext &) {
  return needsAllRanks();
}
FusionKind AllReduceOp::getFusionKind() { return FusionKind::Collective; }

SmallVector<SymbolicShape>
AllGatherOp::inferShapes(ArrayRef<SymbolicShape> operands) {
  SymbolicShape result = operands[0];
  result[getAxis()] = result[getAxis()] * SizeExpr(int64_t(getWays()));
  return {result};
}
ShardingRule AllGatherOp::getShardingRule(ArrayRef<SymbolicShape> operands,
                                          ArrayRef<SymbolicShape> results) {
  return ShardingRule::replicated(operands, results);
}
SizeExpr AllGatherOp::getFlops(ArrayRef<SymbolicShape>,
                               ArrayRef<SymbolicShape>) {
  return 0;
}
Evaluated AllGatherOp::evaluate(ArrayRef<const HostTensor *>,
                                const EvaluationContext &) {
  return needsAllRanks();
}
FusionKind AllGatherOp::getFusionKind() { return FusionKind::Collective; }

SmallVector<SymbolicShape>
ReduceScatterOp::inferShapes(ArrayRef<SymbolicShape> operands) {
  SymbolicShape result = operands[0];
  SizeExpr ways{int64_t(getWays())};
  result[getAxis()] = result[getAxis()].exactDiv(ways).value_or(
      result[getAxis()].floorDiv(ways));
  return {result};
}
ShardingRule ReduceScatterOp::getShardingRule(ArrayRef<SymbolicShape> operands,
                                              ArrayRef<SymbolicShape> results) {
  return ShardingRule::replicated(operands, results);
}
SizeExpr ReduceScatterOp::getFlops(ArrayRef<SymbolicShape>,
                                   ArrayRef<SymbolicShape>) {
  return 0;
}
Evaluated ReduceScatterOp::evaluate(ArrayRef<const HostTensor *>,
                                    const EvaluationContext &) {
  return needsAllRanks();
}
FusionKind ReduceScatterOp::getFusionKind() { return FusionKind::Collective; }
