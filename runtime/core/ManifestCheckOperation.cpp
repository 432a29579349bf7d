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
    case OperationKind::Convolution:
      return checkConvolution(operation.convolution);
    case OperationKind::Pool:
      return checkWindow(operation.pool);
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
    TAKT_RETURN_IF_ERROR(checkEpilogues(contraction.epilogues));
    return checkShape(
        manifest,
        {contraction.batch, contraction.m, contraction.n, contraction.k},
        owner);
  }

  Status checkEpilogues(const std::vector<EpilogueSpec> &epilogues) {
    // oneDNN takes up to 32 post-ops, and one binary operand for each.
    if (epilogues.size() > 16)
      return bundleError("manifest: ", owner, " has more than 16 epilogues");
    for (const EpilogueSpec &epilogue : epilogues) {
      if (epilogue.hasOperand())
        TAKT_RETURN_IF_ERROR(checkBuffer(epilogue.buffer, Dtype::F32));
      if (!std::isfinite(static_cast<float>(epilogue.high)))
        return bundleError("manifest: ", owner, ": high is not a float32");
    }
    return Status();
  }

  Status checkWindow(const WindowSpec &window) {
    TAKT_RETURN_IF_ERROR(checkBuffer(window.input, Dtype::F32));
    TAKT_RETURN_IF_ERROR(checkResult(window.output, Dtype::F32));
    if (window.output == window.input)
      return bundleError("manifest: ", owner, " overwrites its operand");
    size_t rank = window.inputShape.size();
    if (rank < 3 || rank > 5 || window.outputShape.size() != rank)
      return bundleError("manifest: ", owner,
                         " has not one to three spatial dimensions");
    TAKT_RETURN_IF_ERROR(checkShape(manifest, window.inputShape, owner));
    TAKT_RETURN_IF_ERROR(checkShape(manifest, window.outputShape, owner));
    auto inRange = [rank](const std::vector<int64_t> &list, int64_t least) {
      return list.size() == rank - 2 &&
             std::all_of(list.begin(), list.end(), [least](int64_t value) {
               return value >= least && value < (1 << 20);
             });
    };
    if (!inRange(window.kernel, 1) || !inRange(window.strides, 1) ||
        !inRange(window.dilations, 1) || !inRange(window.padsBegin, 0) ||
        !inRange(window.padsEnd, 0))
      return bundleError("manifest: ", owner,
                         ": kernel, strides, dilations and pads need one "
                         "number in range per spatial dimension");
    return Status();
  }

  Status checkConvolution(const ConvolutionSpec &convolution) {
    TAKT_RETURN_IF_ERROR(checkWindow(convolution));
    TAKT_RETURN_IF_ERROR(checkBuffer(convolution.weight, Dtype::F32));
    if (convolution.output == convolution.weight)
      return bundleError("manifest: ", owner, " overwrites its operand");
    if (convolution.groups < 1 || convolution.groups >= (1 << 20))
      return bundleError("manifest: ", owner, " has ", convolution.groups,
                         " groups");
    return checkEpilogues(convolution.epilogues);
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

} // namespace

Status checkOperation(const Manifest &manifest, const StageSpec &stage,
                      const OperationSpec &operation) {
  return OperationChecker(manifest, stage, operation).run();
}

} // namespace takt::runtime
