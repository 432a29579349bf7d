#include "runtime/device/Pool.h"
#include "runtime/device/Window.h"
#include "runtime/device/WindowMaximum.h"

namespace takt::runtime {
namespace {

class PoolCall : public PreparedCall {
public:
  explicit PoolCall(const OperationSpec &operation) : operation(operation) {}

  Status prepare(const std::vector<int64_t> &values, DeviceContext &context);
  Status run(void *const *buffers, DeviceContext &context) override;
  int64_t getScratchpadBytes() const override {
    return call.getScratchpadBytes();
  }

private:
  const OperationSpec &operation;
  bool isEmpty = false;
  PrimitiveCall call;
  WindowMaximum maximum; // of a maximum only
};

dnnl::algorithm algorithmOf(PoolKind kind) {
  switch (kind) {
  case PoolKind::Average:
    return dnnl::algorithm::pooling_avg_exclude_padding;
  case PoolKind::AverageIncludePad:
    return dnnl::algorithm::pooling_avg_include_padding;
  case PoolKind::Max:
    break;
  }
  return dnnl::algorithm::pooling_max;
}

Status PoolCall::prepare(const std::vector<int64_t> &values,
                         DeviceContext &context) {
  const PoolSpec &spec = operation.pool;
  isEmpty = hasNoElement(spec.outputShape, values);
  if (isEmpty)
    return Status();
  if (hasNoElement(spec.inputShape, values))
    return inputError("operation '", operation.name,
                      "' pools a tensor without elements");
  dnnl::memory::desc input = describeChannelsLast(spec.inputShape, values);
  dnnl::memory::desc output = describeChannelsLast(spec.outputShape, values);
  dnnl::pooling_forward::desc desc(
      dnnl::prop_kind::forward_inference, algorithmOf(spec.kind), input, output,
      spec.strides, spec.kernel, spec.padsBegin, spec.padsEnd);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::pooling_forward::primitive_desc descriptor(desc, attributes,
                                                   context.engine, true);
  if (!descriptor)
    return environmentError("oneDNN has no pooling for operation '",
                            operation.name, "'");
  std::string implementation = descriptor.impl_info_str();
  if (implementation.find("ref") != std::string::npos)
    context.warnSlow(operation.name, implementation);
  call.setPrimitive(dnnl::pooling_forward(descriptor));
  call.addScratch(DNNL_ARG_SCRATCHPAD, descriptor.scratchpad_desc(), 0,
                  context);
  call.addBuffer(DNNL_ARG_SRC, input, spec.input, context);
  call.addBuffer(DNNL_ARG_DST, output, spec.output, context);
  if (spec.kind == PoolKind::Max)
    maximum = WindowMaximum(spec, values);
  return Status();
}

Status PoolCall::run(void *const *buffers, DeviceContext &context) {
  if (isEmpty)
    return Status();
  TAKT_RETURN_IF_ERROR(call.execute(buffers, context));
  const PoolSpec &spec = operation.pool;
  if (spec.kind == PoolKind::Max)
    maximum.correct(static_cast<const float *>(buffers[spec.input]),
                    static_cast<float *>(buffers[spec.output]));
  return Status();
}

} // namespace

Result<std::unique_ptr<PreparedCall>>
preparePool(const OperationSpec &operation, const std::vector<int64_t> &values,
            DeviceContext &context) {
  auto call = std::make_unique<PoolCall>(operation);
  if (Status status = call->prepare(values, context); !status.ok())
    return status;
  return std::unique_ptr<PreparedCall>(std::move(call));
}

} // namespace takt::runtime
