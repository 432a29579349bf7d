#include "runtime/core/BufferPlacement.h"
#include "runtime/core/Arena.h"
#include "runtime/core/Memory.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace takt::runtime {
namespace {

/// Step after the last one, for buffers that are read after the forward.
constexpr int32_t theEnd = std::numeric_limits<int32_t>::max();

class Placement {
public:
  Placement(const Manifest &manifest, const RankSpec &rank, ShapePlan &plan)
      : stage(manifest.stages[rank.stage]), plan(plan),
        place(stage.buffers.size()) {
    std::iota(place.begin(), place.end(), size_t(0));
    for (const BufferSpec &buffer : stage.buffers)
      last.push_back(buffer.last);
    for (const StageOutputSpec &output : stage.outputs)
      last[output.buffer] = theEnd;
    for (const ChannelSpec &channel : manifest.channels)
      if (channel.sourceRank == rank.id)
        last[channel.sourceBuffer] = theEnd;
    placeOutputs(rank);
  }

  Status run() {
    plan.addsInPlace.assign(stage.operations.size(), false);
    for (size_t i = 0; i < stage.operations.size(); ++i)
      if (canAddInPlace(stage.operations[i])) {
        plan.addsInPlace[i] = true;
        shared(stage.operations[i]);
      }
    return fill();
  }

private:
  /// A buffer that goes out twice lies in the first output's memory. All shards
  /// hold equal outputs, so the first one's count.
  void placeOutputs(const RankSpec &rank) {
    plan.outputs.assign(stage.buffers.size(), -1);
    if (rank.shard != 0)
      return;
    for (const StageOutputSpec &output : stage.outputs)
      if (stage.buffers[output.buffer].kind == BufferKind::Arena &&
          plan.outputs[output.buffer] < 0 && plan.bufferBytes[output.buffer])
        plan.outputs[output.buffer] = output.output;
  }

  bool isInArena(size_t buffer) const {
    return stage.buffers[buffer].kind == BufferKind::Arena &&
           plan.outputs[buffer] < 0;
  }

  /// The first epilogue if it is an addition, or the second behind a bias.
  static const EpilogueSpec *firstAdd(const OperationSpec &operation) {
    const std::vector<EpilogueSpec> *list = operation.getEpilogues();
    bool isScaled = operation.kind == OperationKind::Contraction &&
                    operation.contraction.scale != 0;
    if (!list || list->empty() || isScaled)
      return nullptr;
    size_t at = list->front().kind == EpilogueKind::Bias;
    return at < list->size() && (*list)[at].kind == EpilogueKind::Add
               ? &(*list)[at]
               : nullptr;
  }

  bool canAddInPlace(const OperationSpec &operation) const {
    const EpilogueSpec *add = firstAdd(operation);
    if (!add)
      return false;
    size_t output = operation.getOutput(), addend = add->buffer;
    int reads = 0;
    for (int32_t buffer : operation.getReads()) {
      // Without elements to multiply the output is overwritten by zeros.
      if (plan.bufferBytes[buffer] == 0)
        return false;
      reads += buffer == add->buffer;
    }
    return isInArena(addend) && isInArena(output) && reads == 1 &&
           plan.bufferBytes[addend] == plan.bufferBytes[output] &&
           last[addend] == stage.buffers[output].first &&
           stage.buffers[addend].first < stage.buffers[output].first;
  }

  /// The output takes the addend's place.
  void shared(const OperationSpec &operation) {
    size_t output = operation.getOutput();
    place[output] = static_cast<size_t>(firstAdd(operation)->buffer);
  }

  size_t rootOf(size_t buffer) const {
    while (place[buffer] != buffer)
      buffer = place[buffer];
    return buffer;
  }

  Status fill() {
    std::vector<int32_t> end(last);
    for (size_t i = 0; i < place.size(); ++i)
      if (size_t root = rootOf(i); root != i)
        end[root] = std::max(end[root], last[i]);
    std::vector<ArenaItem> items;
    std::vector<size_t> owners;
    for (size_t i = 0; i < stage.buffers.size(); ++i)
      if (isInArena(i) && rootOf(i) == i) {
        items.push_back(
            {alignUp(plan.bufferBytes[i]), stage.buffers[i].first, end[i]});
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
    for (size_t i = 0; i < stage.buffers.size(); ++i)
      plan.arenaOffsets[i] = plan.arenaOffsets[rootOf(i)];
    return Status();
  }

  const StageSpec &stage;
  ShapePlan &plan;
  std::vector<size_t> place; // the buffer in whose place it lies; itself
  std::vector<int32_t> last; // step that reads it last
};

} // namespace

Status placeBuffers(const Manifest &manifest, const RankSpec &rank,
                    ShapePlan &plan) {
  return Placement(manifest, rank, plan).run();
}

} // namespace takt::runtime
