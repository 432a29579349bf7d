#include "runtime/core/RankRunner.h"
#include "runtime/device/Contraction.h"
#include "runtime/device/Convolution.h"
#include "runtime/device/Pool.h"

#include <algorithm>
#include <cstring>

namespace takt::runtime {
namespace {
/// Shapes whose plans a rank keeps.
constexpr size_t planCapacity = 32;
/// Micro-batches whose times a rank keeps.
constexpr size_t busyCapacity = 1 << 14;
} // namespace

RankRunner::RankRunner(const Bundle &bundle, int32_t rank, Monitor &monitor,
                       std::vector<std::unique_ptr<Channel>> &channels,
                       CollectiveGroup &group, bool quiet)
    : bundle(bundle), manifest(bundle.getManifest()),
      rank(manifest.ranks[rank]), stage(manifest.stages[this->rank.stage]),
      monitor(monitor), progress(monitor.progressOf(rank)), channels(channels),
      group(group), handle{this}, plans(planCapacity),
      buffers(stage.buffers.size()), busySeconds(busyCapacity) {
  device.quiet = quiet;
}

Status RankRunner::load() { return weights.load(bundle, rank); }

Status RankRunner::run(Request &request, int64_t number) {
  progress.microBatch.store(number);
  progress.instruction.store(0);
  Result<ShapePlan *> found = findPlan(request);
  if (!found.ok())
    return found.status();
  plan = *found;
  TAKT_RETURN_IF_ERROR(resolveBuffers(request));
  for (size_t i = 0; i < rank.instructions.size(); ++i) {
    progress.instruction.store(static_cast<int32_t>(i));
    TAKT_RETURN_IF_ERROR(execute(rank.instructions[i], request));
    monitor.noteProgress(rank.replica);
  }
  return Status();
}

Result<ShapePlan *> RankRunner::findPlan(const Request &request) {
  if (ShapePlan *known = plans.find(request.getDims()))
    return known;
  Result<ShapePlan> made =
      makeShapePlan(manifest, rank, request.getDims(), request.getValues());
  if (!made.ok())
    return made.status();
  if (Status status = prepareCalls(*made); !status.ok())
    return status;
  return &plans.insert(std::move(*made));
}

Status RankRunner::prepareCalls(ShapePlan &plan) {
  int64_t scratchpad = 0;
  for (size_t i = 0; i < stage.operations.size(); ++i) {
    const OperationSpec &operation = stage.operations[i];
    if (operation.kind == OperationKind::Collective)
      continue;
    auto prepare = [&]() -> Result<std::unique_ptr<PreparedCall>> {
      if (operation.kind == OperationKind::Pool)
        return preparePool(operation, plan.values, device);
      if (operation.kind == OperationKind::Convolution)
        return prepareConvolution(
            operation, plan.values, plan.addsInPlace[i],
            weights.packedOf(operation.convolution.weight), device);
      const ContractionSpec &spec = operation.contraction;
      PackedWeights *packed =
          spec.rhsShared ? weights.packedOf(spec.rhs) : nullptr;
      return prepareContraction(operation, plan.values, plan.addsInPlace[i],
                                packed, device);
    };
    Result<std::unique_ptr<PreparedCall>> call = prepare();
    if (!call.ok())
      return call.status();
    scratchpad = std::max(scratchpad, (*call)->getScratchpadBytes());
    plan.calls[i] = std::move(*call);
    monitor.noteProgress(rank.replica);
  }
  TAKT_RETURN_IF_ERROR(
      device.scratchpad.reserve(scratchpad, "oneDNN's scratchpad"));
  arenaLowerBound = std::max(arenaLowerBound, plan.arenaLowerBound);
  return arena.reserve(plan.arenaBytes, "the arena");
}

Status RankRunner::resolveBuffers(const Request &request) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const BufferSpec &buffer = stage.buffers[i];
    switch (buffer.kind) {
    case BufferKind::Arena:
      buffers[i] = plan->outputs[i] < 0
                       ? arena.data() + plan->arenaOffsets[i]
                       : request.getOutput(size_t(plan->outputs[i]));
      break;
    case BufferKind::Input:
      buffers[i] = const_cast<void *>(request.getInput(buffer.input));
      break;
    case BufferKind::Weight:
      buffers[i] = const_cast<void *>(weights.dataOf(i));
      break;
    case BufferKind::Channel:
      buffers[i] = nullptr; // until its RECEIVE
      break;
    }
  }
  return Status();
}

Status RankRunner::execute(const InstructionSpec &instruction,
                           Request &request) {
  if (instruction.kind == InstructionKind::Forward)
    return forward(request);
  const ChannelSpec &spec = manifest.channels[instruction.channel];
  Channel &channel = *channels[instruction.channel];
  switch (instruction.kind) {
  case InstructionKind::Receive:
    buffers[spec.targetBuffer] = channel.receive();
    return buffers[spec.targetBuffer] ? Status() : monitor.getFailure();
  case InstructionKind::Free:
    channel.release();
    return Status();
  default:
    return channel.send(buffers[spec.sourceBuffer],
                        plan->bufferBytes[spec.sourceBuffer]);
  }
}

Status RankRunner::forward(Request &request) {
  TaktFrame frame = {plan->values.data(), buffers.data(), &handle};
  error = Status();
  waited = 0;
  int64_t begin = monotonicNow();
  int32_t code = bundle.getForward(rank.stage)(&getStageApi(), &frame);
  int64_t busy = monotonicNow() - begin - waited;
  progress.operation.store(-1);
  busySeconds[busyCount++ % busyCapacity] = static_cast<float>(busy) * 1e-9f;
  if (!error.ok())
    return error;
  if (code != 0)
    return rankError("the stage library returned ", code,
                     " without saying why");
  copyOutputs(request);
  return Status();
}

/// Copies what does not lie in the request's memory already.
void RankRunner::copyOutputs(Request &request) const {
  if (rank.shard != 0)
    return;
  for (const StageOutputSpec &output : stage.outputs)
    if (int64_t bytes = plan->bufferBytes[output.buffer];
        bytes && plan->outputs[output.buffer] != output.output)
      std::memcpy(request.getOutput(output.output), buffers[output.buffer],
                  static_cast<size_t>(bytes));
}

RankMemory RankRunner::getMemory() const {
  RankMemory memory;
  memory.weights = weights.getBytes();
  for (size_t i = 0; i < stage.buffers.size(); ++i)
    if (const PackedWeights *packed = weights.packedOf(i))
      memory.packedWeights += packed->getBytes();
  memory.arena = arena.capacity();
  memory.arenaLowerBound = arenaLowerBound;
  memory.scratchpad = device.scratchpad.capacity();
  return memory;
}

std::vector<float> RankRunner::getBusySeconds() const {
  size_t count = std::min<uint64_t>(busyCount, busyCapacity);
  return std::vector<float>(busySeconds.begin(),
                            busySeconds.begin() + static_cast<long>(count));
}

} // namespace takt::runtime
