#include "runtime/comm/Channel.h"

#include <cstring>

namespace takt::runtime {

Channel::Channel(const ChannelSpec &spec, Monitor &monitor)
    : spec(spec), monitor(monitor), slots(static_cast<size_t>(spec.depth)) {
  monitor.watch(point);
}

Status Channel::send(const void *data, int64_t bytes) {
  uint64_t number = sent.load();
  uint64_t depth = slots.size();
  if (!monitor.wait(point, spec.sourceRank,
                    [&] { return number - released.load() < depth; }))
    return monitor.getFailure();
  MemoryBlock &slot = slots[number % depth];
  Status status = slot.reserve(bytes, "a channel's slot");
  if (!status.ok())
    return status;
  if (bytes > 0)
    std::memcpy(slot.data(), data, static_cast<size_t>(bytes));
  sent.store(number + 1);
  point.notify();
  return Status();
}

void *Channel::receive() {
  uint64_t number = released.load();
  if (!monitor.wait(point, spec.targetRank,
                    [&] { return sent.load() > number; }))
    return nullptr;
  return slots[number % slots.size()].data();
}

void Channel::release() {
  released.fetch_add(1);
  point.notify();
}

} // namespace takt::runtime
