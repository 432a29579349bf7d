/// Pooling by oneDNN, NCHW.
#ifndef TAKT_RUNTIME_DEVICE_POOL_H
#define TAKT_RUNTIME_DEVICE_POOL_H

#include "runtime/core/Manifest.h"
#include "runtime/device/Primitive.h"

namespace takt::runtime {

/// Prepares `operation` for the sizes in `values`. Cases that oneDNN does not
/// take (windows outside of the padded image, as ceil_mode makes them) run as
/// plain loops.
Result<std::unique_ptr<PreparedCall>>
preparePool(const OperationSpec &operation, const std::vector<int64_t> &values,
            DeviceContext &context);

/// Plain loops. A window that holds no element gives -inf (max) or 0.
void computePool(const PoolSpec &spec, const int64_t *inputShape,
                 const int64_t *outputShape, const float *input, float *output);

} // namespace takt::runtime

#endif
