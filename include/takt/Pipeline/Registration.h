//===- Registration.h - dialects and passes of the tools ------------------===//
#ifndef TAKT_PIPELINE_REGISTRATION_H
#define TAKT_PIPELINE_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace takt {

/// All dialects that a phase reads or makes, with the models and interfaces
/// that our passes and the upstream ones need.
void registerAllDialects(mlir::DialectRegistry &registry);

/// All our passes, for takt-opt.
void registerAllPasses();

} // namespace takt

#endif
