/// Sizes and memory descriptors of a convolution as oneDNN sees them.
#ifndef TAKT_RUNTIME_DEVICE_CONVOLUTIONGEOMETRY_H
#define TAKT_RUNTIME_DEVICE_CONVOLUTIONGEOMETRY_H

#include "runtime/core/Manifest.h"

#include <dnnl.hpp>

namespace takt::runtime {

struct ConvolutionGeometry {
  /// `values`: the sizes that the specification refers to.
  ConvolutionGeometry(const ConvolutionSpec &spec,
                      const std::vector<int64_t> &values);

  /// Channels last, but for the weights: as stored, and as the library likes.
  dnnl::memory::desc input, output, plainWeight, anyWeight;
  /// [channels], and [1, channels, 1, ..] for use as a post-op.
  dnnl::memory::desc bias, biasRow;
  dnnl::memory::dims strides, dilations, padsBegin, padsEnd;
  int64_t rows = 1; // of channels, in the output
  int64_t channels;
};

} // namespace takt::runtime

#endif
