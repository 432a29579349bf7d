//===- SchedulePairing.cpp - do the lists of a schedule fit together? -----===//
#include "takt/Analysis/DeadlockCheck.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace takt;

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "schedule: " + message);
}

static std::string place(int rank, size_t index,
                         const Instruction &instruction) {
  return "rank " + std::to_string(rank) + " #" + std::to_string(index) + " " +
         instruction.str();
}

static std::string channelText(const Schedule &schedule, int id) {
  const ScheduleChannel &channel = schedule.channels[id];
  return "channel " + std::to_string(id) + " (rank " +
         std::to_string(channel.source) + " -> " +
         std::to_string(channel.target) + ")";
}

static llvm::Error checkDefinitions(const Schedule &schedule) {
  int ranks = schedule.ranks.size();
  auto isRank = [&](int rank) { return rank >= 0 && rank < ranks; };
  for (auto [id, channel] : llvm::enumerate(schedule.channels)) {
    if (!isRank(channel.source) || !isRank(channel.target) ||
        channel.source == channel.target)
      return fail(channelText(schedule, id) + " must join two of the " +
                  llvm::Twine(ranks) + " ranks");
    if (channel.depth < 0)
      return fail(channelText(schedule, id) + " has depth " +
                  llvm::Twine(channel.depth) +
                  "; expected at least 0, a rendezvous");
  }
  std::vector<bool> grouped(ranks, false);
  for (const auto &group : schedule.groups)
    for (int rank : group) {
      if (!isRank(rank) || grouped[rank])
        return fail("rank " + llvm::Twine(rank) +
                    " of a group does not exist or is in two groups");
      grouped[rank] = true;
    }
  for (const auto &set : schedule.collectives)
    for (auto [index, rank] : llvm::enumerate(set))
      if (!isRank(rank) ||
          llvm::is_contained(llvm::ArrayRef(set).take_front(index), rank))
        return fail("rank " + llvm::Twine(rank) +
                    " of a collective does not exist or is in it twice");
  return llvm::Error::success();
}

namespace {
/// The micro-batches of a channel's instructions by kind, in program order.
struct Traffic {
  llvm::SmallVector<int64_t> received, freed, sent;
};
} // namespace

static llvm::Error checkJoin(int rank, size_t index,
                             llvm::ArrayRef<Instruction> list) {
  auto isTransfer = [](const Instruction &instruction) {
    return instruction.kind == Instruction::Send ||
           instruction.kind == Instruction::Receive;
  };
  if (list[index].joinsPrevious &&
      (index == 0 || !isTransfer(list[index]) || !isTransfer(list[index - 1])))
    return fail(place(rank, index, list[index]) +
                ": only a send or receive can join another");
  return llvm::Error::success();
}

static llvm::Error checkCollective(const Schedule &schedule, int rank,
                                   size_t index,
                                   const Instruction &instruction) {
  int set = instruction.channel;
  if (set < 0 || set >= int(schedule.collectives.size()) ||
      !llvm::is_contained(schedule.collectives[set], rank))
    return fail(place(rank, index, instruction) +
                ": the rank is in no such set");
  return llvm::Error::success();
}

static llvm::Error addInstruction(const Schedule &schedule, int rank,
                                  size_t index, const Instruction &instruction,
                                  std::vector<Traffic> &traffic) {
  if (instruction.kind == Instruction::Collective)
    return checkCollective(schedule, rank, index, instruction);
  if (instruction.isCompute())
    return llvm::Error::success();
  int id = instruction.channel;
  std::string where = place(rank, index, instruction);
  if (id < 0 || id >= int(schedule.channels.size()))
    return fail(where + ": there is no such channel");
  const ScheduleChannel &channel = schedule.channels[id];
  bool isSend = instruction.kind == Instruction::Send;
  if ((isSend ? channel.source : channel.target) != rank)
    return fail(where + ": " + channelText(schedule, id) +
                (isSend ? " has another source" : " has another target"));
  Traffic &messages = traffic[id];
  if (isSend)
    messages.sent.push_back(instruction.microBatch);
  else if (instruction.kind == Instruction::Receive)
    messages.received.push_back(instruction.microBatch);
  else {
    messages.freed.push_back(instruction.microBatch);
    if (messages.freed.size() > messages.received.size())
      return fail(where + ": nothing received is left to free");
  }
  return llvm::Error::success();
}

static llvm::Error compare(const Schedule &schedule, int id,
                           llvm::StringRef what,
                           llvm::ArrayRef<int64_t> expected,
                           llvm::ArrayRef<int64_t> found) {
  std::string name = channelText(schedule, id);
  if (expected.size() != found.size())
    return fail(name + ": " + llvm::Twine(expected.size()) +
                " messages are sent but " + llvm::Twine(found.size()) +
                " are " + what);
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(expected, found)))
    if (auto [sent, other] = pair; sent != other)
      return fail(name + ": message " + llvm::Twine(index) +
                  " is sent as micro-batch " + llvm::Twine(sent) + " but " +
                  what + " as " + llvm::Twine(other));
  return llvm::Error::success();
}

/// All ranks of a set must run the same instructions of those that meet.
static llvm::Error
compareMembers(const Schedule &schedule, llvm::ArrayRef<int> members,
               llvm::StringRef what,
               llvm::function_ref<bool(const Instruction &)> meets) {
  auto sequence = [&](int rank) {
    std::vector<Instruction> result;
    llvm::copy_if(schedule.ranks[rank], std::back_inserter(result), meets);
    return result;
  };
  for (int rank : members)
    if (sequence(rank) != sequence(members.front()))
      return fail("ranks " + llvm::Twine(members.front()) + " and " +
                  llvm::Twine(rank) + " of one " + what +
                  " run different sequences of instructions that meet");
  return llvm::Error::success();
}

static llvm::Error checkMeetings(const Schedule &schedule) {
  for (const auto &group : schedule.groups)
    if (llvm::Error error = compareMembers(
            schedule, group, "group",
            [](const Instruction &one) { return one.isCompute(); }))
      return error;
  for (auto [id, set] : llvm::enumerate(schedule.collectives))
    if (llvm::Error error = compareMembers(
            schedule, set, "collective", [id = id](const Instruction &one) {
              return one.kind == Instruction::Collective &&
                     one.channel == int(id);
            }))
      return error;
  return llvm::Error::success();
}

llvm::Error takt::checkPairing(const Schedule &schedule) {
  if (llvm::Error error = checkDefinitions(schedule))
    return error;
  std::vector<Traffic> traffic(schedule.channels.size());
  for (auto [rank, list] : llvm::enumerate(schedule.ranks))
    for (auto [index, instruction] : llvm::enumerate(list)) {
      if (llvm::Error error = checkJoin(rank, index, list))
        return error;
      if (llvm::Error error =
              addInstruction(schedule, rank, index, instruction, traffic))
        return error;
    }
  for (auto [id, messages] : llvm::enumerate(traffic)) {
    if (llvm::Error error =
            compare(schedule, id, "received", messages.sent, messages.received))
      return error;
    if (schedule.channels[id].depth == 0) {
      if (!messages.freed.empty())
        return fail(channelText(schedule, id) +
                    " is a rendezvous and has no slots to free");
      continue;
    }
    if (llvm::Error error =
            compare(schedule, id, "freed", messages.sent, messages.freed))
      return error;
  }
  return checkMeetings(schedule);
}
