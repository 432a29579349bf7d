#include "runtime/calibrate/Measure.h"
#include "runtime/comm/Channel.h"
#include "runtime/device/Contraction.h"
#include "runtime/device/Threads.h"

#include <algorithm>
#include <cstring>
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

/// A contraction with all that it uses. Buffers: lhs, rhs, output.
struct Contraction {
  OperationSpec operation;
  std::vector<int64_t> values; // m, n, k, 1
  DeviceContext context;
  MemoryBlock blocks[3];
  void *buffers[3];
  MemoryPool pool;
  FileMapping file;
  std::unique_ptr<PackedWeights> weights;
  std::unique_ptr<PreparedCall> call;

  Status prepare(int64_t m, int64_t n, int64_t k) {
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
    weights = std::make_unique<PackedWeights>(
        file, blocks[1].data(), counts[1] * int64_t(sizeof(float)), pool);
    auto prepared =
        prepareContraction(operation, values, false, weights.get(), context);
    if (!prepared.ok())
      return prepared.status();
    call = std::move(*prepared);
    return context.scratchpad.reserve(call->getScratchpadBytes(),
                                      "oneDNN's scratchpad");
  }
};

} // namespace

Preparation contractionWork(int64_t m, int64_t n, int64_t k) {
  return [=]() -> Result<std::function<void()>> {
    auto contraction = std::make_shared<Contraction>();
    if (Status status = contraction->prepare(m, n, k); !status.ok())
      return status;
    if (Status status =
            contraction->call->run(contraction->buffers, contraction->context);
        !status.ok())
      return status;
    return std::function<void()>([contraction] {
      // It ran once without error.
      (void)contraction->call->run(contraction->buffers, contraction->context);
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
