/// Products of single rows, which only wait for what they multiply.
#ifndef TAKT_RUNTIME_DEVICE_VECTORCONTRACTION_H
#define TAKT_RUNTIME_DEVICE_VECTORCONTRACTION_H

#include "runtime/core/Manifest.h"
#include "runtime/device/PackedWeights.h"

namespace takt::runtime {

/// Whether `operation` multiplies a single row by a matrix (or, in a batch,
/// each row by a matrix of its own, as a decoder's attention does) for these
/// sizes, and the kernels run on this processor.
bool isVectorContraction(const ContractionSpec &spec,
                         const std::vector<int64_t> &values);

/// Prepares it. `weights` is the packable right-hand side, or null: then the
/// frame's is read. `stored` describes it, [rows, columns]. Weights are packed
/// as oneDNN packs them for more rows, so both share one copy. With
/// `addsInPlace` the first addition's operand lies where the output does.
Result<std::unique_ptr<PreparedCall>>
prepareVectorContraction(const ContractionSpec &spec,
                         const std::vector<int64_t> &values,
                         const dnnl::memory::desc &stored, bool addsInPlace,
                         PackedWeights *weights, DeviceContext &context);

} // namespace takt::runtime

#endif
