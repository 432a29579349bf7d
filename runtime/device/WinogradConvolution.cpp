#include "runtime/device/WinogradConvolution.h"
#include "runtime/device/ConvolutionGeometry.h"
#include "runtime/device/PostOps.h"

#include <algorithm>
#include <string>

namespace takt::runtime {
namespace {

using dnnl::memory;

/// Of 4 x 4 values for each pair of channels; larger ones have to be read from
/// memory again for every request, which costs what is saved.
constexpr int64_t weightBytesLimit = 1 << 20;
constexpr int64_t fewestPixels = 400;
constexpr int64_t block = 16; // channels

bool isAll(const std::vector<int64_t> &list, int64_t value) {
  return std::all_of(list.begin(), list.end(),
                     [value](int64_t element) { return element == value; });
}

class WinogradCall : public PreparedCall {
public:
  WinogradCall(const ConvolutionSpec &spec, const std::vector<int64_t> &values)
      : spec(spec), geometry(spec, values),
        input(geometry.input.dims(), memory::data_type::f32,
              memory::format_tag::nChw16c),
        output(geometry.output.dims(), memory::data_type::f32,
               memory::format_tag::nChw16c) {}

  /// False where there is no implementation.
  Result<bool> prepare(PackedWeights &weights, DeviceContext &context);
  Status run(void *const *buffers, DeviceContext &context) override;
  int64_t getScratchpadBytes() const override {
    return call.getScratchpadBytes();
  }

private:
  using Descriptor = dnnl::convolution_forward::primitive_desc;

  PostOps postOps() const {
    return PostOps(spec.epilogues, true, false, output, geometry.biasRow);
  }
  Descriptor describe(DeviceContext &context) const;
  void bindRelayouts(int64_t outputOffset, DeviceContext &context);

  const ConvolutionSpec &spec;
  ConvolutionGeometry geometry;
  memory::desc input, output; // blocked
  PrimitiveCall enter, call, leave;
};

WinogradCall::Descriptor WinogradCall::describe(DeviceContext &context) const {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attributes.set_post_ops(postOps().make());
  const ConvolutionGeometry &g = geometry;
  dnnl::convolution_forward::desc desc(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_winograd,
      input, g.anyWeight, postOps().hasNativeBias() ? g.bias : memory::desc(),
      output, g.strides, g.dilations, g.padsBegin, g.padsEnd);
  // F(4x4, 3x3), which oneDNN has too, loses two digits more.
  Descriptor found(desc, attributes, context.engine, true);
  while (found && std::string(found.impl_info_str()).find("wino_2x3") ==
                      std::string::npos)
    if (!found.next_impl())
      return Descriptor();
  return found;
}

/// The blocked input lies at the start of the scratchpad.
void WinogradCall::bindRelayouts(int64_t outputOffset, DeviceContext &context) {
  dnnl::engine &engine = context.engine;
  enter.setPrimitive(dnnl::reorder(
      dnnl::reorder::primitive_desc(engine, geometry.input, engine, input)));
  enter.addBuffer(DNNL_ARG_FROM, geometry.input, spec.input, context);
  enter.addScratch(DNNL_ARG_TO, input, 0, context);
  leave.setPrimitive(dnnl::reorder(
      dnnl::reorder::primitive_desc(engine, output, engine, geometry.output)));
  leave.addScratch(DNNL_ARG_FROM, output, outputOffset, context);
  leave.addBuffer(DNNL_ARG_TO, geometry.output, spec.output, context);
}

Result<bool> WinogradCall::prepare(PackedWeights &weights,
                                   DeviceContext &context) {
  Descriptor descriptor = describe(context);
  if (!descriptor)
    return false;
  Result<void *> data =
      weights.get(geometry.plainWeight, descriptor.weights_desc(), context);
  if (!data.ok())
    return data.status();
  int64_t outputOffset = alignUp(static_cast<int64_t>(input.get_size()));
  int64_t workOffset =
      outputOffset + alignUp(static_cast<int64_t>(output.get_size()));
  call.setPrimitive(dnnl::convolution_forward(descriptor));
  call.addScratch(DNNL_ARG_SRC, input, 0, context);
  call.addScratch(DNNL_ARG_DST, output, outputOffset, context);
  call.addScratch(DNNL_ARG_SCRATCHPAD, descriptor.scratchpad_desc(), workOffset,
                  context);
  call.addFixed(DNNL_ARG_WEIGHTS, descriptor.weights_desc(), *data, context);
  postOps().bind(call, geometry.bias, context);
  bindRelayouts(outputOffset, context);
  return true;
}

Status WinogradCall::run(void *const *buffers, DeviceContext &context) {
  for (PrimitiveCall *step : {&enter, &call, &leave})
    if (Status status = step->execute(buffers, context); !status.ok())
      return status;
  return Status();
}

} // namespace

bool isFasterByWinograd(const ConvolutionSpec &spec,
                        const std::vector<int64_t> &values) {
  int64_t inputs = values[spec.inputShape.back()],
          outputs = values[spec.outputShape.back()];
  bool isDense3x3 = spec.kernel == std::vector<int64_t>{3, 3} &&
                    isAll(spec.strides, 1) && isAll(spec.dilations, 1) &&
                    spec.groups == 1 && inputs % block == 0 &&
                    outputs % block == 0;
  // An addend would have to be brought into the layout, too.
  bool readsRows = std::any_of(
      spec.epilogues.begin(), spec.epilogues.end(),
      [](const EpilogueSpec &one) { return one.kind == EpilogueKind::Add; });
  if (!isDense3x3 || readsRows || values[spec.outputShape.front()] == 0)
    return false;
  int64_t weightBytes = 0, pixels = 0;
  return !__builtin_mul_overflow(inputs * 64, outputs, &weightBytes) &&
         weightBytes <= weightBytesLimit &&
         !__builtin_mul_overflow(values[spec.outputShape[1]],
                                 values[spec.outputShape[2]], &pixels) &&
         pixels >= fewestPixels;
}

Result<std::unique_ptr<PreparedCall>>
prepareWinograd(const ConvolutionSpec &spec, const std::vector<int64_t> &values,
                PackedWeights &weights, DeviceContext &context) {
  auto call = std::make_unique<WinogradCall>(spec, values);
  Result<bool> exists = call->prepare(weights, context);
  if (!exists.ok())
    return exists.status();
  return *exists ? std::unique_ptr<PreparedCall>(std::move(call)) : nullptr;
}

} // namespace takt::runtime
