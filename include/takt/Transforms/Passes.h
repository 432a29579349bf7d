//===- Passes.h - passes from the takt level to itself --------------------===//
#ifndef TAKT_TRANSFORMS_PASSES_H
#define TAKT_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace takt {

#define GEN_PASS_DECL
#include "takt/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "takt/Transforms/Passes.h.inc"

} // namespace takt

#endif
