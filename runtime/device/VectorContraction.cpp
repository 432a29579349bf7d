#include "runtime/device/VectorContraction.h"
#include "runtime/device/Epilogue.h"
#include "runtime/device/Threads.h"
#include "runtime/kernels/VectorProduct.h"

#include <algorithm>

namespace takt::runtime {
namespace {

class VectorContractionCall : public PreparedCall {
public:
  VectorContractionCall(const ContractionSpec &spec,
                        const std::vector<int64_t> &values, bool addsInPlace)
      : spec(spec), batch(values[spec.batch]), rows(values[spec.k]),
        columns(values[spec.n]), addsInPlace(addsInPlace) {}

  void setPacked(const float *weights) { packed = weights; }
  Status run(void *const *buffers, DeviceContext &context) override;
  /// An addend that lies in the output must outlive the product.
  int64_t getScratchpadBytes() const override {
    return addsInPlace ? batch * columns * static_cast<int64_t>(sizeof(float))
                       : 0;
  }

private:
  void multiplyPacked(const float *vector, float *product) const;
  void multiplyEach(const float *vectors, const float *matrices,
                    float *product) const;

  const ContractionSpec &spec;
  int64_t batch, rows, columns;
  bool addsInPlace;
  const float *packed = nullptr; // or the frame's matrices are read
};

void VectorContractionCall::multiplyPacked(const float *vector,
                                           float *product) const {
  int64_t panels = (columns + panelColumns - 1) / panelColumns;
  runOnRankThreads(panels, [&](int64_t first, int64_t last) {
    multiplyVector(vector, packed, rows, columns, first, last, product);
  });
}

void VectorContractionCall::multiplyEach(const float *vectors,
                                         const float *matrices,
                                         float *product) const {
  auto multiply =
      spec.transposeRhs ? multiplyVectorByTransposed : multiplyVectorByMatrix;
  int64_t step = spec.rhsShared ? 0 : rows * columns;
  runOnRankThreads(batch, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i)
      multiply(vectors + i * rows, matrices + i * step, rows, columns,
               product + i * columns);
  });
}

Status VectorContractionCall::run(void *const *buffers,
                                  DeviceContext &context) {
  auto *vectors = static_cast<const float *>(buffers[spec.lhs]);
  auto *output = static_cast<float *>(buffers[spec.output]);
  float *product = addsInPlace
                       ? reinterpret_cast<float *>(context.scratchpad.data())
                       : output;
  int64_t count = batch * columns; // floats of the output, checked before
  if (packed)
    multiplyPacked(vectors, product);
  else
    multiplyEach(vectors, static_cast<const float *>(buffers[spec.rhs]),
                 product);
  if (spec.scale != 0 && spec.scale != 1)
    for (int64_t i = 0; i < count; ++i)
      product[i] *= static_cast<float>(spec.scale);
  applyEpilogues(spec.epilogues, buffers, batch, columns, product);
  if (addsInPlace)
    std::copy_n(product, count, output);
  return Status();
}

} // namespace

bool isVectorContraction(const ContractionSpec &spec,
                         const std::vector<int64_t> &values) {
  int64_t batch = values[spec.batch];
  bool isOneEach = values[spec.m] == 1 && (batch == 1 || !spec.rhsShared);
  return isOneEach && batch > 0 && values[spec.n] > 0 && values[spec.k] > 0 &&
         hasVectorProduct();
}

Result<std::unique_ptr<PreparedCall>>
prepareVectorContraction(const ContractionSpec &spec,
                         const std::vector<int64_t> &values,
                         const dnnl::memory::desc &stored, bool addsInPlace,
                         PackedWeights *weights, DeviceContext &context) {
  auto call =
      std::make_unique<VectorContractionCall>(spec, values, addsInPlace);
  if (weights) {
    dnnl::memory::desc panels(stored.dims(), dnnl::memory::data_type::f32,
                              dnnl::memory::format_tag::BA16a64b);
    Result<void *> data = weights->get(stored, panels, context);
    if (!data.ok())
      return data.status();
    call->setPacked(static_cast<const float *>(*data));
  }
  return std::unique_ptr<PreparedCall>(std::move(call));
}

} // namespace takt::runtime
