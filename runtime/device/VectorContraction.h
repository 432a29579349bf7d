/// Products of a single row, which only wait for their weights.
#ifndef TAKT_RUNTIME_DEVICE_VECTORCONTRACTION_H
#define TAKT_RUNTIME_DEVICE_VECTORCONTRACTION_H

#include "runtime/core/Manifest.h"
#include "runtime/device/PackedWeights.h"

namespace takt::runtime {

/// Whether `operation` is a single row times shared weights for these sizes
/// and the kernel runs on this processor.
bool isVectorContraction(const ContractionSpec &spec,
                         const std::vector<int64_t> &values);

/// Prepares it. `stored` describes the weights as they lie in the file,
/// [rows, columns]. They are packed as oneDNN packs them for more rows, so
/// both share one copy. With `addsInPlace` the first addition's operand lies
/// where the output does.
Result<std::unique_ptr<PreparedCall>>
prepareVectorContraction(const ContractionSpec &spec,
                         const dnnl::memory::desc &stored, bool addsInPlace,
                         PackedWeights &weights, DeviceContext &context);

} // namespace takt::runtime

#endif
