/// Matrix products by oneDNN, with fused epilogues.
#ifndef TAKT_RUNTIME_DEVICE_CONTRACTION_H
#define TAKT_RUNTIME_DEVICE_CONTRACTION_H

#include "runtime/core/Manifest.h"
#include "runtime/device/PackedWeights.h"

namespace takt::runtime {

/// Prepares `operation` for the sizes in `values`. `weights` is the packable
/// right-hand side, or null. Single rows take kernels of ours. Else tries,
/// in this order: oneDNN's own weight layout with fused epilogues, plain
/// weights with fused epilogues, epilogues as loops; the first that is not
/// oneDNN's reference loop wins. With `addsInPlace` the first addition's
/// operand lies where the output does.
Result<std::unique_ptr<PreparedCall>>
prepareContraction(const OperationSpec &operation,
                   const std::vector<int64_t> &values, bool addsInPlace,
                   PackedWeights *weights, DeviceContext &context);

} // namespace takt::runtime

#endif
