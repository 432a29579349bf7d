#include "runtime/core/RankWeights.h"
#include "runtime/core/Request.h"

#include <cstring>

namespace takt::runtime {
namespace {

/// Buffers that are the shared right-hand side of a contraction or the weight
/// of a convolution.
std::vector<bool> findPackable(const StageSpec &stage) {
  std::vector<bool> packable(stage.buffers.size(), false);
  for (const OperationSpec &operation : stage.operations)
    if (operation.kind == OperationKind::Contraction &&
        operation.contraction.rhsShared)
      packable[operation.contraction.rhs] = true;
    else if (operation.kind == OperationKind::Convolution)
      packable[operation.convolution.weight] = true;
  for (size_t i = 0; i < packable.size(); ++i)
    if (stage.buffers[i].kind != BufferKind::Weight)
      packable[i] = false;
  return packable;
}

/// The tensor of a WEIGHT buffer, with the dtype and shape that it must have.
Result<const SafeTensor *> findTensor(const Manifest &manifest,
                                      const SafeTensorsFile &file,
                                      const BufferSpec &buffer) {
  auto found = file.tensors.find(buffer.name);
  if (found == file.tensors.end())
    return bundleError("weight '", buffer.name, "' is missing");
  std::vector<int64_t> shape;
  for (int32_t value : buffer.shape) {
    shape.emplace_back();
    Status status = manifest.values[value].evaluate(nullptr, shape.back());
    if (!status.ok())
      return status;
  }
  const SafeTensor &tensor = found->second;
  if (tensor.dtype != buffer.dtype || tensor.shape != shape)
    return bundleError("weight '", buffer.name, "' is ", nameOf(tensor.dtype),
                       " ", describeShape(tensor.shape), ", ",
                       nameOf(buffer.dtype), " ", describeShape(shape),
                       " expected");
  return &tensor;
}

} // namespace

Status RankWeights::load(const Bundle &bundle, const RankSpec &rank) {
  const Manifest &manifest = bundle.getManifest();
  const StageSpec &stage = manifest.stages[rank.stage];
  data.assign(stage.buffers.size(), nullptr);
  packed.resize(stage.buffers.size());
  if (rank.weights.empty())
    return Status();
  Result<SafeTensorsFile> opened = readSafeTensors(bundle.pathOf(rank.weights));
  if (!opened.ok())
    return opened.status();
  file = std::move(*opened);
  std::vector<const SafeTensor *> tensors(stage.buffers.size(), nullptr);
  for (size_t i = 0; i < stage.buffers.size(); ++i) {
    if (stage.buffers[i].kind != BufferKind::Weight)
      continue;
    Result<const SafeTensor *> tensor =
        findTensor(manifest, file, stage.buffers[i]);
    if (!tensor.ok())
      return bundleError("rank ", rank.id, ", '", rank.weights,
                         "': ", tensor.status().getText());
    tensors[i] = *tensor;
    bytes += tensors[i]->bytes;
  }
  return place(stage, findPackable(stage), tensors);
}

Status RankWeights::place(const StageSpec &stage,
                          const std::vector<bool> &packable,
                          const std::vector<const SafeTensor *> &tensors) {
  std::vector<int64_t> offsets(tensors.size(), -1);
  int64_t copied = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i])
      continue;
    const std::byte *source = file.dataOf(*tensors[i]);
    if (packable[i])
      packed[i] = std::make_unique<PackedWeights>(file.file, source,
                                                  tensors[i]->bytes, pool);
    // Kernels may count on the alignment, which a file need not give.
    if (packable[i] &&
        reinterpret_cast<uintptr_t>(source) % bufferAlignment == 0) {
      data[i] = source;
    } else {
      offsets[i] = copied;
      copied += alignUp(tensors[i]->bytes);
    }
  }
  TAKT_RETURN_IF_ERROR(block.reserve(copied, "weights"));
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (offsets[i] < 0)
      continue;
    const std::byte *source = file.dataOf(*tensors[i]);
    if (tensors[i]->bytes)
      std::memcpy(block.data() + offsets[i], source,
                  static_cast<size_t>(tensors[i]->bytes));
    if (!packable[i])
      file.file.release(source, tensors[i]->bytes);
    data[i] = block.data() + offsets[i];
  }
  return Status();
}

} // namespace takt::runtime
