//===- ResizeMapping.cpp - which input elements an output element reads ---===//
#include "ResizeMapping.h"

#include <algorithm>
#include <cmath>

using namespace takt::legalize;

float ResizeMapping::position(int64_t x, int64_t in, int64_t out,
                              float scale) const {
  if (transformation == "asymmetric")
    return float(x) / scale;
  if (transformation == "align_corners")
    return out == 1 ? 0.0f : float(x) * float(in - 1) / float(out - 1);
  if (transformation == "pytorch_half_pixel" && out <= 1)
    return 0.0f;
  float centred = (float(x) + 0.5f) / scale - 0.5f;
  if (transformation == "half_pixel_symmetric")
    centred += float(in) / 2 * (1 - float(out) / (scale * float(in)));
  return centred;
}

int64_t ResizeMapping::round(float position) const {
  if (nearest == "floor")
    return std::floor(position);
  if (nearest == "ceil")
    return std::ceil(position);
  if (nearest == "round_prefer_ceil")
    return std::floor(position + 0.5f);
  return std::ceil(position - 0.5f);
}

/// The cubic kernel at a distance below 2.
static float cubicAt(float distance, float a) {
  float d = std::fabs(distance);
  if (d <= 1)
    return ((a + 2) * d - (a + 3)) * d * d + 1;
  return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
}

llvm::SmallVector<ResizeTap> ResizeMapping::taps(int64_t in, int64_t out,
                                                 float scale) const {
  bool isCubic = mode == "cubic";
  int64_t count = isCubic ? 4 : 2;
  llvm::SmallVector<ResizeTap> taps(count);
  for (int64_t i = 0; i < out; ++i) {
    float at = position(i, in, out, scale);
    // Linear interpolation ends at the border, cubic reads beyond it.
    if (!isCubic)
      at = std::clamp(at, 0.0f, float(in - 1));
    auto first = int64_t(std::floor(at)) - (isCubic ? 1 : 0);
    float sum = 0;
    for (int64_t t = 0; t < count; ++t) {
      float distance = at - float(first + t);
      float weight = isCubic ? cubicAt(distance, cubicCoefficient)
                             : 1 - std::fabs(distance);
      bool isOutside = first + t < 0 || first + t >= in;
      if (excludesOutside && isOutside)
        weight = 0;
      sum += weight;
      taps[t].indices.push_back(std::clamp<int64_t>(first + t, 0, in - 1));
      taps[t].weights.push_back(weight);
    }
    for (int64_t t = 0; excludesOutside && t < count; ++t)
      taps[t].weights.back() /= sum;
  }
  return taps;
}
