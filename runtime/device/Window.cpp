#include "runtime/device/Window.h"

#include <algorithm>

namespace takt::runtime {

dnnl::memory::desc describeChannelsLast(const ValueIndices &shape,
                                        const std::vector<int64_t> &values) {
  dnnl::memory::dims dims = {values[shape.front()], values[shape.back()]};
  for (size_t i = 1; i + 1 < shape.size(); ++i)
    dims.push_back(values[shape[i]]);
  static const dnnl::memory::format_tag tags[] = {
      dnnl::memory::format_tag::nwc, dnnl::memory::format_tag::nhwc,
      dnnl::memory::format_tag::ndhwc};
  return dnnl::memory::desc(dims, dnnl::memory::data_type::f32,
                            tags[dims.size() - 3]);
}

bool hasNoElement(const ValueIndices &shape,
                  const std::vector<int64_t> &values) {
  return std::any_of(shape.begin(), shape.end(),
                     [&](int32_t value) { return values[value] == 0; });
}

} // namespace takt::runtime
