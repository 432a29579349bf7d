/// Pooling by oneDNN, channels last.
#ifndef TAKT_RUNTIME_DEVICE_POOL_H
#define TAKT_RUNTIME_DEVICE_POOL_H

#include "runtime/core/Manifest.h"
#include "runtime/device/Primitive.h"

namespace takt::runtime {

/// Prepares `operation` for the sizes in `values`, which makeShapePlan has
/// checked.
Result<std::unique_ptr<PreparedCall>>
preparePool(const OperationSpec &operation, const std::vector<int64_t> &values,
            DeviceContext &context);

} // namespace takt::runtime

#endif
