/// Convolutions by fewer multiplications.
#ifndef TAKT_RUNTIME_DEVICE_WINOGRADCONVOLUTION_H
#define TAKT_RUNTIME_DEVICE_WINOGRADCONVOLUTION_H

#include "runtime/core/Manifest.h"
#include "runtime/device/PackedWeights.h"

namespace takt::runtime {

/// Whether oneDNN's F(2x2, 3x3) (Lavin and Gray, "Fast Algorithms for
/// Convolutional Neural Networks", section 4) gains more than its relayouts
/// cost: dense 3x3 windows of stride 1 whose transformed weights stay in cache
/// and whose image is large. Its transforms are sums and halves, so rounding
/// stays that of the direct sum within a small factor.
bool isFasterByWinograd(const ConvolutionSpec &spec,
                        const std::vector<int64_t> &values);

/// Prepares it; null where oneDNN has no such implementation for these sizes,
/// epilogues or processor. Input and output are brought into the blocked layout
/// that it needs and back, in the scratchpad.
Result<std::unique_ptr<PreparedCall>>
prepareWinograd(const ConvolutionSpec &spec, const std::vector<int64_t> &values,
                PackedWeights &weights, DeviceContext &context);

} // namespace takt::runtime

#endif
