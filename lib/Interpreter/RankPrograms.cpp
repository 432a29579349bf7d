//===- RankPrograms.cpp - the schedule as the IR states it ----------------===//
#include "takt/Interpreter/RankPrograms.h"
#include "takt/Interpreter/BlockEvaluator.h"

using namespace mlir;
using namespace takt;

static constexpr StringLiteral instructionNames[] = {"receive", "forward",
                                                     "free", "send"};

llvm::Expected<RankInstruction> RankInstruction::parse(StringRef text) {
  auto [word, number] = text.split(' ');
  const auto *name = llvm::find(instructionNames, word);
  RankInstruction instruction{Kind(name - std::begin(instructionNames))};
  bool isForward =
      name != std::end(instructionNames) && instruction.kind == Forward;
  bool isValid = name != std::end(instructionNames) &&
                 (isForward ? text == word
                            : !number.getAsInteger(10, instruction.channel) &&
                                  instruction.channel >= 0);
  if (isValid)
    return instruction;
  return evaluationFailure("instruction '" + text +
                           "'; expected 'receive N', 'forward', 'free N' or "
                           "'send N'");
}

std::string RankInstruction::str() const {
  std::string text = instructionNames[kind].str();
  return kind == Forward ? text : text + " " + std::to_string(channel);
}

static llvm::Expected<RankPrograms::Rank> readRank(RankOp op) {
  RankPrograms::Rank rank{int64_t(op.getId()),
                          int64_t(op.getReplica()),
                          int64_t(op.getStage()),
                          int64_t(op.getShard()),
                          {}};
  for (StringRef text : op.getInstructions().getAsValueRange<StringAttr>()) {
    llvm::Expected<RankInstruction> instruction = RankInstruction::parse(text);
    if (!instruction)
      return evaluationFailure("rank " + Twine(rank.id) + ": " +
                               llvm::toString(instruction.takeError()));
    rank.instructions.push_back(*instruction);
  }
  return rank;
}

/// Sorts by id and fails unless the ids are 0, 1, 2, ….
template <typename T>
static llvm::Error order(SmallVectorImpl<T> &items, const char *what) {
  llvm::sort(items, [](const T &a, const T &b) { return a.id < b.id; });
  for (auto [i, item] : llvm::enumerate(items))
    if (item.id != int64_t(i))
      return evaluationFailure(Twine(what) + " ids must be 0, 1, 2, …; found " +
                               Twine(item.id) + " in place " + Twine(i));
  return llvm::Error::success();
}

static llvm::Error checkRank(const RankPrograms &programs,
                             const RankPrograms::Rank &rank) {
  auto fail = [&](const Twine &text) {
    return evaluationFailure("rank " + Twine(rank.id) + " " + text);
  };
  if (rank.stage == -1)
    return rank.instructions.empty() ? llvm::Error::success()
                                     : fail("is idle but has instructions");
  if (rank.stage < -1 || rank.stage >= int64_t(programs.stages.size()))
    return fail("runs stage " + Twine(rank.stage) + " of " +
                Twine(programs.stages.size()));
  if (rank.shard < 0 ||
      rank.shard >= tensorParallelOf(programs.stages[rank.stage]))
    return fail("is shard " + Twine(rank.shard) + " of " +
                Twine(tensorParallelOf(programs.stages[rank.stage])));
  for (const RankInstruction &instruction : rank.instructions) {
    if (instruction.kind == RankInstruction::Forward)
      continue;
    if (instruction.channel >= int64_t(programs.channels.size()))
      return fail("has '" + instruction.str() + "', but there are " +
                  Twine(programs.channels.size()) + " channels");
    const RankPrograms::Channel &channel =
        programs.channels[instruction.channel];
    bool sends = instruction.kind == RankInstruction::Send;
    if ((sends ? channel.sourceRank : channel.targetRank) != rank.id)
      return fail("has '" + instruction.str() +
                  "', but the channel leads from " + Twine(channel.sourceRank) +
                  " to " + Twine(channel.targetRank));
  }
  return llvm::Error::success();
}

static llvm::Error readStages(ModuleOp module, RankPrograms &programs) {
  for (auto stage : module.getOps<ModuleOp>()) {
    auto index = stage->getAttrOfType<IntegerAttr>(attr::stage);
    if (!index || index.getInt() != int64_t(programs.stages.size()))
      return evaluationFailure("stage modules must stand in order and have "
                               "takt.stage = 0, 1, 2, …");
    programs.stages.push_back(stage);
  }
  return llvm::Error::success();
}

llvm::Expected<RankPrograms> RankPrograms::read(ModuleOp module) {
  RankPrograms programs;
  if (llvm::Error error = readStages(module, programs))
    return error;
  for (auto op : module.getOps<ChannelOp>())
    programs.channels.push_back({int64_t(op.getId()), int64_t(op.getValue()),
                                 int64_t(op.getSourceRank()),
                                 int64_t(op.getTargetRank()),
                                 int64_t(op.getDepth())});
  for (auto op : module.getOps<RankOp>()) {
    llvm::Expected<Rank> rank = readRank(op);
    if (!rank)
      return rank.takeError();
    programs.ranks.push_back(std::move(*rank));
  }
  if (llvm::Error error = order(programs.channels, "channel"))
    return error;
  if (llvm::Error error = order(programs.ranks, "rank"))
    return error;
  for (const Channel &channel : programs.channels)
    for (int64_t rank : {channel.sourceRank, channel.targetRank})
      if (rank < 0 || rank >= int64_t(programs.ranks.size()) ||
          programs.ranks[rank].stage < 0 || channel.depth < 1)
        return evaluationFailure("channel " + Twine(channel.id) +
                                 " needs two working ranks and a depth of at "
                                 "least 1");
  for (const Rank &rank : programs.ranks)
    if (llvm::Error error = checkRank(programs, rank))
      return error;
  return programs;
}
