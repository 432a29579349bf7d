/// A weight in the layouts that library calls have asked for.
#ifndef TAKT_RUNTIME_DEVICE_PACKEDWEIGHTS_H
#define TAKT_RUNTIME_DEVICE_PACKEDWEIGHTS_H

#include "runtime/device/Primitive.h"

#include <list>

namespace takt::runtime {

class PackedWeights {
public:
  /// `plain`: row-major data in the mapped file `file`; both, and `pool`, which
  /// holds the packed forms, are kept by the owner.
  PackedWeights(const FileMapping &file, const std::byte *plain, int64_t bytes,
                MemoryPool &pool)
      : file(file), plain(plain), bytes(bytes), pool(pool) {}

  /// Data in the layout `wanted`, made at the first call; `stored` describes
  /// the plain data. Two calls may see it differently (transposed or not).
  Result<void *> get(const dnnl::memory::desc &stored,
                     const dnnl::memory::desc &wanted, DeviceContext &context);
  /// Bytes of all packed forms.
  int64_t getBytes() const;

private:
  struct Form {
    dnnl::memory::desc stored;
    dnnl::memory::desc wanted;
    std::byte *data;
  };

  const FileMapping &file;
  const std::byte *plain;
  int64_t bytes;
  MemoryPool &pool;
  std::list<Form> forms;
};

} // namespace takt::runtime

#endif
