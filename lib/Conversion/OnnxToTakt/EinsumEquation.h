//===- EinsumEquation.h - which dimensions an Einsum names ----------------===//
#ifndef TAKT_LIB_CONVERSION_ONNXTOTAKT_EINSUMEQUATION_H
#define TAKT_LIB_CONVERSION_ONNXTOTAKT_EINSUMEQUATION_H

#include "NodeLowering.h"

namespace takt::legalize {

/// `ab,bc->ac`: one name per dimension of each operand and of the result.
/// Dimensions under an ellipsis have names that are no letters, the same for
/// those that are equally far from the last.
struct EinsumEquation {
  llvm::SmallVector<std::string> operands;
  std::string result;
};

/// The node's equation. Fails with a message unless it fits the inputs' ranks
/// and its result names each of its dimensions once, of those that the operands
/// have.
mlir::FailureOr<EinsumEquation> parseEinsum(NodeLowering &n);

} // namespace takt::legalize

#endif
