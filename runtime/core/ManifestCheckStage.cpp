#include "runtime/abi/Abi.h"
#include "runtime/core/Manifest.h"

namespace takt::runtime {
namespace {

template <class T>
int32_t indexOf(const std::vector<T> &items, const std::string &name) {
  for (size_t i = 0; i < items.size(); ++i)
    if (items[i].name == name)
      return static_cast<int32_t>(i);
  return -1;
}

Status checkBuffer(const Manifest &manifest, BufferSpec &buffer,
                   const std::string &owner) {
  TAKT_RETURN_IF_ERROR(checkShape(manifest, buffer.shape, owner));
  if (buffer.kind == BufferKind::Arena &&
      (buffer.first < 0 || buffer.last < buffer.first))
    return bundleError("manifest: ", owner, " lives from step ", buffer.first,
                       " to ", buffer.last);
  if (buffer.kind == BufferKind::Input) {
    buffer.input = indexOf(manifest.inputs, buffer.name);
    if (buffer.input < 0)
      return bundleError("manifest: ", owner, " is unknown input '",
                         buffer.name, "'");
    if (manifest.inputs[buffer.input].dtype != buffer.dtype)
      return bundleError("manifest: ", owner, " is ", nameOf(buffer.dtype),
                         ", but input '", buffer.name, "' is ",
                         nameOf(manifest.inputs[buffer.input].dtype));
  }
  if (buffer.kind == BufferKind::Weight)
    for (int32_t value : buffer.shape)
      if (!manifest.values[value].isConstant())
        return bundleError("manifest: ", owner, ": weight '", buffer.name,
                           "' has the variable size '",
                           manifest.values[value].getText(), "'");
  return Status();
}

} // namespace

Status checkStage(Manifest &manifest, StageSpec &stage) {
  std::string owner = join("stage '", stage.name, "'");
  TAKT_RETURN_IF_ERROR(checkPath(manifest, stage.library));
  if (stage.entry.empty())
    return bundleError("manifest: ", owner, " has no entry");
  if (stage.tensorParallel < 1 || stage.tensorParallel > TAKT_MAX_SHARDS)
    return bundleError("manifest: ", owner, " has ", stage.tensorParallel,
                       " shards, 1 to ", TAKT_MAX_SHARDS, " expected");
  for (size_t i = 0; i < stage.buffers.size(); ++i)
    TAKT_RETURN_IF_ERROR(
        checkBuffer(manifest, stage.buffers[i], join(owner, ", buffer ", i)));
  for (const OperationSpec &operation : stage.operations)
    TAKT_RETURN_IF_ERROR(checkOperation(manifest, stage, operation));
  for (StageOutputSpec &output : stage.outputs) {
    output.output = indexOf(manifest.outputs, output.name);
    bool inRange = output.buffer >= 0 &&
                   output.buffer < static_cast<int32_t>(stage.buffers.size());
    if (output.output < 0 || !inRange)
      return bundleError("manifest: ", owner, " makes output '", output.name,
                         "' from buffer ", output.buffer,
                         ": unknown output or buffer");
    if (manifest.outputs[output.output].dtype !=
        stage.buffers[output.buffer].dtype)
      return bundleError("manifest: ", owner, ": dtype of output '",
                         output.name, "' differs from its buffer's");
  }
  return Status();
}

} // namespace takt::runtime
