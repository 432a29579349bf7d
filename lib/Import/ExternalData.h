//===- ExternalData.h - tensors in other files ----------------------------===//
#ifndef TAKT_LIB_IMPORT_EXTERNALDATA_H
#define TAKT_LIB_IMPORT_EXTERNALDATA_H

#include "ImportState.h"

namespace takt::import {

/// A checked range of a file inside the model's directory.
struct ExternalRange {
  std::string location; ///< as the model writes it
  std::string path;     ///< to open it from here
  int64_t offset = 0;
  int64_t length = 0;
  bool exists = true; ///< false only with `allowMissingWeights`
};

/// Reads and checks the external_data entries of \p tensor, whose elements take
/// \p bytes. A model comes from strangers: the location must stay inside the
/// model's directory, reach it through no link (unless allowed), and the range
/// must lie in the file (onnx CVE-2022-25882, CVE-2024-27318, CVE-2026-34445,
/// -34446, -34447).
mlir::FailureOr<ExternalRange>
externalRange(ImportState &state, const pb::TensorProto &tensor, int64_t bytes);

/// The bytes of a range that exists.
mlir::FailureOr<std::string> readRange(ImportState &state,
                                       const ExternalRange &range);

} // namespace takt::import

#endif // TAKT_LIB_IMPORT_EXTERNALDATA_H
