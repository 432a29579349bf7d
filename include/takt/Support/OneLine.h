//===- OneLine.h - texts from strangers on one line -----------------------===//
#ifndef TAKT_SUPPORT_ONELINE_H
#define TAKT_SUPPORT_ONELINE_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace takt {

/// The text without white space at its ends and with a space for each control
/// character: names in a model may hold any byte, an error is one line.
std::string oneLine(llvm::StringRef text);

} // namespace takt

#endif
