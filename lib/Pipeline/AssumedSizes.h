//===- AssumedSizes.h - typical sizes of dimensions
//---------------------------===//
#ifndef TAKT_LIB_PIPELINE_ASSUMEDSIZES_H
#define TAKT_LIB_PIPELINE_ASSUMEDSIZES_H

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>

namespace takt {

/// Sets each takt.dim's typical size: the assumed one, else 1 for batches and
/// 128 for all else. Fails, with a diagnostic, for a name that the model lacks.
mlir::LogicalResult
setTypicalSizes(mlir::ModuleOp module,
                const std::map<std::string, int64_t> &assumed);

/// Makes typical sizes satisfy guards of the form `name equals expression`,
/// unless the name was assumed.
void reconcileTypicalSizes(mlir::ModuleOp module,
                           const std::map<std::string, int64_t> &assumed);

} // namespace takt

#endif
