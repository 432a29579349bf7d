#include "runtime/device/VectorContraction.h"
#include "runtime/device/Epilogue.h"
#include "runtime/device/Threads.h"
#include "runtime/kernels/VectorProduct.h"

#include <algorithm>

namespace takt::runtime {
namespace {

class VectorContractionCall : public PreparedCall {
public:
  VectorContractionCall(const ContractionSpec &spec, int64_t rows,
                        int64_t columns, bool addsInPlace, const float *weights)
      : spec(spec), rows(rows), columns(columns), addsInPlace(addsInPlace),
        weights(weights) {}

  Status run(void *const *buffers, DeviceContext &context) override;
  /// An addend that lies in the output must outlive the product.
  int64_t getScratchpadBytes() const override {
    return addsInPlace ? columns * static_cast<int64_t>(sizeof(float)) : 0;
  }

private:
  const ContractionSpec &spec;
  int64_t rows, columns;
  bool addsInPlace;
  const float *weights;
};

Status VectorContractionCall::run(void *const *buffers,
                                  DeviceContext &context) {
  auto *vector = static_cast<const float *>(buffers[spec.lhs]);
  auto *output = static_cast<float *>(buffers[spec.output]);
  float *product = addsInPlace
                       ? reinterpret_cast<float *>(context.scratchpad.data())
                       : output;
  int64_t panels = (columns + panelColumns - 1) / panelColumns;
  runOnRankThreads(panels, [&](int64_t first, int64_t last) {
    multiplyVector(vector, weights, rows, columns, first, last, product);
  });
  if (spec.scale != 0 && spec.scale != 1)
    for (int64_t i = 0; i < columns; ++i)
      product[i] *= static_cast<float>(spec.scale);
  applyEpilogues(spec.epilogues, buffers, 1, columns, product);
  if (addsInPlace)
    std::copy_n(product, columns, output);
  return Status();
}

} // namespace

bool isVectorContraction(const ContractionSpec &spec,
                         const std::vector<int64_t> &values) {
  return spec.rhsShared && values[spec.batch] == 1 && values[spec.m] == 1 &&
         values[spec.n] > 0 && values[spec.k] > 0 && hasVectorProduct();
}

Result<std::unique_ptr<PreparedCall>>
prepareVectorContraction(const ContractionSpec &spec,
                         const dnnl::memory::desc &stored, bool addsInPlace,
                         PackedWeights &weights, DeviceContext &context) {
  dnnl::memory::desc panels(stored.dims(), dnnl::memory::data_type::f32,
                            dnnl::memory::format_tag::BA16a64b);
  Result<void *> data = weights.get(stored, panels, context);
  if (!data.ok())
    return data.status();
  return std::unique_ptr<PreparedCall>(std::make_unique<VectorContractionCall>(
      spec, stored.dims()[0], stored.dims()[1], addsInPlace,
      static_cast<const float *>(*data)));
}

} // namespace takt::runtime
