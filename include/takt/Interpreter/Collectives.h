//===- Collectives.h - what collectives compute ---------------------------===//
#ifndef TAKT_INTERPRETER_COLLECTIVES_H
#define TAKT_INTERPRETER_COLLECTIVES_H

#include "takt/Support/HostTensor.h"

#include "llvm/Support/Error.h"

#include <vector>

namespace takt {

/// The sum of tensors of equal type and shape, in the order given; floats of 16
/// bits are added in 64 bits and rounded once, other floats in their own type.
/// Integers wrap; bool cannot be added.
llvm::Expected<HostTensor> sumTensors(llvm::ArrayRef<const HostTensor *> parts);

/// Tensors side by side along dimension `axis`.
llvm::Expected<HostTensor>
concatTensors(llvm::ArrayRef<const HostTensor *> parts, int64_t axis);

/// Part `index` of `ways` equal parts along dimension `axis`; fails if they do
/// not come out equal.
llvm::Expected<HostTensor> sliceTensor(const HostTensor &tensor, int64_t axis,
                                       int64_t index, int64_t ways);

} // namespace takt

#endif
