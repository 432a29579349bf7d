#include "runtime/comm/Collective.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace takt::runtime {
namespace {

template <class T> T combine(Reduction reduction, T a, T b) {
  if (reduction == Reduction::Sum) {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return a + b;
    }
  }
  if (a != a)
    return a;
  if (reduction == Reduction::Max)
    return b <= a ? a : b;
  return b >= a ? a : b;
}

/// output[i] = inputs[0][i] op inputs[1][i] op …, for `count` elements from
/// element `offset` of the inputs on.
template <class T>
void reduce(Reduction reduction, const std::vector<const void *> &inputs,
            int64_t offset, int64_t count, T *output) {
  auto at = [&](size_t shard) {
    return static_cast<const T *>(inputs[shard]) + offset;
  };
  std::copy_n(at(0), count, output);
  auto accumulate = [&](auto op) {
    for (size_t shard = 1; shard < inputs.size(); ++shard) {
      const T *input = at(shard);
      for (int64_t i = 0; i < count; ++i)
        output[i] = op(output[i], input[i]);
    }
  };
  // One loop per reduction, so that each vectorises.
  switch (reduction) {
  case Reduction::Sum:
    return accumulate([](T a, T b) { return combine(Reduction::Sum, a, b); });
  case Reduction::Max:
    return accumulate([](T a, T b) { return combine(Reduction::Max, a, b); });
  case Reduction::Min:
    return accumulate([](T a, T b) { return combine(Reduction::Min, a, b); });
  }
}

template <class T>
void computeReduction(const CollectiveSpec &spec, const CollectiveSizes &sizes,
                      const std::vector<const void *> &inputs, int32_t shard,
                      void *output) {
  T *result = static_cast<T *>(output);
  if (spec.kind == CollectiveKind::AllReduce)
    return reduce(spec.reduction, inputs, 0,
                  sizes.outer * sizes.part * sizes.inner, result);
  int64_t row = sizes.part * sizes.inner;
  int64_t own = row / static_cast<int64_t>(inputs.size());
  for (int64_t i = 0; i < sizes.outer; ++i)
    reduce(spec.reduction, inputs, i * row + shard * own, own,
           result + i * own);
}

void gather(const CollectiveSpec &spec, const CollectiveSizes &sizes,
            const std::vector<const void *> &inputs, void *output) {
  int64_t row = sizes.part * sizes.inner * sizeOf(spec.dtype);
  if (row == 0)
    return;
  auto *target = static_cast<std::byte *>(output);
  for (int64_t i = 0; i < sizes.outer; ++i)
    for (const void *input : inputs) {
      std::memcpy(target, static_cast<const std::byte *>(input) + i * row,
                  static_cast<size_t>(row));
      target += row;
    }
}

} // namespace

void computeCollective(const CollectiveSpec &spec, const CollectiveSizes &sizes,
                       const std::vector<const void *> &inputs, int32_t shard,
                       void *output) {
  if (spec.kind == CollectiveKind::AllGather)
    return gather(spec, sizes, inputs, output);
  switch (spec.dtype) {
  case Dtype::F64:
    return computeReduction<double>(spec, sizes, inputs, shard, output);
  case Dtype::I32:
    return computeReduction<int32_t>(spec, sizes, inputs, shard, output);
  case Dtype::I64:
    return computeReduction<int64_t>(spec, sizes, inputs, shard, output);
  default: // the manifest's check leaves float32
    return computeReduction<float>(spec, sizes, inputs, shard, output);
  }
}

CollectiveGroup::CollectiveGroup(const StageSpec &stage,
                                 std::vector<int32_t> ranks, Monitor &monitor)
    : stage(stage), ranks(std::move(ranks)), monitor(monitor),
      exchanges(stage.operations.size()) {
  for (size_t i = 0; i < exchanges.size(); ++i) {
    if (stage.operations[i].kind != OperationKind::Collective)
      continue;
    for (size_t shard = 0; shard < this->ranks.size(); ++shard) {
      exchanges[i].members.push_back(std::make_unique<Member>());
      exchanges[i].members.back()->inputs.resize(this->ranks.size());
    }
  }
  monitor.watch(point);
}

Status CollectiveGroup::start(int32_t operation, int32_t shard,
                              const void *input, const CollectiveSizes &sizes) {
  Member &member = *exchanges[operation].members[shard];
  if (member.started.load() != member.finished.load())
    return rankError("collective '", stage.operations[operation].name,
                     "' was started twice without a wait");
  member.input = input;
  member.sizes = sizes;
  member.started.fetch_add(1);
  point.notify();
  return Status();
}

bool CollectiveGroup::waitForAll(Exchange &exchange, int32_t shard,
                                 std::atomic<uint64_t> Member::*counter,
                                 uint64_t round, int64_t &waited) {
  auto ready = [&] {
    return std::all_of(
        exchange.members.begin(), exchange.members.end(),
        [&](const auto &member) { return (*member.*counter).load() >= round; });
  };
  if (ready())
    return true;
  int64_t begin = monotonicNow();
  bool fine = monitor.wait(point, ranks[shard], ready);
  waited += monotonicNow() - begin;
  return fine;
}

Status CollectiveGroup::wait(int32_t operation, int32_t shard, void *output,
                             int64_t &waited) {
  Exchange &exchange = exchanges[operation];
  const OperationSpec &spec = stage.operations[operation];
  Member &member = *exchange.members[shard];
  uint64_t round = member.started.load();
  if (round == member.finished.load())
    return rankError("collective '", spec.name, "' was not started");
  if (!waitForAll(exchange, shard, &Member::started, round, waited))
    return monitor.getFailure();
  for (size_t i = 0; i < ranks.size(); ++i) {
    const CollectiveSizes &other = exchange.members[i]->sizes;
    if (other.outer != member.sizes.outer || other.part != member.sizes.part ||
        other.inner != member.sizes.inner)
      return rankError("collective '", spec.name, "': sizes differ between ",
                       "shards ", shard, " and ", i);
    member.inputs[i] = exchange.members[i]->input;
  }
  computeCollective(spec.collective, member.sizes, member.inputs, shard,
                    output);
  member.finished.fetch_add(1);
  point.notify();
  if (!waitForAll(exchange, shard, &Member::finished, round, waited))
    return monitor.getFailure();
  return Status();
}

} // namespace takt::runtime
