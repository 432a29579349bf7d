#include "ScheduleMutants.h"

#include "takt/Analysis/ComputeOrder.h"
#include "takt/Analysis/DeadlockCheck.h"
#include "takt/Analysis/ScheduleSimulator.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>

using namespace takt;
using namespace takt::test;

static int pick(int least, int count, std::mt19937 &random) {
  return least + int(random() % unsigned(count));
}

static ChunkCost randomCost(std::mt19937 &random) {
  ChunkCost cost;
  cost.forward = pick(1, 5, random);
  cost.backwardInput = pick(1, 5, random);
  cost.backwardWeight = pick(1, 5, random);
  return cost;
}

static ComputeOrder randomOrder(std::mt19937 &random) {
  int p = pick(1, 4, random), m = pick(1, 6, random);
  ChunkCost cost = randomCost(random);
  Cost transfer = pick(0, 3, random);
  auto search = [&](const ZeroBubbleProblem &problem) {
    return llvm::cantFail(zeroBubbleOrder(problem, {0}));
  };
  switch (random() % 7) {
  case 0:
    return streamOrder(p, m);
  case 1:
    return gpipeOrder(p, m);
  case 2:
    return oneFOneBOrder(p, m);
  case 3:
    return llvm::cantFail(interleavedOrder(p, pick(2, 2, random), p * m));
  case 4:
    return search(zeroBubbleH1(p, m, cost, transfer));
  case 5:
    return search(zeroBubbleH2(p, m, cost, transfer));
  default:
    return search(zeroBubbleV(p, m, cost, transfer));
  }
}

namespace {
/// Turns each rank into `shards` ranks, and all of that into `replicas`.
class Spreading {
public:
  Spreading(const Schedule &narrow, int shards, int replicas)
      : narrow(narrow), stages(narrow.ranks.size()), shards(shards),
        replicas(replicas) {
    wide.ranks.resize(replicas * stages * shards);
  }

  Schedule run();

private:
  int id(int replica, int stage, int shard) const {
    return (replica * stages + stage) * shards + shard;
  }
  void copy(int replica, int shard);
  void meet(llvm::SmallVector<int> set);

  const Schedule &narrow;
  int stages, shards, replicas;
  Schedule wide;
};
} // namespace

/// The lists and channels of one shard of one replica.
void Spreading::copy(int replica, int shard) {
  int firstChannel = wide.channels.size();
  for (ScheduleChannel channel : narrow.channels) {
    channel.source = id(replica, channel.source, shard);
    channel.target = id(replica, channel.target, shard);
    wide.channels.push_back(channel);
  }
  for (int stage = 0; stage < stages; ++stage)
    for (Instruction instruction : narrow.ranks[stage]) {
      if (instruction.usesChannel())
        instruction.channel += firstChannel;
      wide.ranks[id(replica, stage, shard)].push_back(instruction);
    }
}

/// Adds a collective to the ends of the ranks' lists.
void Spreading::meet(llvm::SmallVector<int> set) {
  if (set.size() < 2)
    return;
  for (int rank : set)
    wide.ranks[rank].push_back(
        {Instruction::Collective, int(wide.collectives.size()), 0});
  wide.collectives.push_back(std::move(set));
}

/// The shards of a rank are a group. At the end the first and the last rank of
/// a replica meet, as for tied weights, then the replicas of each rank.
Schedule Spreading::run() {
  for (int replica = 0; replica < replicas; ++replica)
    for (int shard = 0; shard < shards; ++shard) {
      copy(replica, shard);
      if (stages > 1)
        meet({id(replica, 0, shard), id(replica, stages - 1, shard)});
    }
  for (int stage = 0; stage < stages; ++stage)
    for (int shard = 0; shard < shards; ++shard) {
      llvm::SmallVector<int> set;
      for (int replica = 0; replica < replicas; ++replica)
        set.push_back(id(replica, stage, shard));
      meet(set);
    }
  for (int replica = 0; replica < replicas; ++replica)
    for (int stage = 0; stage < stages && shards > 1; ++stage) {
      auto &group = wide.groups.emplace_back();
      for (int shard = 0; shard < shards; ++shard)
        group.push_back(id(replica, stage, shard));
    }
  return std::move(wide);
}

static void varyChannels(Schedule &schedule, std::mt19937 &random) {
  bool mayMeet = random() % 3 == 0;
  for (auto [id, channel] : llvm::enumerate(schedule.channels)) {
    if (random() % 4 == 0)
      channel.depth += random() % 2;
    if (!mayMeet || random() % 3 != 0)
      continue;
    channel.depth = 0;
    llvm::erase_if(schedule.ranks[channel.target],
                   [id = int(id)](const Instruction &one) {
                     return one.kind == Instruction::Free && one.channel == id;
                   });
  }
}

static void groupTransfers(Schedule &schedule, std::mt19937 &random) {
  auto isTransfer = [](const Instruction &instruction) {
    return instruction.kind == Instruction::Send ||
           instruction.kind == Instruction::Receive;
  };
  for (std::vector<Instruction> &list : schedule.ranks)
    for (size_t i = 1; i < list.size(); ++i)
      list[i].joinsPrevious =
          isTransfer(list[i - 1]) && isTransfer(list[i]) && random() % 4 == 0;
}

RandomSchedule takt::test::randomSchedule(std::mt19937 &random) {
  ComputeOrder order = randomOrder(random);
  PipelineCosts costs = PipelineCosts::uniform(order.placement, {});
  for (std::vector<ChunkCost> &chunks : costs.chunks)
    for (ChunkCost &cost : chunks)
      cost = randomCost(random);
  costs.transfer = pick(0, 4, random);
  costs.collective = pick(0, 4, random);
  int shards = pick(1, 2, random), replicas = pick(1, 2, random);
  Schedule narrow = llvm::cantFail(makeSchedule(order, costs));
  RandomSchedule result{Spreading(narrow, shards, replicas).run(), costs};
  result.costs.chunks.clear();
  for (size_t rank = 0; rank < result.schedule.ranks.size(); ++rank)
    result.costs.chunks.push_back(
        costs.chunks[rank / shards % costs.chunks.size()]);
  varyChannels(result.schedule, random);
  groupTransfers(result.schedule, random);
  return result;
}

/// Moves an instruction past others of no channel or set in common, so that the
/// lists still pair and only a deadlock can result.
static void slide(std::vector<Instruction> &list, size_t at, size_t steps,
                  int direction) {
  auto resource = [](const Instruction &instruction) {
    return std::pair(instruction.isCompute(), instruction.channel);
  };
  for (; steps > 0; --steps) {
    size_t next = at + direction; // wraps below 0
    if (next >= list.size() || resource(list[at]) == resource(list[next]))
      return;
    std::swap(list[at], list[next]);
    at = next;
  }
}

void takt::test::mutate(Schedule &schedule, std::mt19937 &random) {
  std::vector<Instruction> &list =
      schedule.ranks[random() % schedule.ranks.size()];
  if (list.empty())
    return;
  size_t at = random() % list.size();
  size_t other = random() % list.size();
  switch (random() % 12) {
  case 0:
    list.erase(list.begin() + at);
    break;
  case 1:
    list[at].microBatch ^= 1;
    break;
  case 2:
    if (!schedule.channels.empty() && list[at].channel >= 0)
      list[at].channel = random() % schedule.channels.size();
    break;
  case 3:
  case 4:
  case 5:
    if (!schedule.channels.empty()) {
      int &depth = schedule.channels[random() % schedule.channels.size()].depth;
      depth = std::min(depth, 1);
    }
    break;
  case 6:
    std::swap(list[at], list[other]);
    break;
  default:
    slide(list, at, 1 + random() % 24, random() % 2 ? 1 : -1);
  }
}

static void judge(const RandomSchedule &input, MutantCounts &counts) {
  llvm::Expected<Timeline> run = simulate(input.schedule, input.costs);
  bool isCorrect = bool(run);
  std::string truth = isCorrect ? "" : llvm::toString(run.takeError());
  auto begin = std::chrono::steady_clock::now();
  std::string proof;
  if (llvm::Error error = proveNoDeadlock(input.schedule))
    proof = llvm::toString(std::move(error));
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - begin;
  counts.slowestProof = std::max(counts.slowestProof, taken.count());
  counts.groups += !input.schedule.groups.empty();
  counts.collectives += !input.schedule.collectives.empty();
  counts.rendezvous +=
      llvm::any_of(input.schedule.channels, [](const ScheduleChannel &channel) {
        return channel.depth == 0;
      });
  (isCorrect ? counts.correct : counts.faulty)++;
  counts.stuck += llvm::StringRef(truth).starts_with("simulation: stuck");
  counts.chains += llvm::StringRef(proof).contains("wait for each other");
  if (isCorrect == proof.empty())
    return;
  (isCorrect ? counts.accused : counts.missed)++;
  if (counts.firstWrong.empty())
    counts.firstWrong = isCorrect ? proof : truth;
}

MutantCounts takt::test::judgeMutants(int count, unsigned seed) {
  std::mt19937 random(seed);
  MutantCounts counts;
  while (counts.faulty < count || counts.correct < count) {
    RandomSchedule input = randomSchedule(random);
    // Once there are enough of the correct ones, all get a fault, and so on.
    bool plants =
        counts.correct >= count || (counts.faulty < count && random() % 2 == 0);
    for (int i = plants ? pick(1, 3, random) : 0; i > 0; --i)
      mutate(input.schedule, random);
    MutantCounts found = counts;
    judge(input, found);
    if (found.correct <= count && found.faulty <= count)
      counts = found;
  }
  return counts;
}
