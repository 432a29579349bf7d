//===- ResizeMapping.h - which input elements an output element reads -----===//
#ifndef TAKT_LIB_CONVERSION_ONNXTOTAKT_RESIZEMAPPING_H
#define TAKT_LIB_CONVERSION_ONNXTOTAKT_RESIZEMAPPING_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <string>

namespace takt::legalize {

/// One addend of each output element of a dimension.
struct ResizeTap {
  llvm::SmallVector<int64_t> indices;
  llvm::SmallVector<float> weights;
};

/// The attributes of Resize that say which input position an output position
/// reads, and how; computed in f32, as ONNX Runtime does.
struct ResizeMapping {
  std::string mode, transformation, nearest;
  float cubicCoefficient;
  bool excludesOutside;

  /// Of output position `x` of a dimension of `in` and `out` elements.
  float position(int64_t x, int64_t in, int64_t out, float scale) const;
  /// The element that mode nearest takes at a position.
  int64_t round(float position) const;
  /// The addends of modes linear (two) and cubic (four).
  llvm::SmallVector<ResizeTap> taps(int64_t in, int64_t out, float scale) const;
};

} // namespace takt::legalize

#endif
