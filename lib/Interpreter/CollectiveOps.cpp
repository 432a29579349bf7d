//===- CollectiveOps.cpp - collective ops on the shards of a stage --------===//
#include "CollectiveOps.h"

#include "takt/Interpreter/Collectives.h"

using namespace mlir;
using namespace takt;

static ShardedTensor share(HostTensor tensor, size_t shards) {
  return ShardedTensor(shards,
                       std::make_shared<const HostTensor>(std::move(tensor)));
}

static llvm::Expected<ShardedTensor> scatter(const HostTensor &sum,
                                             int64_t axis, size_t shards) {
  ShardedTensor result;
  for (size_t shard = 0; shard < shards; ++shard) {
    llvm::Expected<HostTensor> part = sliceTensor(sum, axis, shard, shards);
    if (!part)
      return part.takeError();
    result.push_back(std::make_shared<const HostTensor>(std::move(*part)));
  }
  return result;
}

llvm::Expected<ShardedTensor>
takt::evaluateCollective(Operation *op, const ShardedTensor &operand) {
  size_t shards = operand.size();
  auto ways = op->getAttrOfType<IntegerAttr>("ways").getInt();
  if (ways != int64_t(shards))
    return evaluationFailure("the collective is among " + Twine(ways) +
                             " ranks, its stage has " + Twine(shards));
  SmallVector<const HostTensor *> parts;
  for (const TensorRef &part : operand)
    parts.push_back(part.get());
  bool gathers = isa<AllGatherOp>(op);
  llvm::Expected<HostTensor> whole =
      gathers ? concatTensors(parts, cast<AllGatherOp>(op).getAxis())
              : sumTensors(parts);
  if (!whole)
    return whole.takeError();
  if (auto reduceScatter = dyn_cast<ReduceScatterOp>(op))
    return scatter(*whole, reduceScatter.getAxis(), shards);
  return share(std::move(*whole), shards);
}
