#include "runtime/device/Pool.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace takt::runtime {
namespace {

using dnnl::memory;

/// One output element: position (y, x) of the output plane.
float computeWindow(const PoolSpec &spec, const int64_t *size,
                    const float *plane, int64_t y, int64_t x) {
  int64_t height = size[2], width = size[3];
  int64_t top = y * spec.strides[0] - spec.padsBegin[0];
  int64_t left = x * spec.strides[1] - spec.padsBegin[1];
  int64_t bottom = top + spec.kernel[0], right = left + spec.kernel[1];
  bool isMax = spec.kind == PoolKind::Max;
  float value = isMax ? -std::numeric_limits<float>::infinity() : 0.0f;
  int64_t first = std::max<int64_t>(left, 0);
  int64_t end = std::min(right, width);
  int64_t rows = 0;
  for (int64_t i = std::max<int64_t>(top, 0); i < std::min(bottom, height);
       ++i, ++rows)
    for (int64_t j = first; j < end; ++j) {
      float element = plane[i * width + j];
      if (!isMax)
        value += element;
      else if (element > value || std::isnan(element))
        value = element;
    }
  if (isMax)
    return value;
  int64_t count = rows * std::max<int64_t>(end - first, 0);
  if (spec.kind == PoolKind::AverageIncludePad)
    // What ceil_mode adds beyond the padding counts for no element.
    count = (std::min(bottom, height + spec.padsEnd[0]) - top) *
            (std::min(right, width + spec.padsEnd[1]) - left);
  return count > 0 ? value / static_cast<float>(count) : 0.0f;
}

class PoolCall : public PreparedCall {
public:
  PoolCall(const OperationSpec &operation, const std::vector<int64_t> &values)
      : operation(operation), spec(operation.pool) {
    for (size_t i = 0; i < 4; ++i) {
      inputShape.push_back(values[spec.inputShape[i]]);
      outputShape.push_back(values[spec.outputShape[i]]);
    }
  }

  Status prepare(DeviceContext &context) {
    if (inputShape[0] != outputShape[0] || inputShape[1] != outputShape[1])
      return bundleError("operation '", operation.name,
                         "': batch or channels of input and output differ");
    auto isZero = [](int64_t size) { return size == 0; };
    bool empty = std::any_of(inputShape.begin(), inputShape.end(), isZero) ||
                 std::any_of(outputShape.begin(), outputShape.end(), isZero);
    if (!empty && isRegular())
      prepareLibraryCall(context);
    return Status();
  }

  Status run(void *const *buffers, DeviceContext &context) override {
    if (hasCall)
      return call.execute(buffers, context);
    computePool(spec, inputShape.data(), outputShape.data(),
                static_cast<const float *>(buffers[spec.input]),
                static_cast<float *>(buffers[spec.output]));
    return Status();
  }

  int64_t getScratchpadBytes() const override {
    return call.getScratchpadBytes();
  }

private:
  /// Whether each window lies in the padded image and holds an element.
  bool isRegular() const {
    for (size_t i = 0; i < 2; ++i) {
      int64_t padded = inputShape[i + 2] + spec.padsBegin[i] + spec.padsEnd[i];
      if (padded < spec.kernel[i] ||
          (padded - spec.kernel[i]) / spec.strides[i] + 1 !=
              outputShape[i + 2] ||
          spec.padsBegin[i] >= spec.kernel[i] ||
          spec.padsEnd[i] >= spec.kernel[i])
        return false;
    }
    return true;
  }

  void prepareLibraryCall(DeviceContext &context) {
    auto algorithm = dnnl::algorithm::pooling_max;
    if (spec.kind == PoolKind::Average)
      algorithm = dnnl::algorithm::pooling_avg_exclude_padding;
    else if (spec.kind == PoolKind::AverageIncludePad)
      algorithm = dnnl::algorithm::pooling_avg_include_padding;
    auto describe = [](const memory::dims &shape) {
      return memory::desc(shape, memory::data_type::f32,
                          memory::format_tag::nchw);
    };
    memory::desc input = describe(inputShape), output = describe(outputShape);
    dnnl::pooling_forward::desc desc(dnnl::prop_kind::forward_inference,
                                     algorithm, input, output, spec.strides,
                                     spec.kernel, spec.padsBegin, spec.padsEnd);
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    dnnl::pooling_forward::primitive_desc descriptor(desc, attributes,
                                                     context.engine, true);
    if (!descriptor || std::string(descriptor.impl_info_str()).find("ref") !=
                           std::string::npos)
      return;
    call.setPrimitive(dnnl::pooling_forward(descriptor),
                      descriptor.scratchpad_desc(), context);
    call.addBuffer(DNNL_ARG_SRC, input, spec.input, context);
    call.addBuffer(DNNL_ARG_DST, output, spec.output, context);
    hasCall = true;
  }

  const OperationSpec &operation;
  const PoolSpec &spec;
  memory::dims inputShape;
  memory::dims outputShape;
  bool hasCall = false;
  PrimitiveCall call;
};

} // namespace

void computePool(const PoolSpec &spec, const int64_t *inputShape,
                 const int64_t *outputShape, const float *input,
                 float *output) {
  int64_t planes = outputShape[0] * outputShape[1];
  int64_t planeSize = inputShape[2] * inputShape[3];
  for (int64_t plane = 0; plane < planes; ++plane)
    for (int64_t y = 0; y < outputShape[2]; ++y)
      for (int64_t x = 0; x < outputShape[3]; ++x)
        *output++ =
            computeWindow(spec, inputShape, input + plane * planeSize, y, x);
}

Result<std::unique_ptr<PreparedCall>>
preparePool(const OperationSpec &operation, const std::vector<int64_t> &values,
            DeviceContext &context) {
  auto call = std::make_unique<PoolCall>(operation, values);
  if (Status status = call->prepare(context); !status.ok())
    return status;
  return std::unique_ptr<PreparedCall>(std::move(call));
}

} // namespace takt::runtime
