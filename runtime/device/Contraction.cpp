#include "runtime/device/Contraction.h"
#include "runtime/device/Epilogue.h"
#include "runtime/device/PostOps.h"
#include "runtime/device/VectorContraction.h"

#include <algorithm>

namespace takt::runtime {
namespace {

using dnnl::memory;

/// Sizes and memory descriptors as oneDNN sees them: two axes where a batch
/// can be folded into the rows, else three.
struct Geometry {
  int64_t rows = 0; // batch * m
  int64_t n = 0;
  int64_t k = 0;
  memory::desc lhs, rhs, output, anyRhs;
  memory::dims biasDims;
  memory::dims outputDims;

  Geometry(const ContractionSpec &spec, const std::vector<int64_t> &values) {
    int64_t batch = values[spec.batch];
    int64_t m = values[spec.m];
    n = values[spec.n];
    k = values[spec.k];
    rows = batch * m; // a factor of the output's bytes, checked before
    if (spec.rhsShared && !spec.transposeLhs) {
      m = rows;
      batch = 1;
    }
    auto describe = [&](int64_t count, int64_t a, int64_t b, bool transposed) {
      memory::dims dims = {a, b};
      memory::dims strides = {transposed ? 1 : b, transposed ? a : 1};
      if (batch != 1) {
        dims.insert(dims.begin(), count);
        strides.insert(strides.begin(), a * b);
      }
      return memory::desc(dims, memory::data_type::f32, strides);
    };
    lhs = describe(batch, m, k, spec.transposeLhs);
    rhs = describe(spec.rhsShared ? 1 : batch, k, n, spec.transposeRhs);
    output = describe(batch, m, n, false);
    anyRhs = memory::desc(rhs.dims(), memory::data_type::f32,
                          memory::format_tag::any);
    biasDims.assign(output.dims().size(), 1);
    biasDims.back() = n;
    outputDims = output.dims();
  }
};

class ContractionCall : public PreparedCall {
public:
  ContractionCall(const OperationSpec &operation,
                  const std::vector<int64_t> &values, bool addsInPlace)
      : operation(operation), addsInPlace(addsInPlace),
        spec(operation.contraction), geometry(spec, values) {}

  Status prepare(PackedWeights *weights, DeviceContext &context);
  Status run(void *const *buffers, DeviceContext &context) override;
  int64_t getScratchpadBytes() const override {
    return call.getScratchpadBytes();
  }

private:
  using Descriptor = dnnl::matmul::primitive_desc;

  bool isEmpty() const { return geometry.rows == 0 || geometry.n == 0; }
  bool hasScale() const { return spec.scale != 0 && spec.scale != 1; }
  memory::desc biasDesc() const {
    return memory::desc(geometry.biasDims, memory::data_type::f32,
                        geometry.biasDims.size() == 2
                            ? memory::format_tag::ab
                            : memory::format_tag::abc);
  }
  /// oneDNN scales after it has added the bias, so a scaled product takes its
  /// bias as a post-op; so does a bias that is not first.
  PostOps postOps() const {
    static const std::vector<EpilogueSpec> none;
    return PostOps(fused ? spec.epilogues : none, !hasScale(), addsInPlace,
                   geometry.output, biasDesc());
  }
  dnnl::primitive_attr makeAttributes() const;
  Descriptor describe(const memory::desc &rhs, DeviceContext &context) const;
  Status bind(const Descriptor &descriptor, PackedWeights *weights,
              DeviceContext &context);

  const OperationSpec &operation;
  const bool addsInPlace;
  const ContractionSpec &spec;
  Geometry geometry;
  bool fused = true; // epilogues are oneDNN's
  PrimitiveCall call;
};

dnnl::primitive_attr ContractionCall::makeAttributes() const {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (hasScale())
    attributes.set_output_scales(0, {static_cast<float>(spec.scale)});
  attributes.set_post_ops(postOps().make());
  return attributes;
}

/// Empty where oneDNN has no implementation.
ContractionCall::Descriptor
ContractionCall::describe(const memory::desc &rhs,
                          DeviceContext &context) const {
  dnnl::primitive_attr attributes = makeAttributes();
  auto make = [&](const dnnl::matmul::desc &desc) {
    return Descriptor(desc, attributes, context.engine, true);
  };
  if (postOps().hasNativeBias())
    return make(
        dnnl::matmul::desc(geometry.lhs, rhs, biasDesc(), geometry.output));
  return make(dnnl::matmul::desc(geometry.lhs, rhs, geometry.output));
}

Status ContractionCall::bind(const Descriptor &descriptor,
                             PackedWeights *weights, DeviceContext &context) {
  call.setPrimitive(dnnl::matmul(descriptor));
  call.addScratch(DNNL_ARG_SCRATCHPAD, descriptor.scratchpad_desc(), 0,
                  context);
  call.addBuffer(DNNL_ARG_SRC, geometry.lhs, spec.lhs, context);
  call.addBuffer(DNNL_ARG_DST, geometry.output, spec.output, context);
  if (weights) {
    Result<void *> data =
        weights->get(geometry.rhs, descriptor.weights_desc(), context);
    if (!data.ok())
      return data.status();
    call.addFixed(DNNL_ARG_WEIGHTS, descriptor.weights_desc(), *data, context);
  } else {
    call.addBuffer(DNNL_ARG_WEIGHTS, geometry.rhs, spec.rhs, context);
  }
  postOps().bind(call, biasDesc(), context);
  return Status();
}

Status ContractionCall::prepare(PackedWeights *weights,
                                DeviceContext &context) {
  if (isEmpty() || geometry.k == 0)
    return Status();
  struct Attempt {
    bool fused;
    bool packed;
  };
  Descriptor fallback;
  Attempt fallbackAttempt = {true, false};
  for (Attempt attempt : {Attempt{true, true}, Attempt{true, false},
                          Attempt{false, true}, Attempt{false, false}}) {
    // What the output holds is lost to the loops.
    if ((attempt.packed && !weights) || (!attempt.fused && addsInPlace))
      continue;
    fused = attempt.fused;
    Descriptor descriptor =
        describe(attempt.packed ? geometry.anyRhs : geometry.rhs, context);
    if (!descriptor)
      continue;
    std::string implementation = descriptor.impl_info_str();
    if (implementation.find("ref") == std::string::npos)
      return bind(descriptor, attempt.packed ? weights : nullptr, context);
    if (!fallback) {
      fallback = descriptor;
      fallbackAttempt = attempt;
    }
  }
  if (!fallback)
    return environmentError("oneDNN has no matrix product for operation '",
                            operation.name, "'");
  context.warnSlow(operation.name, fallback.impl_info_str());
  fused = fallbackAttempt.fused;
  return bind(fallback, fallbackAttempt.packed ? weights : nullptr, context);
}

Status ContractionCall::run(void *const *buffers, DeviceContext &context) {
  if (isEmpty())
    return Status();
  auto *output = static_cast<float *>(buffers[spec.output]);
  if (geometry.k == 0)
    std::fill_n(output, geometry.rows * geometry.n, 0.0f);
  else if (Status status = call.execute(buffers, context); !status.ok())
    return status;
  if (!fused || geometry.k == 0)
    applyEpilogues(spec.epilogues, buffers, geometry.rows, geometry.n, output);
  return Status();
}

bool readsOutput(const ContractionSpec &spec) {
  return std::any_of(spec.epilogues.begin(), spec.epilogues.end(),
                     [&spec](const EpilogueSpec &epilogue) {
                       return epilogue.kind == EpilogueKind::Add &&
                              epilogue.buffer == spec.output;
                     });
}

} // namespace

Result<std::unique_ptr<PreparedCall>>
prepareContraction(const OperationSpec &operation,
                   const std::vector<int64_t> &values, bool addsInPlace,
                   PackedWeights *weights, DeviceContext &context) {
  const ContractionSpec &spec = operation.contraction;
  if (readsOutput(spec))
    return bundleError("operation '", operation.name,
                       "' adds its own output, which it overwrites");
  if (isVectorContraction(spec, values))
    return prepareVectorContraction(spec, values, Geometry(spec, values).rhs,
                                    addsInPlace, weights, context);
  auto call = std::make_unique<ContractionCall>(operation, values, addsInPlace);
  if (Status status = call->prepare(weights, context); !status.ok())
    return status;
  return std::unique_ptr<PreparedCall>(std::move(call));
}

} // namespace takt::runtime
