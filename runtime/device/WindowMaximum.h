/// Maxima of windows without a finite number.
#ifndef TAKT_RUNTIME_DEVICE_WINDOWMAXIMUM_H
#define TAKT_RUNTIME_DEVICE_WINDOWMAXIMUM_H

#include "runtime/core/Manifest.h"

namespace takt::runtime {

/// oneDNN starts a maximum at the lowest finite number. Where a result is no
/// larger, this finds the window's maximum again, starting at -inf; NaN is
/// passed over, as there.
class WindowMaximum {
public:
  WindowMaximum() = default;
  WindowMaximum(const PoolSpec &spec, const std::vector<int64_t> &values);

  /// Corrects `output`, the maxima of `input`'s windows; both channels last.
  void correct(const float *input, float *output) const;

private:
  /// The maximum of the window of output element `number`.
  float find(const float *input, int64_t number) const;

  // One to three spatial dimensions, as three; those that lack have size 1.
  struct Dimension {
    int64_t input = 1, output = 1, kernel = 1, stride = 1, pad = 0;
  };
  Dimension dimensions[3];
  int64_t channels = 0, elements = 0;
};

} // namespace takt::runtime

#endif
