#include "runtime/core/ShapePlan.h"
#include "runtime/core/BufferPlacement.h"
#include "runtime/core/Memory.h"

#include <algorithm>

namespace takt::runtime {
namespace {

/// Sizes of what a window slides over; products of a few of them fit into 64
/// bits.
constexpr int64_t largestWindowSize = int64_t(1) << 31;

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
    return placeBuffers(manifest, rank, plan);
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
    if (operation.kind == OperationKind::Pool)
      return checkPool(owner, operation.pool);
    if (operation.kind == OperationKind::Convolution)
      return checkConvolution(owner, operation.convolution);
    const ContractionSpec &c = operation.contraction;
    ValueIndices rhs = {c.k, c.n};
    if (!c.rhsShared)
      rhs.push_back(c.batch);
    TAKT_RETURN_IF_ERROR(expect(c.lhs, {c.batch, c.m, c.k}, Dtype::F32));
    TAKT_RETURN_IF_ERROR(expect(c.rhs, rhs, Dtype::F32));
    TAKT_RETURN_IF_ERROR(expect(c.output, {c.batch, c.m, c.n}, Dtype::F32));
    return checkEpilogues(owner, c.epilogues, {c.batch, c.m, c.n}, c.n);
  }

  Status checkEpilogues(const std::string &owner,
                        const std::vector<EpilogueSpec> &epilogues,
                        const ValueIndices &output, int32_t columns) const {
    for (const EpilogueSpec &epilogue : epilogues) {
      if (!epilogue.hasOperand())
        continue;
      bool isBias = epilogue.kind == EpilogueKind::Bias;
      TAKT_RETURN_IF_ERROR(expectBytes(
          owner, epilogue.buffer,
          bytesOf(isBias ? ValueIndices{columns} : output, Dtype::F32)));
    }
    return Status();
  }

  /// Buffers have the bytes of the shapes, and the output's spatial sizes are
  /// those that the window makes.
  Status checkWindow(const std::string &owner, const WindowSpec &window) const {
    TAKT_RETURN_IF_ERROR(expectBytes(owner, window.input,
                                     bytesOf(window.inputShape, Dtype::F32)));
    TAKT_RETURN_IF_ERROR(expectBytes(owner, window.output,
                                     bytesOf(window.outputShape, Dtype::F32)));
    // A size of 0 hides the others from the count of bytes.
    for (const ValueIndices *shape : {&window.inputShape, &window.outputShape})
      for (int32_t value : *shape)
        if (plan.values[value] > largestWindowSize)
          return inputError(owner, ": a size of ", plan.values[value],
                            " is beyond ", largestWindowSize);
    bool fits =
        plan.values[window.inputShape[0]] == plan.values[window.outputShape[0]];
    for (size_t i = 0; i < window.kernel.size(); ++i) {
      int64_t extent = (window.kernel[i] - 1) * window.dilations[i] + 1;
      int64_t room = plan.values[window.inputShape[1 + i]] +
                     window.padsBegin[i] + window.padsEnd[i] - extent;
      if (room < 0)
        return inputError(owner, ": a window of ", extent,
                          " elements does not fit into its padded input");
      fits &= plan.values[window.outputShape[1 + i]] ==
              room / window.strides[i] + 1;
    }
    if (!fits)
      return bundleError("stage '", stage.name, "', ", owner,
                         ": sizes of input and output do not fit together");
    return Status();
  }

  Status checkPool(const std::string &owner, const PoolSpec &pool) const {
    TAKT_RETURN_IF_ERROR(checkWindow(owner, pool));
    if (plan.values[pool.inputShape.back()] !=
        plan.values[pool.outputShape.back()])
      return bundleError("stage '", stage.name, "', ", owner,
                         ": input and output differ in their channels");
    return Status();
  }

  Status checkConvolution(const std::string &owner,
                          const ConvolutionSpec &convolution) const {
    TAKT_RETURN_IF_ERROR(checkWindow(owner, convolution));
    int64_t inputs = plan.values[convolution.inputShape.back()];
    int64_t outputs = plan.values[convolution.outputShape.back()];
    if (inputs % convolution.groups || outputs % convolution.groups)
      return bundleError("stage '", stage.name, "', ", owner,
                         ": channels do not divide by the groups");
    std::vector<int64_t> weight = {outputs, inputs / convolution.groups};
    weight.insert(weight.end(), convolution.kernel.begin(),
                  convolution.kernel.end());
    TAKT_RETURN_IF_ERROR(expectBytes(owner, convolution.weight,
                                     checkedBytes(weight, sizeof(float))));
    return checkEpilogues(owner, convolution.epilogues, convolution.outputShape,
                          convolution.outputShape.back());
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
