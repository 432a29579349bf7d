#include "runtime/device/Primitive.h"

#include <algorithm>
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

void PrimitiveCall::add(int argument, dnnl::memory memory, Place place) {
  arguments.push_back({argument, memory.get()});
  memories.push_back(std::move(memory));
  places.push_back(place);
}

void PrimitiveCall::addBuffer(int argument, const dnnl::memory::desc &desc,
                              int32_t buffer, DeviceContext &context) {
  add(argument, dnnl::memory(desc, context.engine, DNNL_MEMORY_NONE),
      {buffer, 0});
}

void PrimitiveCall::addScratch(int argument, const dnnl::memory::desc &desc,
                               int64_t offset, DeviceContext &context) {
  auto bytes = static_cast<int64_t>(desc.get_size());
  if (bytes == 0)
    return;
  scratchpadBytes = std::max(scratchpadBytes, offset + bytes);
  add(argument, dnnl::memory(desc, context.engine, DNNL_MEMORY_NONE),
      {scratchpad, offset});
}

void PrimitiveCall::addFixed(int argument, const dnnl::memory::desc &desc,
                             void *data, DeviceContext &context) {
  add(argument, dnnl::memory(desc, context.engine, data), {fixed, 0});
}

void *PrimitiveCall::find(Place place, void *const *frame,
                          DeviceContext &context) {
  return place.buffer == scratchpad ? context.scratchpad.data() + place.offset
                                    : frame[place.buffer];
}

// The C functions, since the C++ ones build a map and a vector at each call.
Status PrimitiveCall::execute(void *const *frame, DeviceContext &context) {
  dnnl_status_t code = dnnl_success;
  for (size_t i = 0; i < arguments.size() && code == dnnl_success; ++i)
    if (places[i].buffer != fixed)
      code = dnnl_memory_set_data_handle(arguments[i].memory,
                                         find(places[i], frame, context));
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
