/// The weights of one rank, from its safetensors file.
#ifndef TAKT_RUNTIME_CORE_RANKWEIGHTS_H
#define TAKT_RUNTIME_CORE_RANKWEIGHTS_H

#include "runtime/core/Bundle.h"
#include "runtime/core/SafeTensors.h"
#include "runtime/device/PackedWeights.h"

#include <memory>

namespace takt::runtime {

/// Weights that a library may want in a layout of its own stay in the mapped
/// file (whose pages the system can drop once they are packed); all others are
/// copied into aligned memory of the rank. Run on the rank's thread, whose
/// touch decides where the pages lie.
class RankWeights {
public:
  Status load(const Bundle &bundle, const RankSpec &rank);

  /// Data of a WEIGHT buffer of the stage; null for other buffers.
  const void *dataOf(size_t buffer) const { return data[buffer]; }
  /// Packed forms of a buffer; null if no library call takes it as weights.
  PackedWeights *packedOf(size_t buffer) const { return packed[buffer].get(); }
  /// Bytes of the rank's weights, each counted once.
  int64_t getBytes() const { return bytes; }

private:
  Status place(const StageSpec &stage, const std::vector<bool> &packable,
               const std::vector<const SafeTensor *> &tensors);

  SafeTensorsFile file;
  MemoryBlock block;
  MemoryPool pool; // of packed forms
  std::vector<const void *> data;
  std::vector<std::unique_ptr<PackedWeights>> packed;
  int64_t bytes = 0;
};

} // namespace takt::runtime

#endif
