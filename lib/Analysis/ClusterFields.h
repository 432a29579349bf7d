//===- ClusterFields.h - fields of a cluster file and their types ---------===//
#ifndef TAKT_LIB_ANALYSIS_CLUSTERFIELDS_H
#define TAKT_LIB_ANALYSIS_CLUSTERFIELDS_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace google::protobuf {
class Descriptor;
}

namespace takt {

/// Fails where \p value has a field that \p message has not, or one of another
/// type. Protobuf's own reader lets pass an object for a list, null for
/// anything and text for numbers, and its errors do not always say where.
llvm::Error checkFields(const llvm::json::Value &value,
                        const google::protobuf::Descriptor &message);

} // namespace takt

#endif
