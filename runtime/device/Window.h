/// Shapes of convolution and pooling as oneDNN sees them: [n, c, spatial..]
/// with the strides of channels last.
#ifndef TAKT_RUNTIME_DEVICE_WINDOW_H
#define TAKT_RUNTIME_DEVICE_WINDOW_H

#include "runtime/core/Manifest.h"

#include <dnnl.hpp>

namespace takt::runtime {

/// A channels-last tensor of the sizes that `shape` names.
dnnl::memory::desc describeChannelsLast(const ValueIndices &shape,
                                        const std::vector<int64_t> &values);

/// Whether a tensor of these sizes has no element.
bool hasNoElement(const ValueIndices &shape,
                  const std::vector<int64_t> &values);

} // namespace takt::runtime

#endif
