/// Where the buffers of a rank lie in its arena.
#ifndef TAKT_RUNTIME_CORE_BUFFERPLACEMENT_H
#define TAKT_RUNTIME_CORE_BUFFERPLACEMENT_H

#include "runtime/core/ShapePlan.h"

namespace takt::runtime {

/// Places the arena buffers of the rank's stage by their lifetimes; fills in
/// `arenaOffsets`, `arenaBytes`, `arenaLowerBound`, `outputs` and `addsInPlace`
/// of `plan`, whose `bufferBytes` are known. Outputs of the model lie in the
/// request's own memory on the rank that hands them over (the caches of a
/// decoder are too large to copy). An operation whose first epilogue (but for a
/// bias) adds a tensor that nothing reads afterwards gets its output where that
/// tensor lies: the library accumulates without another operand to read.
Status placeBuffers(const Manifest &manifest, const RankSpec &rank,
                    ShapePlan &plan);

} // namespace takt::runtime

#endif
