/// A FIFO between two ranks of one process: `depth` slots of shared memory.
#ifndef TAKT_RUNTIME_COMM_CHANNEL_H
#define TAKT_RUNTIME_COMM_CHANNEL_H

#include "runtime/comm/Monitor.h"
#include "runtime/core/Memory.h"

#include <vector>

namespace takt::runtime {

class Channel {
public:
  Channel(const ChannelSpec &spec, Monitor &monitor);

  /// Source: waits for a free slot, copies `bytes` bytes into it, publishes.
  /// A slot grows when a message is larger than all before.
  Status send(const void *data, int64_t bytes);
  /// Target: waits for the next message and gives its slot, which stays valid
  /// until `release`; null after a failure.
  void *receive();
  /// Target: hands the oldest received slot back.
  void release();

private:
  const ChannelSpec &spec;
  Monitor &monitor;
  std::vector<MemoryBlock> slots;
  WaitPoint point;
  // Messages published by the source and slots handed back by the target.
  alignas(64) std::atomic<uint64_t> sent{0};
  alignas(64) std::atomic<uint64_t> released{0};
};

} // namespace takt::runtime

#endif
