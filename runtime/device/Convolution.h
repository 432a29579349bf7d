/// Convolutions by oneDNN, channels last, with fused epilogues.
#ifndef TAKT_RUNTIME_DEVICE_CONVOLUTION_H
#define TAKT_RUNTIME_DEVICE_CONVOLUTION_H

#include "runtime/core/Manifest.h"
#include "runtime/device/PackedWeights.h"

namespace takt::runtime {

/// Prepares `operation` for the sizes in `values`, which makeShapePlan has
/// checked. `weights` is the weight if it may be packed, or null. Tries, in
/// this order: oneDNN's own weight layout with fused epilogues, the same with
/// epilogues as loops, plain weights; the first that is not oneDNN's reference
/// loop wins. With
/// `addsInPlace` the first addition's operand lies where the output does.
Result<std::unique_ptr<PreparedCall>>
prepareConvolution(const OperationSpec &operation,
                   const std::vector<int64_t> &values, bool addsInPlace,
                   PackedWeights *weights, DeviceContext &context);

} // namespace takt::runtime

#endif
