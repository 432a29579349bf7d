/// Epilogues of a product or convolution as oneDNN post-ops.
#ifndef TAKT_RUNTIME_DEVICE_POSTOPS_H
#define TAKT_RUNTIME_DEVICE_POSTOPS_H

#include "runtime/core/Manifest.h"
#include "runtime/device/Primitive.h"

namespace takt::runtime {

class PostOps {
public:
  /// `output` describes the result, `bias` a vector along its channels with as
  /// many dimensions. With `isBiasNative` a leading bias is an argument of the
  /// primitive itself. With `addsInPlace` the first addition's operand is what
  /// the output holds before the call.
  PostOps(const std::vector<EpilogueSpec> &epilogues, bool isBiasNative,
          bool addsInPlace, const dnnl::memory::desc &output,
          const dnnl::memory::desc &bias);

  bool hasNativeBias() const { return first == 1; }
  dnnl::post_ops make() const;
  /// Adds the operands, the native bias with the description `nativeBias`.
  void bind(PrimitiveCall &call, const dnnl::memory::desc &nativeBias,
            DeviceContext &context) const;

private:
  bool isInPlace(size_t index) const {
    return addsInPlace && index == first &&
           epilogues[index].kind == EpilogueKind::Add;
  }

  const std::vector<EpilogueSpec> &epilogues;
  size_t first; // that is a post-op
  bool addsInPlace;
  dnnl::memory::desc output, bias;
};

} // namespace takt::runtime

#endif
