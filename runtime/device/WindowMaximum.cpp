#include "runtime/device/WindowMaximum.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace takt::runtime {

WindowMaximum::WindowMaximum(const PoolSpec &spec,
                             const std::vector<int64_t> &values)
    : channels(values[spec.inputShape.back()]),
      elements(values[spec.outputShape.front()] * channels) {
  for (size_t i = 0; i < spec.kernel.size(); ++i) {
    dimensions[i] = {values[spec.inputShape[1 + i]],
                     values[spec.outputShape[1 + i]], spec.kernel[i],
                     spec.strides[i], spec.padsBegin[i]};
    elements *= dimensions[i].output;
  }
}

float WindowMaximum::find(const float *input, int64_t number) const {
  int64_t channel = number % channels, rest = number / channels;
  // The parts of the window inside the input.
  int64_t first[3], end[3];
  for (int i = 2; i >= 0; --i) {
    const Dimension &dim = dimensions[i];
    int64_t start = rest % dim.output * dim.stride - dim.pad;
    rest /= dim.output;
    first[i] = std::max<int64_t>(start, 0);
    end[i] = std::min(start + dim.kernel, dim.input);
  }
  float most = -INFINITY;
  for (int64_t a = first[0]; a < end[0]; ++a)
    for (int64_t b = first[1]; b < end[1]; ++b)
      for (int64_t c = first[2]; c < end[2]; ++c) {
        int64_t row = (rest * dimensions[0].input + a) * dimensions[1].input;
        int64_t place = (row + b) * dimensions[2].input + c;
        most = std::fmax(most, input[place * channels + channel]);
      }
  return most;
}

void WindowMaximum::correct(const float *input, float *output) const {
  // Few results are that low: look at a block before its elements.
  constexpr int64_t block = 1024;
  constexpr float lowest = std::numeric_limits<float>::lowest();
  for (int64_t begin = 0; begin < elements; begin += block) {
    int64_t end = std::min(begin + block, elements);
    int isLow = 0;
    for (int64_t i = begin; i < end; ++i)
      isLow |= output[i] <= lowest;
    for (int64_t i = begin; isLow && i < end; ++i)
      if (output[i] <= lowest)
        output[i] = find(input, i);
  }
}

} // namespace takt::runtime
