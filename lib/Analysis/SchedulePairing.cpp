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
    if (channel.depth < 1)
      return fail(channelText(schedule, id) + " has depth " +
                  llvm::Twine(channel.depth) + "; expected at least 1");
  }
  std::vector<bool> grouped(ranks, false);
  for (const auto &group : schedule.groups)
    for (int rank : group) {
      if (!isRank(rank) || grouped[rank])
        return fail("rank " + llvm::Twine(rank) +
                    " of a group does not exist or is in two groups");
      grouped[rank] = true;
    }
  return llvm::Error::success();
}

namespace {
/// The micro-batches of a channel's instructions by kind, in program order.
struct Traffic {
  llvm::SmallVector<int64_t> received, freed, sent;
};
} // namespace

static llvm::Error addInstruction(const Schedule &schedule, int rank,
                                  size_t index, const Instruction &instruction,
                                  std::vector<Traffic> &traffic) {
  if (instruction.kind == Instruction::Forward)
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

static std::vector<int64_t> forwards(llvm::ArrayRef<Instruction> list) {
  std::vector<int64_t> result;
  for (const Instruction &instruction : list)
    if (instruction.kind == Instruction::Forward)
      result.push_back(instruction.microBatch);
  return result;
}

llvm::Error takt::checkPairing(const Schedule &schedule) {
  if (llvm::Error error = checkDefinitions(schedule))
    return error;
  std::vector<Traffic> traffic(schedule.channels.size());
  for (auto [rank, list] : llvm::enumerate(schedule.ranks))
    for (auto [index, instruction] : llvm::enumerate(list))
      if (llvm::Error error =
              addInstruction(schedule, rank, index, instruction, traffic))
        return error;
  for (auto [id, messages] : llvm::enumerate(traffic)) {
    if (llvm::Error error =
            compare(schedule, id, "received", messages.sent, messages.received))
      return error;
    if (llvm::Error error =
            compare(schedule, id, "freed", messages.sent, messages.freed))
      return error;
  }
  for (const auto &group : schedule.groups)
    for (int rank : group)
      if (forwards(schedule.ranks[rank]) !=
          forwards(schedule.ranks[group.front()]))
        return fail("ranks " + llvm::Twine(group.front()) + " and " +
                    llvm::Twine(rank) +
                    " of one group run different sequences of micro-batches");
  return llvm::Error::success();
}
