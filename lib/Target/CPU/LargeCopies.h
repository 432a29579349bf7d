//===- LargeCopies.h - copies that bypass the cache -----------------------===//
#ifndef TAKT_LIB_TARGET_CPU_LARGECOPIES_H
#define TAKT_LIB_TARGET_CPU_LARGECOPIES_H

#include "llvm/IR/Module.h"

namespace takt {

/// Lets the module's copies of unknown length store past the cache where they
/// turn out to be large at run time (a decoder's past, copied for each token):
/// a store of a whole line that way spares reading the line first, a third of
/// the copy's traffic.
void streamLargeCopies(llvm::Module &module);

} // namespace takt

#endif
