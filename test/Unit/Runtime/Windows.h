/// Windows that slide over [n, spatial.., c], by their definition.
#ifndef TAKT_TEST_UNIT_RUNTIME_WINDOWS_H
#define TAKT_TEST_UNIT_RUNTIME_WINDOWS_H

#include "runtime/core/Manifest.h"

#include <functional>

namespace takt::runtime::test {

struct WindowCase {
  int64_t batch;
  std::vector<int64_t> sizes;
  int64_t channels;
  std::vector<int64_t> kernel, strides, dilations, begin, end;

  std::vector<int64_t> outputSizes() const;
  int64_t inputElements() const;
  int64_t outputElements(int64_t outputChannels) const;
  /// Row-major number of an input element; `position` counts spatial elements.
  int64_t element(int64_t n, int64_t position, int64_t channel) const;
  void forEachOutput(
      const std::function<void(int64_t, const std::vector<int64_t> &)> &body)
      const;
  /// For each tap of the window at `out`: the spatial element it reads, -1 in
  /// the padding, and its number within the kernel.
  void forEachTap(const std::vector<int64_t> &out,
                  const std::function<void(int64_t, int64_t)> &body) const;
  /// Fills in shapes and lists; returns the values that they index.
  std::vector<int64_t> describe(WindowSpec &spec, int64_t outputChannels) const;
};

/// Small whole numbers, as floats.
std::vector<float> numbers(int64_t count, int seed = 0);

} // namespace takt::runtime::test

#endif
