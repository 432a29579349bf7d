//===- JsonText.h - checks that protobuf's JSON reader leaves out ---------===//
#ifndef TAKT_SUPPORT_JSONTEXT_H
#define TAKT_SUPPORT_JSONTEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace takt {

/// Fails unless \p text is one JSON value in the strict sense: no trailing
/// comma, no NaN, no key twice in an object (`memory_bytes` and `memoryBytes`
/// are one key to protobuf, so they are here). \p what starts the message.
llvm::Error checkStrictJson(llvm::StringRef text, llvm::StringRef what);

} // namespace takt

#endif // TAKT_SUPPORT_JSONTEXT_H
