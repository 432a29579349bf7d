#include "runtime/run/Commands.h"
#include "runtime/run/Inputs.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace takt::runtime {
namespace {

using nlohmann::ordered_json;

/// The `fraction` quantile by nearest rank; 0 for no samples.
template <class T> double quantile(std::vector<T> samples, double fraction) {
  if (samples.empty())
    return 0;
  size_t index =
      std::min(samples.size() - 1,
               static_cast<size_t>(fraction * double(samples.size())));
  std::nth_element(samples.begin(), samples.begin() + long(index),
                   samples.end());
  return static_cast<double>(samples[index]);
}

class Bench {
public:
  Bench(const Manifest &manifest, const CommandLine &line, Engine &engine)
      : manifest(manifest), line(line), engine(engine) {}

  Status run() {
    TAKT_RETURN_IF_ERROR(makeRequests());
    // Every replica sees the shape a few times before the clock starts.
    TAKT_RETURN_IF_ERROR(measure(int64_t(requests.size()) * 2));
    for (size_t i = 0; i < manifest.ranks.size(); ++i)
      if (RankRunner *runner = engine.getRunner(int32_t(i)))
        runner->clearBusySeconds();
    // Without --repeat: about two seconds, at least 200 requests.
    int64_t count = line.repeat;
    if (count == 0)
      count = std::clamp<int64_t>(int64_t(2 / seconds * double(latency.size())),
                                  200, 20000);
    TAKT_RETURN_IF_ERROR(measure(count));
    print();
    return Status();
  }

private:
  Status makeRequests() {
    if (line.inputs.empty()) {
      Result<RandomInputs> made = RandomInputs::make(manifest, line.dims);
      if (!made.ok())
        return made.status();
      random = std::move(*made);
    } else {
      Result<InputArrays> opened = openInputs(manifest, line.inputs);
      if (!opened.ok())
        return opened.status();
      arrays = std::move(*opened);
    }
    size_t slots = chooseInFlight(manifest, line);
    if (line.repeat > 0)
      slots = std::min(slots, static_cast<size_t>(line.repeat));
    for (size_t i = 0; i < slots; ++i) {
      requests.push_back(std::make_unique<Request>(manifest));
      TAKT_RETURN_IF_ERROR(line.inputs.empty()
                               ? random.set(manifest, *requests.back())
                               : setInputs(arrays, *requests.back()));
    }
    return Status();
  }

  /// Keeps all requests under way until `count` are done.
  Status measure(int64_t count) {
    latency.clear();
    latency.reserve(size_t(std::min<int64_t>(count, 1 << 20)));
    int64_t slots = int64_t(requests.size());
    int64_t begin = monotonicNow();
    for (int64_t i = 0; i < count + slots; ++i) {
      Request &request = *requests[size_t(i % slots)];
      if (int64_t old = i - slots; old >= 0 && old < count) {
        TAKT_RETURN_IF_ERROR(engine.wait(request));
        latency.push_back(double(request.doneAt - request.submittedAt) * 1e-9);
      }
      if (i < count)
        TAKT_RETURN_IF_ERROR(engine.submit(request));
    }
    seconds = double(monotonicNow() - begin) * 1e-9;
    return Status();
  }

  /// Busy seconds of all ranks of a stage.
  double stageMedian(int32_t stage) {
    std::vector<float> samples;
    for (const RankSpec &rank : manifest.ranks)
      if (rank.stage == stage) {
        std::vector<float> own = engine.getRunner(rank.id)->getBusySeconds();
        samples.insert(samples.end(), own.begin(), own.end());
      }
    return quantile(std::move(samples), 0.5);
  }

  void print() {
    double rate = double(latency.size()) / seconds;
    if (line.json)
      return printJson(rate);
    std::printf("rate      %.2f requests/s (%zu requests, %zu in flight, %d "
                "threads per rank)\n",
                rate, latency.size(), requests.size(),
                engine.getThreadsPerRank());
    std::printf("latency   p50 %.3f ms   p90 %.3f ms   p99 %.3f ms\n",
                quantile(latency, 0.5) * 1e3, quantile(latency, 0.9) * 1e3,
                quantile(latency, 0.99) * 1e3);
    for (size_t i = 0; i < manifest.stages.size(); ++i)
      std::printf("stage %-3zu %.3f ms busy (median)   %s\n", i,
                  stageMedian(int32_t(i)) * 1e3,
                  manifest.stages[i].name.c_str());
    for (size_t i = 0; i < manifest.ranks.size(); ++i)
      if (RankRunner *runner = engine.getRunner(int32_t(i))) {
        RankMemory memory = runner->getMemory();
        std::printf("rank %-4zu weights %.1f MB   packed %.1f MB   arena %.1f "
                    "MB (bound %.1f MB)\n",
                    i, double(memory.weights) * 1e-6,
                    double(memory.packedWeights) * 1e-6,
                    double(memory.arena) * 1e-6,
                    double(memory.arenaLowerBound) * 1e-6);
      }
  }

  void printJson(double rate) {
    ordered_json result;
    result["requestsPerSecond"] = rate;
    result["requests"] = latency.size();
    result["requestsInFlight"] = requests.size();
    result["threadsPerRank"] = engine.getThreadsPerRank();
    result["latencySeconds"] = {{"p50", quantile(latency, 0.5)},
                                {"p90", quantile(latency, 0.9)},
                                {"p99", quantile(latency, 0.99)}};
    result["stages"] = ordered_json::array();
    for (size_t i = 0; i < manifest.stages.size(); ++i)
      result["stages"].push_back({{"name", manifest.stages[i].name},
                                  {"busySeconds", stageMedian(int32_t(i))}});
    result["ranks"] = ordered_json::array();
    for (size_t i = 0; i < manifest.ranks.size(); ++i)
      if (RankRunner *runner = engine.getRunner(int32_t(i))) {
        RankMemory memory = runner->getMemory();
        result["ranks"].push_back(
            {{"rank", i},
             {"weightBytes", memory.weights},
             {"packedWeightBytes", memory.packedWeights},
             {"arenaBytes", memory.arena},
             {"arenaLowerBoundBytes", memory.arenaLowerBound},
             {"scratchpadBytes", memory.scratchpad}});
      }
    std::printf(
        "%s\n",
        result.dump(2, ' ', false, ordered_json::error_handler_t::replace)
            .c_str());
  }

  const Manifest &manifest;
  const CommandLine &line;
  Engine &engine;
  RandomInputs random;
  InputArrays arrays;
  std::vector<std::unique_ptr<Request>> requests;
  std::vector<double> latency; // seconds
  double seconds = 0;
};

} // namespace

Status runBench(const Bundle &bundle, const CommandLine &line) {
  Result<std::unique_ptr<Engine>> engine = Engine::create(bundle, line.engine);
  if (!engine.ok())
    exitWith(engine.status());
  // Lives until `exitWith`: after a failure, ranks may still use its requests.
  Bench bench(bundle.getManifest(), line, **engine);
  Status status = bench.run();
  if (!status.ok())
    exitWith(status);
  return Status();
}

} // namespace takt::runtime
