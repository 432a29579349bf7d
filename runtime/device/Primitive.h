/// Library calls prepared for one shape and run without allocation of ours.
#ifndef TAKT_RUNTIME_DEVICE_PRIMITIVE_H
#define TAKT_RUNTIME_DEVICE_PRIMITIVE_H

#include "runtime/core/Memory.h"
#include "runtime/core/Status.h"

#include <dnnl.hpp>
#include <memory>
#include <vector>

namespace takt::runtime {

/// One rank's use of oneDNN. Belongs to the rank's thread.
struct DeviceContext {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  MemoryBlock scratchpad; // shared by all calls, which run one at a time
  bool hasWarned = false;
  bool quiet = false;

  /// Tells once that a call has no fast implementation.
  void warnSlow(const std::string &operation, const std::string &what);
};

/// A call with all that depends on shapes settled.
class PreparedCall {
public:
  virtual ~PreparedCall() = default;
  /// `buffers`: the frame's.
  virtual Status run(void *const *buffers, DeviceContext &context) = 0;
  virtual int64_t getScratchpadBytes() const { return 0; }
};

/// A oneDNN primitive with its arguments.
class PrimitiveCall {
public:
  void setPrimitive(dnnl::primitive value) { primitive = std::move(value); }
  /// Argument whose data is buffer `buffer` of the frame at each run.
  void addBuffer(int argument, const dnnl::memory::desc &desc, int32_t buffer,
                 DeviceContext &context);
  /// Argument that lies `offset` bytes into the scratchpad; none where `desc`
  /// has no bytes.
  void addScratch(int argument, const dnnl::memory::desc &desc, int64_t offset,
                  DeviceContext &context);
  /// Argument whose data never moves.
  void addFixed(int argument, const dnnl::memory::desc &desc, void *data,
                DeviceContext &context);
  Status execute(void *const *buffers, DeviceContext &context);
  /// Where the arguments in the scratchpad end.
  int64_t getScratchpadBytes() const { return scratchpadBytes; }

private:
  static constexpr int32_t fixed = -1;
  static constexpr int32_t scratchpad = -2;
  struct Place {
    int32_t buffer; // or one of the constants above
    int64_t offset;
  };
  void add(int argument, dnnl::memory memory, Place place);
  static void *find(Place place, void *const *frame, DeviceContext &context);

  dnnl::primitive primitive;
  std::vector<dnnl::memory> memories;
  std::vector<Place> places;
  std::vector<dnnl_exec_arg_t> arguments;
  int64_t scratchpadBytes = 0;
};

} // namespace takt::runtime

#endif
