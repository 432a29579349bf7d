#include "runtime/device/ConvolutionGeometry.h"
#include "runtime/device/Window.h"

namespace takt::runtime {

using dnnl::memory;

ConvolutionGeometry::ConvolutionGeometry(const ConvolutionSpec &spec,
                                         const std::vector<int64_t> &values)
    : input(describeChannelsLast(spec.inputShape, values)),
      output(describeChannelsLast(spec.outputShape, values)),
      strides(spec.strides), padsBegin(spec.padsBegin), padsEnd(spec.padsEnd),
      channels(values[spec.outputShape.back()]) {
  for (int64_t step : spec.dilations)
    dilations.push_back(step - 1);
  for (size_t i = 0; i + 1 < spec.outputShape.size(); ++i)
    rows *= values[spec.outputShape[i]];
  int64_t inputs = values[spec.inputShape.back()];
  memory::dims dims = {channels / spec.groups, inputs / spec.groups};
  if (spec.groups > 1)
    dims.insert(dims.begin(), spec.groups);
  dims.insert(dims.end(), spec.kernel.begin(), spec.kernel.end());
  memory::dims rowMajor(dims.size(), 1);
  for (size_t i = dims.size() - 1; i > 0; --i)
    rowMajor[i - 1] = rowMajor[i] * dims[i];
  plainWeight = memory::desc(dims, memory::data_type::f32, rowMajor);
  anyWeight =
      memory::desc(dims, memory::data_type::f32, memory::format_tag::any);
  bias =
      memory::desc({channels}, memory::data_type::f32, memory::format_tag::x);
  memory::dims row(output.dims().size(), 1), unit(row);
  row[1] = channels;
  unit[0] = channels;
  biasRow = memory::desc(row, memory::data_type::f32, unit);
}

} // namespace takt::runtime
