#include "runtime/device/Primitive.h"

#include <cstdio>

namespace takt::runtime {

void DeviceContext::warnSlow(const std::string &operation,
                             const std::string &what) {
  if (hasWarned || quiet)
    return;
  hasWarned = true;
  std::fprintf(stderr,
               "warning: operation '%s' (%s) has no fast implementation in "
               "oneDNN here\n",
               operation.c_str(), what.c_str());
}

void PrimitiveCall::add(int argument, dnnl::memory memory, int32_t buffer) {
  arguments.push_back({argument, memory.get()});
  memories.push_back(std::move(memory));
  buffers.push_back(buffer);
}

void PrimitiveCall::setPrimitive(dnnl::primitive value,
                                 const dnnl::memory::desc &desc,
                                 DeviceContext &context) {
  primitive = std::move(value);
  scratchpadBytes = static_cast<int64_t>(desc.get_size());
  if (scratchpadBytes > 0)
    add(DNNL_ARG_SCRATCHPAD,
        dnnl::memory(desc, context.engine, DNNL_MEMORY_NONE), scratchpad);
}

void PrimitiveCall::addBuffer(int argument, const dnnl::memory::desc &desc,
                              int32_t buffer, DeviceContext &context) {
  add(argument, dnnl::memory(desc, context.engine, DNNL_MEMORY_NONE), buffer);
}

void PrimitiveCall::addFixed(int argument, const dnnl::memory::desc &desc,
                             void *data, DeviceContext &context) {
  add(argument, dnnl::memory(desc, context.engine, data), fixed);
}

// The C functions, since the C++ ones build a map and a vector at each call.
Status PrimitiveCall::execute(void *const *frame, DeviceContext &context) {
  dnnl_status_t code = dnnl_success;
  for (size_t i = 0; i < arguments.size() && code == dnnl_success; ++i)
    if (buffers[i] != fixed)
      code = dnnl_memory_set_data_handle(arguments[i].memory,
                                         buffers[i] == scratchpad
                                             ? context.scratchpad.data()
                                             : frame[buffers[i]]);
  if (code == dnnl_success)
    code = dnnl_primitive_execute(primitive.get(), context.stream.get(),
                                  static_cast<int>(arguments.size()),
                                  arguments.data());
  if (code == dnnl_success)
    code = dnnl_stream_wait(context.stream.get());
  if (code != dnnl_success)
    return rankError("oneDNN failed with status ", code);
  return Status();
}

} // namespace takt::runtime
