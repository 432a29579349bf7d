/// The operations of a stage as JSON.
#ifndef TAKT_RUNTIME_CORE_MANIFESTOPERATIONS_H
#define TAKT_RUNTIME_CORE_MANIFESTOPERATIONS_H

#include "runtime/core/JsonFields.h"
#include "runtime/core/Manifest.h"

namespace takt::runtime {

/// Reads one operation. `status` gets the first fault that the fields' own
/// checks do not find.
void readOperation(JsonFields &fields, OperationSpec &operation,
                   Status &status);

} // namespace takt::runtime

#endif
