#include "runtime/core/ShapePlan.h"
#include "runtime/core/Arena.h"
#include "runtime/core/Memory.h"

#include <algorithm>
#include <limits>

namespace takt::runtime {
namespace {

class PlanMaker {
public:
  PlanMaker(const Manifest &manifest, const RankSpec &rank, ShapePlan &plan)
      : manifest(manifest), rank(rank), stage(manifest.stages[rank.stage]),
        plan(plan) {}

  Status run() {
    for (size_t i = 0; i < stage.buffers.size(); ++i) {
      const BufferSpec &buffer = stage.buffers[i];
      Result<int64_t> bytes = bytesOf(buffer.shape, buffer.dtype);
      if (!bytes.ok())
        return inputError("stage '", stage.name, "', buffer ", i, ": ",
                          bytes.status().getText());
      plan.bufferBytes.push_back(*bytes);
    }
    TAKT_RETURN_IF_ERROR(checkPorts());
    TAKT_RETURN_IF_ERROR(checkChannels());
    plan.collectives.resize(stage.operations.size());
    plan.calls.resize(stage.operations.size());
    for (size_t i = 0; i < stage.operations.size(); ++i)
      TAKT_RETURN_IF_ERROR(checkOperation(i));
    return placeBuffers();
  }

private:
  Result<int64_t> bytesOf(const ValueIndices &shape, Dtype dtype) const {
    std::vector<int64_t> sizes;
    for (int32_t value : shape)
      sizes.push_back(plan.values[value]);
    return checkedBytes(sizes, sizeOf(dtype));
  }

  Status expectBytes(const std::string &owner, int32_t buffer,
                     const Result<int64_t> &expected) const {
    if (!expected.ok())
      return inputError(owner, ": ", expected.status().getText());
    if (plan.bufferBytes[buffer] != *expected)
      return bundleError("stage '", stage.name, "', ", owner, ": buffer ",
                         buffer, " has ", plan.bufferBytes[buffer], " bytes, ",
                         *expected, " expected");
    return Status();
  }

  Status checkPorts() const {
    for (size_t i = 0; i < stage.buffers.size(); ++i)
      if (stage.buffers[i].kind == BufferKind::Input) {
        const PortSpec &port = manifest.inputs[stage.buffers[i].input];
        TAKT_RETURN_IF_ERROR(expectBytes("input '" + port.name + "'",
                                         static_cast<int32_t>(i),
                                         bytesOf(port.shape, port.dtype)));
      }
    for (const StageOutputSpec &output : stage.outputs) {
      const PortSpec &port = manifest.outputs[output.output];
      TAKT_RETURN_IF_ERROR(expectBytes("output '" + port.name + "'",
                                       output.buffer,
                                       bytesOf(port.shape, port.dtype)));
    }
    return Status();
  }

  Status checkChannels() const {
    for (size_t i = 0; i < manifest.channels.size(); ++i) {
      const ChannelSpec &channel = manifest.channels[i];
      Result<int64_t> bytes = bytesOf(channel.shape, channel.dtype);
      if (channel.sourceRank == rank.id)
        TAKT_RETURN_IF_ERROR(
            expectBytes(join("channel ", i), channel.sourceBuffer, bytes));
      if (channel.targetRank == rank.id)
        TAKT_RETURN_IF_ERROR(
            expectBytes(join("channel ", i), channel.targetBuffer, bytes));
    }
    return Status();
  }

  Status checkOperation(size_t index) {
    const OperationSpec &operation = stage.operations[index];
    std::string owner = "operation '" + operation.name + "'";
    auto expect = [&](int32_t buffer, const ValueIndices &shape, Dtype dtype) {
      return expectBytes(owner, buffer, bytesOf(shape, dtype));
    };
    if (operation.kind == OperationKind::Collective)
      return checkCollective(owner, operation.collective,
                             plan.collectives[index]);
    if (operation.kind == OperationKind::Pool) {
      const PoolSpec &pool = operation.pool;
      TAKT_RETURN_IF_ERROR(expect(pool.input, pool.inputShape, Dtype::F32));
      return expect(pool.output, pool.outputShape, Dtype::F32);
    }
    const ContractionSpec &c = operation.contraction;
    ValueIndices rhs = {c.k, c.n};
    if (!c.rhsShared)
      rhs.push_back(c.batch);
    TAKT_RETURN_IF_ERROR(expect(c.lhs, {c.batch, c.m, c.k}, Dtype::F32));
    TAKT_RETURN_IF_ERROR(expect(c.rhs, rhs, Dtype::F32));
    TAKT_RETURN_IF_ERROR(expect(c.output, {c.batch, c.m, c.n}, Dtype::F32));
    for (const EpilogueSpec &epilogue : c.epilogues) {
      if (epilogue.kind == EpilogueKind::Bias)
        TAKT_RETURN_IF_ERROR(expect(epilogue.buffer, {c.n}, Dtype::F32));
      if (epilogue.kind == EpilogueKind::Add)
        TAKT_RETURN_IF_ERROR(
            expect(epilogue.buffer, {c.batch, c.m, c.n}, Dtype::F32));
    }
    return Status();
  }

  Status checkCollective(const std::string &owner, const CollectiveSpec &spec,
                         CollectiveSizes &sizes) const {
    sizes = {plan.values[spec.outer], plan.values[spec.part],
             plan.values[spec.inner]};
    int64_t width = sizeOf(spec.dtype);
    TAKT_RETURN_IF_ERROR(expectBytes(
        owner, spec.input,
        checkedBytes({sizes.outer, sizes.part, sizes.inner}, width)));
    int64_t part = sizes.part;
    int64_t shards = stage.tensorParallel;
    if (spec.kind == CollectiveKind::ReduceScatter) {
      if (part % shards)
        return bundleError("stage '", stage.name, "', ", owner, ": ", part,
                           " does not divide by ", shards, " shards");
      part /= shards;
    }
    if (spec.kind != CollectiveKind::AllGather)
      shards = 1;
    return expectBytes(
        owner, spec.output,
        checkedBytes({sizes.outer, shards, part, sizes.inner}, width));
  }

  /// Step after the last one, for buffers that are read after the forward.
  static constexpr int32_t theEnd = std::numeric_limits<int32_t>::max();

  Status placeBuffers() {
    std::vector<int32_t> last;
    for (const BufferSpec &buffer : stage.buffers)
      last.push_back(buffer.last);
    for (const StageOutputSpec &output : stage.outputs)
      last[output.buffer] = theEnd;
    for (const ChannelSpec &channel : manifest.channels)
      if (channel.sourceRank == rank.id)
        last[channel.sourceBuffer] = theEnd;

    std::vector<ArenaItem> items;
    std::vector<size_t> owners;
    for (size_t i = 0; i < stage.buffers.size(); ++i)
      if (stage.buffers[i].kind == BufferKind::Arena) {
        items.push_back(
            {alignUp(plan.bufferBytes[i]), stage.buffers[i].first, last[i]});
        owners.push_back(i);
      }
    Result<ArenaPlan> arena = planArena(items);
    if (!arena.ok())
      return arena.status();
    TAKT_RETURN_IF_ERROR(verifyArena(items, *arena));
    plan.arenaBytes = arena->bytes;
    plan.arenaLowerBound = arena->lowerBound;
    plan.arenaOffsets.assign(stage.buffers.size(), -1);
    for (size_t i = 0; i < owners.size(); ++i)
      plan.arenaOffsets[owners[i]] = arena->offsets[i];
    return Status();
  }

  const Manifest &manifest;
  const RankSpec &rank;
  const StageSpec &stage;
  ShapePlan &plan;
};

} // namespace

Result<ShapePlan> makeShapePlan(const Manifest &manifest, const RankSpec &rank,
                                const std::vector<int64_t> &dims,
                                const std::vector<int64_t> &values) {
  ShapePlan plan;
  plan.dims = dims;
  plan.values = values;
  // The request's values are those of shard 0.
  std::vector<int64_t> symbols = dims;
  symbols.push_back(rank.shard);
  for (size_t i = 0; i < values.size(); ++i)
    if (manifest.values[i].mentions(manifest.shardDim()))
      TAKT_RETURN_IF_ERROR(
          manifest.values[i].evaluate(symbols.data(), plan.values[i]));
  if (Status status = PlanMaker(manifest, rank, plan).run(); !status.ok())
    return status;
  return plan;
}

ShapePlan *ShapePlanCache::find(const std::vector<int64_t> &dims) {
  auto found =
      std::find_if(plans.begin(), plans.end(),
                   [&](const ShapePlan &plan) { return plan.dims == dims; });
  if (found == plans.end())
    return nullptr;
  plans.splice(plans.begin(), plans, found);
  return &plans.front();
}

ShapePlan &ShapePlanCache::insert(ShapePlan plan) {
  if (plans.size() >= capacity)
    plans.pop_back();
  plans.push_front(std::move(plan));
  return plans.front();
}

} // namespace takt::runtime
