#include "runtime/calibrate/Measure.h"
#include "runtime/comm/Channel.h"
#include "runtime/device/Contraction.h"
#include "runtime/device/Threads.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <memory>
#include <thread>

namespace takt::runtime {
namespace {

/// Pages of a fresh mapping are all one page of zeros until they are written.
Status makeFloats(MemoryBlock &block, int64_t count) {
  TAKT_RETURN_IF_ERROR(
      block.reserve(count * int64_t(sizeof(float)), "a measurement"));
  std::fill_n(reinterpret_cast<float *>(block.data()), count, 1.0f);
  return Status();
}

/// Contractions of one shape that differ in their weight, with all that they
/// use. Buffers: lhs, rhs, output.
class Contractions {
public:
  Status prepare(int64_t m, int64_t n, int64_t k, int64_t count) {
    values = {m, n, k, 1};
    ContractionSpec &spec = operation.contraction;
    spec.rhs = 1;
    spec.output = 2;
    spec.n = 1;
    spec.k = 2;
    spec.batch = 3;
    spec.rhsShared = true;
    int64_t counts[] = {m * k, k * n, m * n};
    for (int i = 0; i < 3; ++i) {
      TAKT_RETURN_IF_ERROR(makeFloats(blocks[i], counts[i]));
      buffers[i] = blocks[i].data();
    }
    int64_t scratchpad = 0;
    while (int64_t(calls.size()) < count) {
      weights.emplace_back(file, blocks[1].data(),
                           counts[1] * int64_t(sizeof(float)), pool);
      auto call = prepareContraction(operation, values, false, &weights.back(),
                                     context);
      if (!call.ok())
        return call.status();
      scratchpad = std::max(scratchpad, (*call)->getScratchpadBytes());
      calls.push_back(std::move(*call));
    }
    TAKT_RETURN_IF_ERROR(
        context.scratchpad.reserve(scratchpad, "oneDNN's scratchpad"));
    return runNext();
  }

  Status runNext() {
    Status status = calls[next]->run(buffers, context);
    next = (next + 1) % calls.size();
    return status;
  }

private:
  OperationSpec operation;
  std::vector<int64_t> values; // m, n, k, 1
  DeviceContext context;
  MemoryBlock blocks[3];
  void *buffers[3];
  MemoryPool pool;
  FileMapping file;
  std::list<PackedWeights> weights;
  std::vector<std::unique_ptr<PreparedCall>> calls;
  size_t next = 0;
};

} // namespace

Preparation contractionWork(int64_t m, int64_t n, int64_t k, int64_t weights) {
  return [=]() -> Result<std::function<void()>> {
    auto contractions = std::make_shared<Contractions>();
    if (Status status = contractions->prepare(m, n, k, weights); !status.ok())
      return status;
    return std::function<void()>([contractions] {
      (void)contractions->runNext(); // the first run was without error
    });
  };
}

Preparation copyWork(int64_t footprint, int64_t copies) {
  return [=]() -> Result<std::function<void()>> {
    auto block = std::make_shared<MemoryBlock>();
    int64_t floats = footprint / int64_t(sizeof(float));
    if (Status status = makeFloats(*block, floats); !status.ok())
      return status;
    int64_t half = footprint / 2;
    return std::function<void()>([block, half, copies] {
      for (int64_t i = 0; i < copies; ++i)
        std::memcpy(block->data() + (i % 2 ? 0 : half),
                    block->data() + (i % 2 ? half : 0), size_t(half));
    });
  };
}

namespace {

/// Two ranks with a channel each way.
struct Pair {
  Manifest manifest;
  ChannelSpec there, back;

  Pair() {
    manifest.replicas = 1;
    manifest.stages.resize(1);
    manifest.ranks.resize(2);
    manifest.ranks[1].id = 1;
    for (RankSpec &rank : manifest.ranks)
      rank.instructions.resize(1); // named where one does not answer
    there.depth = back.depth = 1;
    there.targetRank = back.sourceRank = 1;
  }
};

} // namespace

Result<double> measureMessage(const std::vector<int> &cores, double budget,
                              int64_t bytes) {
  Pair pair;
  Monitor monitor(pair.manifest, /*deadline=*/60, spinsBeforeSleep);
  Channel there(pair.there, monitor), back(pair.back, monitor);
  std::atomic<bool> stop{false};
  MemoryBlock first, second;
  int64_t floats = (bytes + 3) / 4;
  TAKT_RETURN_IF_ERROR(makeFloats(first, floats));
  TAKT_RETURN_IF_ERROR(makeFloats(second, floats));
  std::thread echo([&] {
    setUpRankThread(1, {cores[1]});
    while (there.receive()) {
      there.release();
      if (stop || !back.send(second.data(), bytes).ok())
        return;
    }
  });
  double roundTrip = 0;
  std::thread sender([&] {
    setUpRankThread(1, {cores[0]});
    roundTrip = measure(budget, [&] {
      if (there.send(first.data(), bytes).ok() && back.receive())
        back.release();
    });
    stop = true;
    (void)there.send(first.data(), 0);
  });
  sender.join();
  echo.join();
  if (monitor.hasFailed())
    return monitor.getFailure();
  return roundTrip / 2;
}

} // namespace takt::runtime
