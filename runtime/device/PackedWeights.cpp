#include "runtime/device/PackedWeights.h"

namespace takt::runtime {

Result<void *> PackedWeights::get(const dnnl::memory::desc &stored,
                                  const dnnl::memory::desc &wanted,
                                  DeviceContext &context) {
  for (Form &form : forms)
    if (form.stored == stored && form.wanted == wanted)
      return static_cast<void *>(form.data);
  Result<std::byte *> place =
      pool.allocate(static_cast<int64_t>(wanted.get_size()), "packed weights");
  if (!place.ok())
    return place.status();
  Form form = {stored, wanted, *place};
  dnnl::memory source(stored, context.engine, const_cast<std::byte *>(plain));
  dnnl::memory target(wanted, context.engine, form.data);
  dnnl::reorder(source, target).execute(context.stream, source, target);
  context.stream.wait();
  // The file holds them still, should another layout be wanted.
  file.release(plain, bytes);
  forms.push_back(std::move(form));
  return static_cast<void *>(*place);
}

int64_t PackedWeights::getBytes() const {
  int64_t sum = 0;
  for (const Form &form : forms)
    sum += static_cast<int64_t>(form.wanted.get_size());
  return sum;
}

} // namespace takt::runtime
