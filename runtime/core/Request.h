/// One request: inputs, the sizes that follow from them, and room for outputs.
/// Reused for request after request; a shape seen before allocates nothing.
#ifndef TAKT_RUNTIME_CORE_REQUEST_H
#define TAKT_RUNTIME_CORE_REQUEST_H

#include "runtime/core/Manifest.h"
#include "runtime/core/Memory.h"

#include <atomic>

namespace takt::runtime {

class Request {
public:
  explicit Request(const Manifest &manifest);
  Request(const Request &) = delete;
  Request &operator=(const Request &) = delete;

  /// Sets input `index`. The data stays the caller's and must remain until the
  /// request is done; data that is not aligned for kernels is copied. Fails on
  /// another dtype or number of axes.
  Status setInput(size_t index, const void *data, Dtype dtype,
                  const std::vector<int64_t> &shape);
  /// Binds the dimensions, evaluates and checks all sizes and guards, and makes
  /// room for the outputs. Needed before each submission with new shapes.
  Status prepare();

  const std::vector<int64_t> &getDims() const { return dims; }
  const std::vector<int64_t> &getValues() const { return values; }
  const void *getInput(size_t index) const { return inputs[index].data; }
  void *getOutput(size_t index) const { return outputs[index].block.data(); }
  const std::vector<int64_t> &getOutputShape(size_t index) const {
    return outputs[index].shape;
  }
  int64_t getOutputBytes(size_t index) const { return outputs[index].bytes; }

  // Kept by the engine.
  int32_t replica = 0;
  std::atomic<int32_t> ranksLeft{0};
  std::atomic<bool> done{true};
  int64_t submittedAt = 0; // nanoseconds, monotonicNow
  int64_t doneAt = 0;

private:
  struct Input {
    const void *data = nullptr;
    MemoryBlock aligned; // copy of data that lies badly
    std::vector<int64_t> shape;
    bool set = false;
  };
  struct Output {
    std::vector<int64_t> shape;
    int64_t bytes = 0;
    MemoryBlock block;
  };
  Status bindDims();
  Status checkDims() const;
  Status checkShapes() const;
  Status checkGuards() const;
  Status checkIndices() const;
  Status makeOutputs();

  const Manifest &manifest;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<int64_t> symbols; // dims, then shard, which is 0 here
  std::vector<int64_t> dims;    // of the values below
  std::vector<int64_t> bound;   // by the current inputs
  std::vector<int32_t> binder;  // input that bound a dimension, or -1
  std::vector<int64_t> values;
  bool hasValues = false;
};

/// `[2, 128]`.
std::string describeShape(const std::vector<int64_t> &shape);

} // namespace takt::runtime

#endif
