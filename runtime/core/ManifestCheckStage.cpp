#include "runtime/abi/Abi.h"
#include "runtime/core/Manifest.h"

#include <algorithm>
#include <cmath>

namespace takt::runtime {
namespace {

/// Checks the operations of one stage.
class OperationChecker {
public:
  OperationChecker(const Manifest &manifest, const StageSpec &stage,
                   const OperationSpec &operation)
      : manifest(manifest), stage(stage), operation(operation),
        owner(join("stage '", stage.name, "', operation '", operation.name,
                   "'")) {}

  Status run() {
    switch (operation.kind) {
    case OperationKind::Contraction:
      return checkContraction(operation.contraction);
    case OperationKind::Pool:
      return checkPool(operation.pool);
    case OperationKind::Collective:
      return checkCollective(operation.collective);
    }
    return Status();
  }

private:
  Status checkBuffer(int32_t buffer, Dtype dtype) {
    if (buffer < 0 || buffer >= static_cast<int32_t>(stage.buffers.size()))
      return bundleError("manifest: ", owner, " names buffer ", buffer, " of ",
                         stage.buffers.size());
    if (stage.buffers[buffer].dtype != dtype)
      return bundleError("manifest: ", owner, ": buffer ", buffer, " is ",
                         nameOf(stage.buffers[buffer].dtype), ", ",
                         nameOf(dtype), " expected");
    return Status();
  }

  Status checkResult(int32_t buffer, Dtype dtype) {
    TAKT_RETURN_IF_ERROR(checkBuffer(buffer, dtype));
    if (stage.buffers[buffer].kind != BufferKind::Arena)
      return bundleError("manifest: ", owner, " writes buffer ", buffer,
                         ", which does not lie in the arena");
    return Status();
  }

  Status checkContraction(const ContractionSpec &contraction) {
    for (int32_t buffer : {contraction.lhs, contraction.rhs})
      TAKT_RETURN_IF_ERROR(checkBuffer(buffer, Dtype::F32));
    TAKT_RETURN_IF_ERROR(checkResult(contraction.output, Dtype::F32));
    if (contraction.output == contraction.lhs ||
        contraction.output == contraction.rhs)
      return bundleError("manifest: ", owner, " overwrites its operand");
    if (!std::isfinite(static_cast<float>(contraction.scale)))
      return bundleError("manifest: ", owner, ": scale is not a float32");
    // oneDNN takes up to 32 post-ops, and one binary operand for each.
    if (contraction.epilogues.size() > 16)
      return bundleError("manifest: ", owner, " has more than 16 epilogues");
    for (const EpilogueSpec &epilogue : contraction.epilogues)
      if (epilogue.kind == EpilogueKind::Bias ||
          epilogue.kind == EpilogueKind::Add)
        TAKT_RETURN_IF_ERROR(checkBuffer(epilogue.buffer, Dtype::F32));
    return checkShape(
        manifest,
        {contraction.batch, contraction.m, contraction.n, contraction.k},
        owner);
  }

  Status checkPool(const PoolSpec &pool) {
    TAKT_RETURN_IF_ERROR(checkBuffer(pool.input, Dtype::F32));
    TAKT_RETURN_IF_ERROR(checkResult(pool.output, Dtype::F32));
    if (pool.output == pool.input)
      return bundleError("manifest: ", owner, " overwrites its operand");
    if (pool.inputShape.size() != 4 || pool.outputShape.size() != 4)
      return bundleError("manifest: ", owner, " has not 4 axes");
    TAKT_RETURN_IF_ERROR(checkShape(manifest, pool.inputShape, owner));
    TAKT_RETURN_IF_ERROR(checkShape(manifest, pool.outputShape, owner));
    auto inRange = [](const std::vector<int64_t> &list, int64_t least) {
      return list.size() == 2 &&
             std::all_of(list.begin(), list.end(), [least](int64_t value) {
               return value >= least && value < (1 << 20);
             });
    };
    if (!inRange(pool.kernel, 1) || !inRange(pool.strides, 1) ||
        !inRange(pool.padsBegin, 0) || !inRange(pool.padsEnd, 0))
      return bundleError("manifest: ", owner, ": kernel, strides and pads need",
                         " 2 numbers each, in range");
    return Status();
  }

  Status checkCollective(const CollectiveSpec &collective) {
    TAKT_RETURN_IF_ERROR(checkBuffer(collective.input, collective.dtype));
    TAKT_RETURN_IF_ERROR(checkResult(collective.output, collective.dtype));
    if (collective.input == collective.output)
      return bundleError("manifest: ", owner, " overwrites its operand");
    bool reducible =
        collective.dtype == Dtype::F32 || collective.dtype == Dtype::F64 ||
        collective.dtype == Dtype::I32 || collective.dtype == Dtype::I64;
    if (collective.kind != CollectiveKind::AllGather && !reducible)
      return bundleError("manifest: ", owner, " reduces ",
                         nameOf(collective.dtype),
                         "; float32, float64, int32 or int64 expected");
    return checkShape(
        manifest, {collective.outer, collective.part, collective.inner}, owner);
  }

  const Manifest &manifest;
  const StageSpec &stage;
  const OperationSpec &operation;
  std::string owner;
};

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
    TAKT_RETURN_IF_ERROR(OperationChecker(manifest, stage, operation).run());
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
