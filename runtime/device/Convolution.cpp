#include "runtime/device/Convolution.h"
#include "runtime/device/ConvolutionGeometry.h"
#include "runtime/device/Epilogue.h"
#include "runtime/device/PostOps.h"
#include "runtime/device/Window.h"
#include "runtime/device/WinogradConvolution.h"

#include <algorithm>

namespace takt::runtime {
namespace {

using dnnl::memory;
using Geometry = ConvolutionGeometry;

class ConvolutionCall : public PreparedCall {
public:
  ConvolutionCall(const OperationSpec &operation,
                  const std::vector<int64_t> &values, bool addsInPlace)
      : operation(operation), addsInPlace(addsInPlace),
        spec(operation.convolution), geometry(spec, values),
        isEmpty(hasNoElement(spec.outputShape, values)),
        hasNoInput(hasNoElement(spec.inputShape, values)) {}

  Status prepare(PackedWeights *weights, DeviceContext &context);
  Status run(void *const *buffers, DeviceContext &context) override;
  int64_t getScratchpadBytes() const override {
    return call.getScratchpadBytes();
  }

private:
  using Descriptor = dnnl::convolution_forward::primitive_desc;

  /// One way to run it.
  struct Attempt {
    bool isFused;
    bool isPacked;
  };

  PostOps postOps(bool isFused) const {
    static const std::vector<EpilogueSpec> none;
    return PostOps(isFused ? spec.epilogues : none, true, addsInPlace,
                   geometry.output, geometry.biasRow);
  }
  Descriptor describe(const Attempt &attempt, DeviceContext &context) const;
  Status bind(const Attempt &attempt, const Descriptor &descriptor,
              PackedWeights *weights, DeviceContext &context);

  const OperationSpec &operation;
  const bool addsInPlace;
  const ConvolutionSpec &spec;
  Geometry geometry;
  bool isEmpty;
  bool hasNoInput;
  bool isFused = true;
  PrimitiveCall call;
};

/// Empty where oneDNN has no implementation.
ConvolutionCall::Descriptor
ConvolutionCall::describe(const Attempt &attempt,
                          DeviceContext &context) const {
  PostOps post = postOps(attempt.isFused);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attributes.set_post_ops(post.make());
  const Geometry &g = geometry;
  dnnl::convolution_forward::desc desc(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
      g.input, attempt.isPacked ? g.anyWeight : g.plainWeight,
      post.hasNativeBias() ? g.bias : memory::desc(), g.output, g.strides,
      g.dilations, g.padsBegin, g.padsEnd);
  return Descriptor(desc, attributes, context.engine, true);
}

Status ConvolutionCall::bind(const Attempt &attempt,
                             const Descriptor &descriptor,
                             PackedWeights *weights, DeviceContext &context) {
  isFused = attempt.isFused;
  call.setPrimitive(dnnl::convolution_forward(descriptor));
  call.addScratch(DNNL_ARG_SCRATCHPAD, descriptor.scratchpad_desc(), 0,
                  context);
  call.addBuffer(DNNL_ARG_SRC, geometry.input, spec.input, context);
  call.addBuffer(DNNL_ARG_DST, geometry.output, spec.output, context);
  if (attempt.isPacked) {
    Result<void *> data =
        weights->get(geometry.plainWeight, descriptor.weights_desc(), context);
    if (!data.ok())
      return data.status();
    call.addFixed(DNNL_ARG_WEIGHTS, descriptor.weights_desc(), *data, context);
  } else {
    call.addBuffer(DNNL_ARG_WEIGHTS, geometry.plainWeight, spec.weight,
                   context);
  }
  postOps(isFused).bind(call, geometry.bias, context);
  return Status();
}

Status ConvolutionCall::prepare(PackedWeights *weights,
                                DeviceContext &context) {
  if (isEmpty || hasNoInput)
    return Status();
  Descriptor fallback;
  Attempt fallbackAttempt = {true, false};
  for (Attempt attempt : {Attempt{true, true}, Attempt{false, true},
                          Attempt{true, false}, Attempt{false, false}}) {
    // What the output holds is lost to the loops.
    if ((attempt.isPacked && !weights) || (!attempt.isFused && addsInPlace))
      continue;
    Descriptor descriptor = describe(attempt, context);
    if (!descriptor)
      continue;
    std::string implementation = descriptor.impl_info_str();
    if (implementation.find("ref") == std::string::npos)
      return bind(attempt, descriptor, weights, context);
    if (!fallback) {
      fallback = descriptor;
      fallbackAttempt = attempt;
    }
  }
  if (!fallback)
    return environmentError("oneDNN has no convolution for operation '",
                            operation.name, "'");
  context.warnSlow(operation.name, fallback.impl_info_str());
  return bind(fallbackAttempt, fallback, weights, context);
}

Status ConvolutionCall::run(void *const *buffers, DeviceContext &context) {
  if (isEmpty)
    return Status();
  auto *output = static_cast<float *>(buffers[spec.output]);
  if (hasNoInput) // padding only
    std::fill_n(output, geometry.rows * geometry.channels, 0.0f);
  else if (Status status = call.execute(buffers, context); !status.ok())
    return status;
  if (!isFused || hasNoInput)
    applyEpilogues(spec.epilogues, buffers, geometry.rows, geometry.channels,
                   output);
  return Status();
}

} // namespace

Result<std::unique_ptr<PreparedCall>>
prepareConvolution(const OperationSpec &operation,
                   const std::vector<int64_t> &values, bool addsInPlace,
                   PackedWeights *weights, DeviceContext &context) {
  const ConvolutionSpec &spec = operation.convolution;
  if (weights && isFasterByWinograd(spec, values) && !addsInPlace) {
    Result<std::unique_ptr<PreparedCall>> call =
        prepareWinograd(spec, values, *weights, context);
    if (!call.ok() || *call)
      return call;
  }
  auto call = std::make_unique<ConvolutionCall>(operation, values, addsInPlace);
  if (Status status = call->prepare(weights, context); !status.ok())
    return status;
  return std::unique_ptr<PreparedCall>(std::move(call));
}

} // namespace takt::runtime
