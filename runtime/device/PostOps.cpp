#include "runtime/device/PostOps.h"

namespace takt::runtime {

PostOps::PostOps(const std::vector<EpilogueSpec> &epilogues, bool isBiasNative,
                 bool addsInPlace, const dnnl::memory::desc &output,
                 const dnnl::memory::desc &bias)
    : epilogues(epilogues), first(isBiasNative && !epilogues.empty() &&
                                  epilogues[0].kind == EpilogueKind::Bias),
      addsInPlace(addsInPlace), output(output), bias(bias) {}

dnnl::post_ops PostOps::make() const {
  dnnl::post_ops post;
  for (size_t i = first; i < epilogues.size(); ++i) {
    switch (epilogues[i].kind) {
    case EpilogueKind::Bias:
      post.append_binary(dnnl::algorithm::binary_add, bias);
      break;
    case EpilogueKind::Relu:
      post.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
      break;
    case EpilogueKind::GeluErf:
      post.append_eltwise(1, dnnl::algorithm::eltwise_gelu_erf, 0, 0);
      break;
    case EpilogueKind::GeluTanh:
      post.append_eltwise(1, dnnl::algorithm::eltwise_gelu_tanh, 0, 0);
      break;
    case EpilogueKind::Add:
      if (isInPlace(i))
        post.append_sum(1);
      else
        post.append_binary(dnnl::algorithm::binary_add, output);
      break;
    case EpilogueKind::Clip:
      post.append_eltwise(1, dnnl::algorithm::eltwise_clip, 0,
                          static_cast<float>(epilogues[i].high));
      break;
    }
  }
  return post;
}

void PostOps::bind(PrimitiveCall &call, const dnnl::memory::desc &nativeBias,
                   DeviceContext &context) const {
  if (hasNativeBias())
    call.addBuffer(DNNL_ARG_BIAS, nativeBias, epilogues[0].buffer, context);
  for (size_t i = first; i < epilogues.size(); ++i) {
    int argument = DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i - first)) |
                   DNNL_ARG_SRC_1;
    if (epilogues[i].hasOperand() && !isInPlace(i))
      call.addBuffer(argument,
                     epilogues[i].kind == EpilogueKind::Bias ? bias : output,
                     epilogues[i].buffer, context);
  }
}

} // namespace takt::runtime
