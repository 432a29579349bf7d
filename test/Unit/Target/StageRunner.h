//===- StageRunner.h - compiles a stage's text and runs it ----------------===//
#ifndef TAKT_TEST_UNIT_TARGET_STAGERUNNER_H
#define TAKT_TEST_UNIT_TARGET_STAGERUNNER_H

#include "takt/Support/HostTensor.h"
#include "takt/Target/Target.h"

#include "runtime/abi/Abi.h"

#include <map>
#include <string>
#include <vector>

namespace takt::test {

/// A value at the edge of a stage: `x`, `tensor<?x4xf32>`, `"n", "4"`.
struct Port {
  std::string name, type, sizes;
};

/// A stage of one dispatch, whose region `body` reads the inputs as `%name` and
/// defines `%name` for each output.
std::string oneDispatch(const std::string &kind, std::vector<Port> inputs,
                        std::vector<Port> outputs, const std::string &body);

/// Compiles the text of a stage module, loads the shared object into this
/// process and calls it as the runtime does. Library calls are computed by
/// plain loops; collectives see one rank.
class StageRunner {
public:
  StageRunner(const std::string &text, std::map<std::string, int64_t> dims,
              bool reference = false);
  ~StageRunner();
  StageRunner(const StageRunner &) = delete;

  /// Empty, or why the stage could not be compiled.
  const std::string &error() const { return failure; }
  const StageObject &stage() const { return object; }
  const std::vector<std::string> &valueTexts() const { return values.all(); }

  /// Fills argument or weight `name` (or buffer number `buffer`).
  template <typename T> void set(const std::string &name, std::vector<T> data) {
    setBytes(find(name), data.data(), data.size() * sizeof(T));
  }
  template <typename T> void set(int32_t buffer, std::vector<T> data) {
    setBytes(buffer, data.data(), data.size() * sizeof(T));
  }
  /// Calls the stage; its status.
  int32_t run();
  /// Elements of output `name`, or of a buffer.
  template <typename T> std::vector<T> get(const std::string &name) {
    return get<T>(output(name));
  }
  template <typename T> std::vector<T> get(int32_t buffer) {
    const T *data = reinterpret_cast<const T *>(storage[buffer].data());
    return std::vector<T>(data, data + bytes[buffer] / sizeof(T));
  }
  /// Status that the next call of the runtime's table returns.
  int32_t injectedStatus = 0;
  /// Calls of the table so far, in order: `library 0`, `start 1`, …
  std::vector<std::string> calls;

private:
  int32_t find(const std::string &name) const;
  int32_t output(const std::string &name) const;
  void setBytes(int32_t buffer, const void *data, size_t size);
  void compile(const std::string &text, bool reference);
  void load();
  void contract(const proto::Contraction &contraction);
  int32_t callLibrary(int32_t operation);

  std::map<std::string, int64_t> dims;
  ValueTable values;
  StageObject object;
  std::string failure;
  void *library = nullptr;
  TaktStageForwardFn forward = nullptr;
  std::vector<int64_t> valueTable;
  std::vector<std::vector<uint64_t>> storage; // 8-byte aligned
  std::vector<size_t> bytes;
};

} // namespace takt::test

#endif
