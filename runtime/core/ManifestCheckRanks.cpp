#include "runtime/abi/Abi.h"
#include "runtime/core/Manifest.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace takt::runtime {
namespace {

Status checkBufferIndex(const StageSpec &stage, int32_t buffer, Dtype dtype,
                        const std::string &owner) {
  if (buffer < 0 || buffer >= static_cast<int32_t>(stage.buffers.size()))
    return bundleError("manifest: ", owner, " names buffer ", buffer, " of ",
                       stage.buffers.size(), " of stage '", stage.name, "'");
  if (stage.buffers[buffer].dtype != dtype)
    return bundleError("manifest: ", owner, ": dtype differs from buffer ",
                       buffer, " of stage '", stage.name, "'");
  return Status();
}

Status checkChannel(const Manifest &manifest, const ChannelSpec &channel,
                    const std::string &owner) {
  auto isRank = [&](int32_t rank) {
    return rank >= 0 && rank < static_cast<int32_t>(manifest.ranks.size()) &&
           manifest.ranks[rank].stage >= 0;
  };
  if (!isRank(channel.sourceRank) || !isRank(channel.targetRank))
    return bundleError("manifest: ", owner, " joins ranks ", channel.sourceRank,
                       " and ", channel.targetRank, ", one of which is not a ",
                       "working rank");
  const RankSpec &source = manifest.ranks[channel.sourceRank];
  const RankSpec &target = manifest.ranks[channel.targetRank];
  // Data that flows to later stages only cannot wait for itself.
  if (source.replica != target.replica || source.stage >= target.stage)
    return bundleError("manifest: ", owner, " leads from stage ", source.stage,
                       " to ", target.stage,
                       "; a later stage of the same replica expected");
  if (channel.depth < 1 || channel.depth > 4096)
    return bundleError("manifest: ", owner, " has depth ", channel.depth,
                       ", 1 to 4096 expected");
  TAKT_RETURN_IF_ERROR(checkShape(manifest, channel.shape, owner));
  TAKT_RETURN_IF_ERROR(checkBufferIndex(manifest.stages[source.stage],
                                        channel.sourceBuffer, channel.dtype,
                                        owner));
  const StageSpec &stage = manifest.stages[target.stage];
  TAKT_RETURN_IF_ERROR(
      checkBufferIndex(stage, channel.targetBuffer, channel.dtype, owner));
  if (stage.buffers[channel.targetBuffer].kind != BufferKind::Channel)
    return bundleError("manifest: ", owner, " fills buffer ",
                       channel.targetBuffer, ", which is no CHANNEL buffer");
  return Status();
}

/// One rank's program: RECEIVE* FORWARD (FREE | SEND)*, each of its channels
/// once, and a slot not freed before the value was passed on.
class ProgramChecker {
public:
  /// `own`: the channels that the rank is source or target of.
  ProgramChecker(const Manifest &manifest, const RankSpec &rank,
                 const std::vector<int32_t> &own)
      : manifest(manifest), rank(rank), owner(join("rank ", rank.id)) {
    for (int32_t channel : own)
      uses[channel];
  }

  Status run() {
    for (const InstructionSpec &instruction : rank.instructions)
      TAKT_RETURN_IF_ERROR(step(instruction));
    if (forwards != 1)
      return bundleError("manifest: ", owner, " has ", forwards,
                         " FORWARD instructions, 1 expected");
    std::set<int32_t> filled;
    for (const auto &[i, use] : uses) {
      const ChannelSpec &channel = manifest.channels[i];
      bool isSource = channel.sourceRank == rank.id;
      bool isTarget = channel.targetRank == rank.id;
      if (use.sends != isSource || use.receives != isTarget ||
          use.frees != isTarget)
        return bundleError("manifest: ", owner, " must use channel ", i,
                           " once: SEND by its source, RECEIVE and FREE by ",
                           "its target");
      if (isTarget && !filled.insert(channel.targetBuffer).second)
        return bundleError("manifest: ", owner, " receives buffer ",
                           channel.targetBuffer, " twice");
    }
    return checkAllFilled(filled);
  }

private:
  struct Use {
    int sends = 0;
    int receives = 0;
    int frees = 0;
  };

  Status step(const InstructionSpec &instruction) {
    if (instruction.kind == InstructionKind::Forward) {
      ++forwards;
      return Status();
    }
    if (instruction.channel < 0 ||
        instruction.channel >= static_cast<int32_t>(manifest.channels.size()))
      return bundleError("manifest: ", owner, " names channel ",
                         instruction.channel, " of ", manifest.channels.size());
    Use &use = uses[instruction.channel];
    bool isReceive = instruction.kind == InstructionKind::Receive;
    if (isReceive != (forwards == 0))
      return bundleError("manifest: ", owner, " has a ",
                         nameOf(instruction.kind), " on the wrong side of its ",
                         "FORWARD");
    if (isReceive) {
      ++use.receives;
    } else if (instruction.kind == InstructionKind::Free) {
      ++use.frees;
      freed.insert(manifest.channels[instruction.channel].targetBuffer);
    } else {
      ++use.sends;
      if (freed.count(manifest.channels[instruction.channel].sourceBuffer) &&
          isChannelBuffer(instruction.channel))
        return bundleError("manifest: ", owner, " sends on channel ",
                           instruction.channel, " what it has freed");
    }
    return Status();
  }

  bool isChannelBuffer(int32_t channel) const {
    const ChannelSpec &spec = manifest.channels[channel];
    // A channel of another rank is refused at the end of `run`.
    return spec.sourceRank == rank.id &&
           manifest.stages[rank.stage].buffers[spec.sourceBuffer].kind ==
               BufferKind::Channel;
  }

  Status checkAllFilled(const std::set<int32_t> &filled) const {
    const std::vector<BufferSpec> &buffers =
        manifest.stages[rank.stage].buffers;
    for (size_t i = 0; i < buffers.size(); ++i)
      if (buffers[i].kind == BufferKind::Channel &&
          !filled.count(static_cast<int32_t>(i)))
        return bundleError("manifest: no channel fills buffer ", i, " of ",
                           owner);
    return Status();
  }

  const Manifest &manifest;
  const RankSpec &rank;
  std::string owner;
  std::map<int32_t, Use> uses; // by channel
  std::set<int32_t> freed;
  int forwards = 0;
};

Status checkRank(const Manifest &manifest, size_t index) {
  const RankSpec &rank = manifest.ranks[index];
  if (rank.id != static_cast<int32_t>(index))
    return bundleError("manifest: rank ", index, " has id ", rank.id);
  if (rank.stage == -1)
    return rank.instructions.empty() ? Status()
                                     : bundleError("manifest: idle rank ",
                                                   index, " has instructions");
  if (rank.stage < 0 ||
      rank.stage >= static_cast<int32_t>(manifest.stages.size()) ||
      rank.shard < 0 ||
      rank.shard >= manifest.stages[rank.stage].tensorParallel ||
      rank.replica < 0 ||
      rank.replica >= static_cast<int32_t>(manifest.ranks.size()))
    return bundleError("manifest: rank ", index, " is replica ", rank.replica,
                       ", stage ", rank.stage, ", shard ", rank.shard,
                       ": no such place");
  if (!rank.weights.empty())
    return checkPath(manifest, rank.weights);
  for (const BufferSpec &buffer : manifest.stages[rank.stage].buffers)
    if (buffer.kind == BufferKind::Weight)
      return bundleError("manifest: rank ", index, " has no weight file");
  return Status();
}

/// Each shard of each stage of each replica is one rank's.
Status checkPlaces(Manifest &manifest) {
  std::set<std::tuple<int32_t, int32_t, int32_t>> places;
  for (const RankSpec &rank : manifest.ranks) {
    if (rank.stage < 0)
      continue;
    manifest.replicas = std::max(manifest.replicas, rank.replica + 1);
    if (!places.insert({rank.replica, rank.stage, rank.shard}).second)
      return bundleError("manifest: two ranks are replica ", rank.replica,
                         ", stage ", rank.stage, ", shard ", rank.shard);
  }
  size_t shards = 0;
  for (const StageSpec &stage : manifest.stages)
    shards += stage.tensorParallel;
  size_t expected = shards * manifest.replicas;
  if (places.empty() || places.size() != expected)
    return bundleError("manifest: ", places.size(), " working ranks for ",
                       expected, " shards of all stages and replicas");
  return Status();
}

} // namespace

Status checkRanks(Manifest &manifest) {
  if (manifest.ranks.size() > TAKT_MAX_RANKS)
    return bundleError("manifest: ", manifest.ranks.size(), " ranks, at most ",
                       TAKT_MAX_RANKS, " are supported");
  for (size_t i = 0; i < manifest.ranks.size(); ++i)
    TAKT_RETURN_IF_ERROR(checkRank(manifest, i));
  TAKT_RETURN_IF_ERROR(checkPlaces(manifest));
  std::vector<std::vector<int32_t>> own(manifest.ranks.size());
  for (size_t i = 0; i < manifest.channels.size(); ++i) {
    const ChannelSpec &channel = manifest.channels[i];
    TAKT_RETURN_IF_ERROR(checkChannel(manifest, channel, join("channel ", i)));
    own[channel.sourceRank].push_back(static_cast<int32_t>(i));
    own[channel.targetRank].push_back(static_cast<int32_t>(i));
  }
  for (const RankSpec &rank : manifest.ranks)
    if (rank.stage >= 0)
      TAKT_RETURN_IF_ERROR(ProgramChecker(manifest, rank, own[rank.id]).run());
  return Status();
}

} // namespace takt::runtime
