#include "runtime/run/Commands.h"
#include "runtime/run/Inputs.h"
#include "runtime/run/OutputWriter.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>

namespace takt::runtime {

size_t chooseInFlight(const Manifest &manifest, const CommandLine &line) {
  if (line.inFlight > 0)
    return static_cast<size_t>(std::min<int64_t>(line.inFlight, 1 << 16));
  return 2 * manifest.stages.size() * static_cast<size_t>(manifest.replicas);
}

namespace {

/// Requests under way, oldest first, over a fixed number of slots.
class Pipeline {
public:
  /// `load(i, slot, request)` fills in request i; `store(i, request)` takes its
  /// outputs.
  using Load = std::function<Status(int64_t, size_t, Request &)>;
  using Store = std::function<Status(int64_t, Request &)>;

  Pipeline(const Manifest &manifest, Engine &engine, size_t slots)
      : engine(engine) {
    for (size_t i = 0; i < slots; ++i)
      requests.push_back(std::make_unique<Request>(manifest));
  }

  Status run(int64_t count, int64_t repeat, const Load &load,
             const Store &store) {
    int64_t total = count * repeat;
    int64_t slots = static_cast<int64_t>(requests.size());
    for (int64_t i = 0; i < total + slots; ++i) {
      size_t slot = static_cast<size_t>(i % slots);
      Request &request = *requests[slot];
      if (int64_t old = i - slots; old >= 0 && old < total) {
        TAKT_RETURN_IF_ERROR(engine.wait(request));
        // Repetitions give the same outputs: the last one's are kept.
        if (old % repeat == repeat - 1)
          TAKT_RETURN_IF_ERROR(store(old / repeat, request));
      }
      if (i < total) {
        TAKT_RETURN_IF_ERROR(load(i / repeat, slot, request));
        TAKT_RETURN_IF_ERROR(engine.submit(request));
      }
    }
    return Status();
  }

private:
  Engine &engine;
  std::vector<std::unique_ptr<Request>> requests;
};

std::vector<OutputTensor> collectOutputs(const Manifest &manifest,
                                         const Request &request) {
  std::vector<OutputTensor> tensors;
  for (size_t i = 0; i < manifest.outputs.size(); ++i)
    tensors.push_back({manifest.outputs[i].name, manifest.outputs[i].dtype,
                       request.getOutputShape(i), request.getOutput(i),
                       request.getOutputBytes(i)});
  return tensors;
}

Status runSingle(const Manifest &manifest, const CommandLine &line,
                 const InputArrays &arrays, Pipeline &pipeline) {
  return pipeline.run(
      1, line.repeat,
      [&](int64_t, size_t, Request &request) {
        return setInputs(arrays, request);
      },
      [&](int64_t, Request &request) {
        return writeOutputs(line.output, collectOutputs(manifest, request));
      });
}

Status runDirectories(const Manifest &manifest, const CommandLine &line,
                      const std::vector<std::string> &names,
                      std::vector<InputArrays> &arrays, Pipeline &pipeline) {
  return pipeline.run(
      static_cast<int64_t>(names.size()), line.repeat,
      [&](int64_t i, size_t slot, Request &request) {
        Result<InputArrays> opened =
            openRequestDirectory(manifest, line.requests + "/" + names[i]);
        if (!opened.ok())
          return opened.status();
        arrays[slot] = std::move(*opened);
        Status status = setInputs(arrays[slot], request);
        return status.ok()
                   ? status
                   : Status(status.getCode(), join("request '", names[i],
                                                   "': ", status.getText()));
      },
      [&](int64_t i, Request &request) {
        return writeOutputs(line.output + "/" + names[i],
                            collectOutputs(manifest, request));
      });
}

Status runStacked(const Manifest &manifest, const CommandLine &line,
                  const InputArrays &arrays, int64_t count,
                  Pipeline &pipeline) {
  std::vector<OutputTensor> tensors;
  std::vector<MemoryBlock> blocks(manifest.outputs.size());
  // All requests have one shape, so the first one's is every one's.
  auto makeRoom = [&](const Request &request) -> Status {
    tensors = collectOutputs(manifest, request);
    for (size_t i = 0; i < tensors.size(); ++i) {
      tensors[i].shape.insert(tensors[i].shape.begin(), count);
      Result<int64_t> bytes =
          checkedBytes(tensors[i].shape, sizeOf(tensors[i].dtype));
      if (!bytes.ok())
        return bytes.status();
      TAKT_RETURN_IF_ERROR(blocks[i].reserve(*bytes, "stacked outputs"));
      tensors[i].bytes = *bytes;
      tensors[i].data = blocks[i].data();
    }
    return Status();
  };
  Status status = pipeline.run(
      count, line.repeat,
      [&](int64_t i, size_t, Request &request) {
        return setStackedInputs(arrays, i, request);
      },
      [&](int64_t i, Request &request) {
        if (tensors.empty())
          TAKT_RETURN_IF_ERROR(makeRoom(request));
        for (size_t j = 0; j < blocks.size(); ++j)
          if (int64_t bytes = request.getOutputBytes(j))
            std::memcpy(blocks[j].data() + i * bytes, request.getOutput(j),
                        static_cast<size_t>(bytes));
        return Status();
      });
  TAKT_RETURN_IF_ERROR(status);
  return writeOutputs(line.output, tensors);
}

Status checkPortNames(const Manifest &manifest) {
  std::vector<std::string> inputs, outputs;
  for (const PortSpec &port : manifest.inputs)
    inputs.push_back(port.name);
  for (const PortSpec &port : manifest.outputs)
    outputs.push_back(port.name);
  TAKT_RETURN_IF_ERROR(checkFileNames(outputs));
  return checkFileNames(inputs);
}

} // namespace

Status runRequests(const Bundle &bundle, const CommandLine &line) {
  const Manifest &manifest = bundle.getManifest();
  TAKT_RETURN_IF_ERROR(checkPortNames(manifest));
  // Inputs first: mistakes in them should not wait for the weights.
  InputArrays arrays;
  std::vector<std::string> names;
  int64_t count = 1;
  Request probe(manifest);
  if (line.requests.empty()) {
    Result<InputArrays> opened = openInputs(manifest, line.inputs);
    if (!opened.ok())
      return opened.status();
    arrays = std::move(*opened);
    if (line.stacked) {
      Result<int64_t> stacked = countStacked(manifest, arrays);
      if (!stacked.ok())
        return stacked.status();
      count = *stacked;
      TAKT_RETURN_IF_ERROR(setStackedInputs(arrays, 0, probe));
    } else {
      TAKT_RETURN_IF_ERROR(setInputs(arrays, probe));
    }
  } else {
    Result<std::vector<std::string>> listed = listRequests(line.requests);
    if (!listed.ok())
      return listed.status();
    names = std::move(*listed);
    std::error_code absent;
    if (std::filesystem::equivalent(line.requests, line.output, absent))
      return usageError("--output '", line.output, "' is the directory of the ",
                        "requests: later runs would take results for inputs; ",
                        "name another");
    count = static_cast<int64_t>(names.size());
  }
  TAKT_RETURN_IF_ERROR(makeDirectory(line.output));

  Result<std::unique_ptr<Engine>> engine = Engine::create(bundle, line.engine);
  if (!engine.ok())
    exitWith(engine.status());
  size_t slots = chooseInFlight(manifest, line);
  if (int64_t total = 0; !__builtin_mul_overflow(count, line.repeat, &total))
    slots = std::min(slots, static_cast<size_t>(total));
  else
    return usageError("--repeat ", line.repeat, " is too much");
  Pipeline pipeline(manifest, **engine, slots);
  // Like the pipeline, kept until `exitWith`: ranks may still read them.
  std::vector<InputArrays> slotArrays(slots);
  int64_t begin = monotonicNow();
  Status status =
      !names.empty()
          ? runDirectories(manifest, line, names, slotArrays, pipeline)
      : line.stacked ? runStacked(manifest, line, arrays, count, pipeline)
                     : runSingle(manifest, line, arrays, pipeline);
  if (!status.ok())
    exitWith(status);
  double seconds = static_cast<double>(monotonicNow() - begin) * 1e-9;
  int64_t total = count * line.repeat;
  if (!line.quiet)
    std::fprintf(stderr, "%" PRId64 " requests in %.3f s (%.1f per second)\n",
                 total, seconds, static_cast<double>(total) / seconds);
  return Status();
}

} // namespace takt::runtime
