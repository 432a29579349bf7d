//===- VerifyRanks.cpp - channels and ranks against the stages' ports -----===//
#include "VerifyRanks.h"

#include <set>

using namespace mlir;
using namespace takt;

namespace {

/// Where a rank stands in the plan.
struct Place {
  int64_t replica, stage, shard;
  bool operator==(const Place &rhs) const {
    return replica == rhs.replica && stage == rhs.stage && shard == rhs.shard;
  }
};

class RankVerifier {
public:
  RankVerifier(ModuleOp module, const StagePorts &ports, const ModulePlan &plan)
      : module(module), ports(ports), plan(plan) {}

  LogicalResult run();

private:
  Place placeOf(int64_t rank) const;
  LogicalResult verifyPlaces();
  LogicalResult verifyChannel(ChannelOp channel);
  LogicalResult verifyReception();
  LogicalResult verifyInstructions(RankOp rank);

  ModuleOp module;
  const StagePorts &ports;
  const ModulePlan &plan;
  std::map<int64_t, ChannelOp> channels;          // by id
  std::set<std::pair<int64_t, int64_t>> received; // value, target rank
};

} // namespace

Place RankVerifier::placeOf(int64_t rank) const {
  int64_t perReplica = plan.ranksPerReplica();
  int64_t offset = rank % perReplica;
  for (auto [stage, record] : llvm::enumerate(plan.stages)) {
    if (offset < record.tensorParallel)
      return {rank / perReplica, int64_t(stage), offset};
    offset -= record.tensorParallel;
  }
  return {rank / perReplica, -1, 0};
}

LogicalResult RankVerifier::verifyPlaces() {
  int64_t next = 0;
  for (auto rank : module.getOps<RankOp>()) {
    Place place = placeOf(next);
    if (int64_t(rank.getId()) != next ||
        !(Place{int64_t(rank.getReplica()), int64_t(rank.getStage()),
                int64_t(rank.getShard())} == place))
      return rank.emitOpError("is not the next of the plan's ranks: expected ")
             << next << " replica " << place.replica << " stage " << place.stage
             << " shard " << place.shard;
    ++next;
  }
  int64_t expected = plan.dataParallel * plan.ranksPerReplica();
  if (next != expected)
    return module.emitError("module has ")
           << next << " takt.rank ops, expected " << expected;
  return success();
}

LogicalResult RankVerifier::verifyChannel(ChannelOp channel) {
  int64_t id = channel.getId(), value = channel.getValue();
  if (!channels.try_emplace(id, channel).second)
    return channel.emitOpError("is a second one of number ") << id;
  auto port = ports.channels.find(value);
  if (port == ports.channels.end())
    return channel.emitOpError("carries value ")
           << value << ", which no stage sends";
  if (int64_t(channel.getDepth()) < 1)
    return channel.emitOpError("has depth ")
           << int64_t(channel.getDepth()) << ", expected at least 1";
  int64_t count = plan.dataParallel * plan.ranksPerReplica();
  int64_t ends[] = {int64_t(channel.getSourceRank()),
                    int64_t(channel.getTargetRank())};
  for (int64_t rank : ends)
    if (rank < 0 || rank >= count)
      return channel.emitOpError("names rank ")
             << rank << ", expected one from 0 to " << count - 1;
  Place source = placeOf(ends[0]), target = placeOf(ends[1]);
  // The source's rank holds the receiver's part: the same shard where the value
  // crosses split, any where it is whole.
  int64_t shard =
      target.shard % ports.stages[port->second.source->stage].tensorParallel;
  Place expected{target.replica, port->second.source->stage, shard};
  if (!(source == expected) || target.stage != port->second.target->stage)
    return channel.emitOpError("leads from stage ")
           << source.stage << " shard " << source.shard << " to stage "
           << target.stage << ", expected from stage " << expected.stage
           << " shard " << shard << " of the same replica to stage "
           << port->second.target->stage;
  if (!received.insert({value, ends[1]}).second)
    return channel.emitOpError("brings value ")
           << value << " to rank " << ends[1] << " a second time";
  return success();
}

/// Every rank receives all that its stage receives, in one state at both ends.
LogicalResult RankVerifier::verifyReception() {
  for (const auto &[value, port] : ports.channels) {
    auto source = ports.stages[port.source->stage];
    auto target = ports.stages[port.target->stage];
    auto sent = source.forward.getResultAttrOfType<ShardingAttr>(
        port.source->index, attr::sharding);
    auto wanted = target.forward.getArgAttrOfType<ShardingAttr>(
        port.target->index, attr::sharding);
    if (!sent || sent != wanted || sent.getState().kind == State::Partial ||
        (sent.getState().kind == State::Split &&
         source.tensorParallel != target.tensorParallel))
      return target.forward.emitOpError("argument ")
             << port.target->index << " needs '" << attr::sharding
             << "' as at the other end of channel " << value
             << ", whole unless both stages have equally many ranks";
    for (auto rank : module.getOps<RankOp>())
      if (int64_t(rank.getStage()) == port.target->stage &&
          !received.count({value, rank.getId()}))
        return rank.emitOpError("has no channel for value ")
               << value << ", which its stage receives";
  }
  return success();
}

/// `receive N` and the like; N is -1 for forward.
static FailureOr<std::pair<StringRef, int64_t>> parse(StringRef text) {
  auto [kind, number] = text.split(' ');
  if (kind == "forward" && number.empty())
    return std::make_pair(kind, int64_t(-1));
  int64_t channel;
  if ((kind != "receive" && kind != "free" && kind != "send") ||
      number.getAsInteger(10, channel))
    return failure();
  return std::make_pair(kind, channel);
}

LogicalResult RankVerifier::verifyInstructions(RankOp rank) {
  // One of each that is due, and nothing else.
  std::set<std::pair<StringRef, int64_t>> due;
  for (auto &[id, channel] : channels) {
    if (channel.getTargetRank() == rank.getId())
      due.insert({{"receive", id}, {"free", id}});
    if (channel.getSourceRank() == rank.getId())
      due.insert({"send", id});
  }
  if (int64_t(rank.getStage()) >= 0)
    due.insert({"forward", -1});
  bool isForwardDone = false;
  for (Attribute attribute : rank.getInstructions()) {
    StringRef text = cast<StringAttr>(attribute).getValue();
    auto instruction = parse(text);
    if (failed(instruction) || !due.erase(*instruction))
      return rank.emitOpError("has instruction '")
             << text << "', which is not due; expected one of each kind per "
             << "channel of the rank, and one forward";
    StringRef kind = instruction->first;
    isForwardDone |= kind == "forward";
    if ((kind == "receive" && isForwardDone) ||
        ((kind == "free" || kind == "send") && !isForwardDone))
      return rank.emitOpError("has instruction '")
             << text << "' on the wrong side of forward";
  }
  if (!due.empty())
    return rank.emitOpError("lacks instruction '")
           << due.begin()->first
           << (due.begin()->second < 0
                   ? std::string()
                   : " " + std::to_string(due.begin()->second))
           << "'";
  return success();
}

LogicalResult RankVerifier::run() {
  if (failed(verifyPlaces()))
    return failure();
  for (auto channel : module.getOps<ChannelOp>())
    if (failed(verifyChannel(channel)))
      return failure();
  if (failed(verifyReception()))
    return failure();
  for (auto rank : module.getOps<RankOp>())
    if (failed(verifyInstructions(rank)))
      return failure();
  return success();
}

LogicalResult takt::verifyRanks(ModuleOp module, const StagePorts &ports) {
  FailureOr<ModulePlan> plan = ModulePlan::read(module);
  return failure(failed(plan) ||
                 failed(RankVerifier(module, ports, *plan).run()));
}
