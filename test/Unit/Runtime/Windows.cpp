#include "test/Unit/Runtime/Windows.h"

#include <numeric>

namespace takt::runtime::test {

static int64_t product(const std::vector<int64_t> &list) {
  return std::accumulate(list.begin(), list.end(), int64_t(1),
                         std::multiplies<>());
}

/// Each multi-index below `sizes`, the last dimension fastest.
static void
forEachIndex(const std::vector<int64_t> &sizes,
             const std::function<void(const std::vector<int64_t> &)> &body) {
  int64_t count = product(sizes);
  std::vector<int64_t> index(sizes.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    body(index);
    for (size_t dim = sizes.size(); dim-- > 0;) {
      if (++index[dim] < sizes[dim])
        break;
      index[dim] = 0;
    }
  }
}

std::vector<int64_t> WindowCase::outputSizes() const {
  std::vector<int64_t> result;
  for (size_t i = 0; i < sizes.size(); ++i)
    result.push_back(
        (sizes[i] + begin[i] + end[i] - (kernel[i] - 1) * dilations[i] - 1) /
            strides[i] +
        1);
  return result;
}

int64_t WindowCase::inputElements() const {
  return batch * product(sizes) * channels;
}

int64_t WindowCase::outputElements(int64_t outputChannels) const {
  return batch * product(outputSizes()) * outputChannels;
}

int64_t WindowCase::element(int64_t n, int64_t position,
                            int64_t channel) const {
  return (n * product(sizes) + position) * channels + channel;
}

void WindowCase::forEachOutput(
    const std::function<void(int64_t, const std::vector<int64_t> &)> &body)
    const {
  for (int64_t n = 0; n < batch; ++n)
    forEachIndex(outputSizes(),
                 [&](const std::vector<int64_t> &out) { body(n, out); });
}

void WindowCase::forEachTap(
    const std::vector<int64_t> &out,
    const std::function<void(int64_t, int64_t)> &body) const {
  int64_t number = 0;
  forEachIndex(kernel, [&](const std::vector<int64_t> &tap) {
    int64_t position = 0;
    bool isInside = true;
    for (size_t i = 0; i < sizes.size(); ++i) {
      int64_t at = out[i] * strides[i] + tap[i] * dilations[i] - begin[i];
      isInside &= at >= 0 && at < sizes[i];
      position = position * sizes[i] + at;
    }
    body(isInside ? position : -1, number++);
  });
}

std::vector<int64_t> WindowCase::describe(WindowSpec &spec,
                                          int64_t outputChannels) const {
  std::vector<int64_t> values = {batch};
  values.insert(values.end(), sizes.begin(), sizes.end());
  values.push_back(channels);
  for (size_t i = 0; i < values.size(); ++i)
    spec.inputShape.push_back(static_cast<int32_t>(i));
  size_t first = values.size();
  values.push_back(batch);
  for (int64_t size : outputSizes())
    values.push_back(size);
  values.push_back(outputChannels);
  for (size_t i = first; i < values.size(); ++i)
    spec.outputShape.push_back(static_cast<int32_t>(i));
  spec.kernel = kernel;
  spec.strides = strides;
  spec.dilations = dilations;
  spec.padsBegin = begin;
  spec.padsEnd = end;
  return values;
}

std::vector<float> numbers(int64_t count, int seed) {
  std::vector<float> data(static_cast<size_t>(count) + 1);
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = float(int((i * 37 + size_t(seed) * 11) % 13) - 6);
  return data;
}

} // namespace takt::runtime::test
